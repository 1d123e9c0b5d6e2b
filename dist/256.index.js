"use strict";
exports.id = 256;
exports.ids = [256,376];
exports.modules = {

/***/ 9376:
/***/ (function(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   createGitHubClient: function() { return /* binding */ createGitHubClient; },
/* harmony export */   getGitHubError: function() { return /* binding */ getGitHubError; },
/* harmony export */   isRefusal: function() { return /* binding */ isRefusal; },
/* harmony export */   read: function() { return /* binding */ read; }
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9984);
/* harmony import */ var _text_link_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2955);
/* harmony import */ var _text_schema_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(967);
/* harmony import */ var _get_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9495);




function createGitHubClient({ apiUrl, token }, repository, limits) {
    if (repository === undefined) {
        throw new _get_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y('GITHUB_REPOSITORY is not set');
    }
    if (token === undefined) {
        throw new _get_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y('`github-token` is empty');
    }
    if (apiUrl === undefined) {
        throw new _get_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y('GITHUB_API_URL is not an https address');
    }
    const get = (0,_get_js__WEBPACK_IMPORTED_MODULE_2__/* .createGet */ .Z)(apiUrl, token, limits);
    const root = (0,_text_link_js__WEBPACK_IMPORTED_MODULE_3__/* .getAddress */ .bv)(apiUrl);
    let octokit;
    return {
        async get(route, parameters) {
            try {
                if (parameters === undefined) {
                    const { owner, repo } = repository;
                    return JSON.parse(String(await get(`${root}/repos/${owner}/${repo}${route}`, 'application/json')));
                }
                octokit ??= loadOctokit(root, token, get);
                const { request } = await octokit;
                return (await request(`GET /repos/{owner}/{repo}${route}`, { ...repository, ...parameters })).data;
            }
            catch (error) {
                throw getGitHubError(error);
            }
        },
    };
}
async function read(client, schema, route, parameters) {
    const parsed = _text_schema_js__WEBPACK_IMPORTED_MODULE_1__/* .safeParse */ .xL(schema, await client.get(route, parameters));
    if (!parsed.success) {
        throw new _get_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y('the response lacks a documented field');
    }
    return parsed.data;
}
function getGitHubError(error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return cause instanceof _get_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y ? cause : new _get_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y((0,_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .getErrorText */ .ER)(error));
}
function isRefusal({ httpStatus }) {
    return httpStatus === 403 || httpStatus === 404;
}
async function loadOctokit(baseUrl, token, get) {
    const toolkit = await __webpack_require__.e(/* import() */ 157).then(__webpack_require__.bind(__webpack_require__, 157));
    return toolkit.getOctokit(token, {
        baseUrl,
        request: {
            fetch: async (address, { headers }) => {
                const body = await get(address, headers['accept'] ?? '*/*');
                return new Response(new Uint8Array(body), { headers: { 'content-type': 'application/json' } });
            },
        },
    });
}


/***/ }),

/***/ 9495:
/***/ (function(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Z: function() { return /* binding */ createGet; },
/* harmony export */   y: function() { return /* binding */ GitHubError; }
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3929);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9984);
/* harmony import */ var _http_lookup_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(5100);
/* harmony import */ var _http_proxy_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(7038);
/* harmony import */ var _http_request_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2640);
/* harmony import */ var _http_retry_after_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(797);
/* harmony import */ var _text_link_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(2955);
/* harmony import */ var _text_schema_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(967);








class GitHubError extends Error {
    name = 'GitHubError';
    httpStatus;
    constructor(message, httpStatus) {
        super(message);
        this.httpStatus = httpStatus;
    }
}
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_REQUESTS = 300;
const MAX_RETRIES = 4;
function createGet(apiUrl, token, limits) {
    const { requestTimeoutMs = REQUEST_TIMEOUT_MS, signal } = limits;
    const deadline = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + limits.timeoutMs;
    const proxy = (0,_http_proxy_js__WEBPACK_IMPORTED_MODULE_3__/* .readProxy */ .n)(apiUrl);
    let requests = 0;
    let nameServer;
    let obstacle;
    return async (address, accept) => {
        if (proxy === undefined) {
            nameServer ??= (0,_http_lookup_js__WEBPACK_IMPORTED_MODULE_2__/* .expectNameServer */ .k)(apiUrl.hostname, limits.timeoutMs, signal);
            await nameServer;
        }
        const retryDeadline = (_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + deadline) / 2;
        let url = new URL(address);
        let retries = 0;
        for (;;) {
            const remainingMs = Math.ceil(deadline - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now());
            requests += 1;
            if (obstacle !== undefined) {
                throw obstacle;
            }
            if (!isBelow(url, apiUrl)) {
                throw new GitHubError('the API redirects to another address');
            }
            if (remainingMs <= 0) {
                throw new GitHubError('no time was left');
            }
            if (requests > MAX_REQUESTS) {
                throw new GitHubError('it takes too many requests');
            }
            const result = await (0,_http_request_js__WEBPACK_IMPORTED_MODULE_4__/* .sendRequest */ .w)({
                method: 'GET',
                url,
                headers: { accept, authorization: `Bearer ${token}` },
                body: undefined,
                maxBodyBytes: MAX_BODY_BYTES,
                proxy,
                timeoutMs: Math.min(requestTimeoutMs, remainingMs),
                signal,
            });
            const location = getRedirect(result, url);
            if (location !== undefined && retries < MAX_RETRIES) {
                url = location;
                retries += 1;
                continue;
            }
            const limitMs = getRateLimitDelay(result);
            const delayMs = Math.max(FIRST_RETRY_DELAY_MS * 2 ** retries, limitMs ?? 0);
            const retryAt = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + delayMs;
            const isTransient = result.kind !== 'response' || result.response.httpStatus >= 500;
            const mayPass = isTransient && retries < MAX_RETRIES && retryAt < retryDeadline;
            if (!signal.aborted && (limitMs === undefined ? mayPass : retryAt < deadline)) {
                retries += 1;
                await _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.sleep(delayMs, signal);
                continue;
            }
            if (limitMs !== undefined || result.kind === 'not-sent') {
                obstacle = new GitHubError(result.kind === 'response' ? 'rate limit exceeded' : result.detail);
                throw obstacle;
            }
            return expectBody(result);
        }
    };
}
function isBelow({ origin, pathname }, apiUrl) {
    const climbs = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:\/|%2f|%5c|$)/i.test(pathname);
    return `${origin}${pathname}`.startsWith(`${(0,_text_link_js__WEBPACK_IMPORTED_MODULE_6__/* .getAddress */ .bv)(apiUrl)}/`) && !climbs;
}
function getRedirect(result, url) {
    if (result.kind !== 'response' || ![301, 302, 307, 308].includes(result.response.httpStatus)) {
        return undefined;
    }
    const location = result.response.header('location') ?? '';
    return location === '' ? undefined : (0,_text_link_js__WEBPACK_IMPORTED_MODULE_6__/* .parseUrl */ .Dl)(location, url);
}
function getRateLimitDelay(result) {
    if (result.kind !== 'response') {
        return undefined;
    }
    const { httpStatus, header, body } = result.response;
    const { message = '', documentation_url: page = '' } = readError(body) ?? {};
    const date = header('date');
    const retryAfter = header('retry-after');
    const isUsedUp = header('x-ratelimit-remaining') === '0';
    const isTold = retryAfter !== undefined || isUsedUp || /\brate[ -]limit|\babuse\b/i.test(`${message} ${page}`);
    if (httpStatus !== 429 && !(httpStatus === 403 && isTold)) {
        return undefined;
    }
    const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
    const delayMs = (0,_http_retry_after_js__WEBPACK_IMPORTED_MODULE_7__/* .parseRetryAfter */ .m)(retryAfter, date) ?? (isUsedUp ? resetMs : Number.NaN);
    return Number.isNaN(delayMs) ? Number.POSITIVE_INFINITY : delayMs;
}
function expectBody(result) {
    if (result.kind !== 'response') {
        throw new GitHubError(result.detail);
    }
    const { httpStatus, body } = result.response;
    if (httpStatus !== 200) {
        const error = readError(body);
        const isOwn = (error?.documentation_url ?? error?.url) !== undefined;
        const reason = error === undefined ? '' : `: ${error.message}`;
        throw new GitHubError(`HTTP ${httpStatus}${reason}`, isOwn ? httpStatus : undefined);
    }
    if (body === undefined) {
        throw new GitHubError('the response is compressed or larger than 16 MiB');
    }
    return body;
}
const gitHubErrorSchema = _text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ik({
    message: _text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .string */ .Yj(),
    documentation_url: _text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lq(_text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .string */ .Yj()),
    url: _text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lq(_text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .string */ .Yj()),
});
function readError(body) {
    const error = (0,_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .ifPossible */ .N0)(() => JSON.parse(body?.toString() ?? ''));
    return _text_schema_js__WEBPACK_IMPORTED_MODULE_5__/* .safeParse */ .xL(gitHubErrorSchema, error).data;
}


/***/ }),

/***/ 3256:
/***/ (function(__unused_webpack_module, __webpack_exports__, __webpack_require__) {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  findEarlierJob: function() { return /* binding */ findEarlierJob; }
});

// EXTERNAL MODULE: ./build/clock.js + 1 modules
var build_clock = __webpack_require__(3929);
// EXTERNAL MODULE: ./build/text/message.js
var message = __webpack_require__(8640);
// EXTERNAL MODULE: ./build/github/client.js
var github_client = __webpack_require__(9376);
// EXTERNAL MODULE: ./build/github/get.js
var get = __webpack_require__(9495);
// EXTERNAL MODULE: ./build/text/schema.js + 12 modules
var schema = __webpack_require__(967);
;// CONCATENATED MODULE: ./build/github/runs.js



const PAGE_SIZE = 100;
const MAX_RUNS = 30;
const count = schema/* int */.Wh().check(schema/* nonnegative */.Zn());
const runs_text = schema/* nullish */.cl(schema/* string */.Yj());
const jobNameSchema = schema/* object */.Ik({ name: schema/* string */.Yj() });
const jobSchema = schema/* object */.Ik({
    id: schema/* int */.Wh(),
    name: schema/* string */.Yj(),
    run_attempt: schema/* optional */.lq(schema/* int */.Wh()),
    status: runs_text,
    conclusion: runs_text,
    started_at: runs_text,
});
const jobsSchema = schema/* object */.Ik({ total_count: count, jobs: schema/* array */.YO(jobSchema) });
const annotationsSchema = schema/* array */.YO(schema/* object */.Ik({ title: runs_text, message: runs_text }));
const runSchema = schema/* object */.Ik({ id: schema/* int */.Wh(), run_attempt: schema/* int */.Wh(), head_branch: runs_text, status: runs_text });
const runsSchema = schema/* object */.Ik({ total_count: count, workflow_runs: schema/* array */.YO(runSchema) });
async function readJobName(client, jobId) {
    return (await (0,github_client.read)(client, jobNameSchema, '/actions/jobs/{job_id}', { job_id: jobId })).name;
}
function listJobs(client, runId, attempt) {
    const route = '/actions/runs/{run_id}/attempts/{attempt_number}/jobs';
    return readPages(async (page) => {
        const query = { run_id: runId, attempt_number: attempt, per_page: PAGE_SIZE, page };
        const { total_count: total, jobs } = await (0,github_client.read)(client, jobsSchema, route, query);
        return { total, entries: jobs.map((job) => [job.id, job]) };
    });
}
function listAnnotations(client, jobId) {
    const route = '/check-runs/{check_run_id}/annotations';
    return readPages(async (page) => {
        const query = { check_run_id: jobId, per_page: PAGE_SIZE, page };
        const annotations = await (0,github_client.read)(client, annotationsSchema, route, query);
        const before = (page - 1) * PAGE_SIZE;
        const total = before + annotations.length + (annotations.length < PAGE_SIZE ? 0 : 1);
        return { total, entries: annotations.map((annotation, index) => [before + index, annotation]) };
    });
}
function listRuns(client, workflowFile, branch, since) {
    const route = '/actions/workflows/{workflow_id}/runs';
    const created = `>=${since.toISOString().slice(0, 10)}`;
    return readPages(async (page) => {
        const query = { workflow_id: workflowFile, branch, created, per_page: MAX_RUNS, page };
        const { total_count: total, workflow_runs: runs } = await (0,github_client.read)(client, runsSchema, route, query);
        return { total: Math.min(total, MAX_RUNS), entries: runs.map((run) => [run.id, run]) };
    });
}
async function readPages(readPage) {
    const items = new Map();
    let error;
    let total = 0;
    let page = 0;
    let before;
    try {
        do {
            before = items.size;
            const found = await readPage(page + 1);
            page += 1;
            total = Math.max(total, found.total);
            for (const [key, item] of found.entries) {
                items.set(key, item);
            }
        } while (items.size < total && items.size > before);
        if (items.size < total) {
            error = new get/* GitHubError */.y(`GitHub lists ${items.size} of ${total} items`);
        }
    }
    catch (failure) {
        error = (0,github_client.getGitHubError)(failure);
    }
    return { items: [...items.values()], isAnswered: page > 0, error };
}

// EXTERNAL MODULE: ./build/plan/job-marker.js
var job_marker = __webpack_require__(8367);
;// CONCATENATED MODULE: ./build/plan/job-records.js




const BATCH_SIZE = 6;
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;
class RecordSearch {
    #search;
    #seen = new Set();
    #answered = new Set();
    #errors = [];
    #obstacle;
    constructor(search) {
        this.#search = search;
    }
    get problem() {
        const [first] = this.#errors;
        if (this.#obstacle !== undefined || first === undefined) {
            return this.#obstacle;
        }
        const worst = this.#errors.find(({ name, error }) => !(0,github_client.isRefusal)(error) || this.#answered.has(name));
        if (worst === undefined) {
            return { failure: 'not-permitted', detail: first.error.message };
        }
        const { httpStatus, message } = worst.error;
        return { failure: httpStatus === 401 ? 'bad-token' : 'incomplete', detail: message };
    }
    async *findAll() {
        const { open, github, tag } = this.#search;
        const { runId, runAttempt, workflowFile, checkRunId } = github;
        let client;
        try {
            if (runId === undefined || (tag !== undefined && workflowFile === undefined)) {
                throw new get/* GitHubError */.y(`${runId === undefined ? 'GITHUB_RUN_ID' : 'GITHUB_WORKFLOW_REF'} is not set`);
            }
            client = await open();
        }
        catch (error) {
            this.#obstacle = { failure: 'impossible', detail: (0,github_client.getGitHubError)(error).message };
            return;
        }
        const name = checkRunId === undefined ? undefined : await readJobName(client, checkRunId).catch(() => undefined);
        yield* this.#findInRun(client, name, { runId, newestAttempt: runAttempt - 1, mayStartJob: false });
        if (tag === undefined) {
            return;
        }
        for (const { id, run_attempt: newest, status } of await this.#listOtherRuns(client, tag)) {
            const mayBeFirst = id < runId || runAttempt > 1;
            yield* this.#findInRun(client, name, {
                runId: id,
                newestAttempt: Math.max(1, newest),
                mayStartJob: status !== 'completed' && mayBeFirst,
            });
        }
    }
    #keep(name, { items, isAnswered, error }) {
        if (isAnswered) {
            this.#answered.add(name);
        }
        if (error !== undefined) {
            this.#errors.push({ name, error });
        }
        return items;
    }
    async *#findInRun(client, name, { runId, newestAttempt, mayStartJob }) {
        for (let attempt = newestAttempt; attempt >= 1; attempt -= 1) {
            const jobs = this.#keep('jobs', await listJobs(client, runId, attempt));
            const ran = jobs.filter(({ conclusion }) => conclusion !== 'skipped');
            const named = ran.filter((job) => job.name === name);
            const hasEnded = named.length > 0 && named.every((job) => job.status === 'completed');
            if (mayStartJob && attempt === newestAttempt && !hasEnded) {
                const detail = `run ${runId} of this workflow is in progress`;
                this.#obstacle ??= { failure: 'run-in-progress', detail };
            }
            const unread = (named.length > 0 ? named : ran)
                .filter(({ id }) => !this.#seen.has(id))
                .sort((a, b) => parseTime(b.started_at) - parseTime(a.started_at) || b.id - a.id);
            for (let index = 0; index < unread.length; index += BATCH_SIZE) {
                const batch = unread.slice(index, index + BATCH_SIZE);
                const read = await Promise.all(batch.map(async (job) => ({ job, list: await listAnnotations(client, job.id) })));
                for (const { job, list } of read) {
                    this.#seen.add(job.id);
                    yield* this.#readRecords(this.#keep('annotations', list), runId, attempt, job);
                }
            }
        }
    }
    *#readRecords(annotations, ownRun, listedIn, { run_attempt: ownAttempt = listedIn }) {
        const { github, fingerprint } = this.#search;
        const { serverUrl, repository } = github;
        for (const annotation of annotations) {
            const marker = (0,job_marker/* parseAnnotation */.fr)(annotation, fingerprint);
            if (marker === 'unreadable') {
                const detail = `the record of run ${ownRun}, attempt ${ownAttempt}, is masked or broken`;
                this.#obstacle = { failure: 'unreadable-record', detail };
            }
            else if (marker !== undefined) {
                const own = { jobId: undefined, runId: ownRun, attempt: ownAttempt };
                const { jobId, runId = ownRun, attempt } = marker === 'unknown' ? own : marker;
                const page = `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
                const isOtherRun = runId !== github.runId;
                yield { jobId, runId, attempt, page, isOtherRun };
            }
        }
    }
    async #listOtherRuns(client, tag) {
        const { workflowFile = '', refName = tag, runId } = this.#search.github;
        const since = new Date(Date.now() - MAX_AGE_MS);
        const runs = new Map();
        for (const branch of new Set([tag, refName])) {
            for (const run of this.#keep('runs', await listRuns(client, workflowFile, branch, since))) {
                if (run.id !== runId && (run.head_branch ?? branch) === branch) {
                    runs.set(run.id, run);
                }
            }
        }
        return [...runs.values()].sort((a, b) => b.id - a.id);
    }
}
function parseTime(time) {
    return Date.parse(time ?? '');
}

;// CONCATENATED MODULE: ./build/plan/earlier-job.js



const SEARCH_TIMEOUT_MS = 20_000;
const READ_TIMEOUT_MS = 5_000;
const LOOK_TIMEOUT_MS = 10_000;
const GONE_AFTER_MS = 60_000;
const LOOK_PAUSE_MS = 10_000;
async function findEarlierJob(fingerprint, tag, dryRun, dependencies, context) {
    const { github, openGitHub, reporter } = dependencies;
    const limits = {
        timeoutMs: Math.min(SEARCH_TIMEOUT_MS, (0,build_clock/* getRemainingMs */.H)(context) / 2),
        requestTimeoutMs: READ_TIMEOUT_MS,
        signal: context.cancel,
    };
    const search = new RecordSearch({ open: () => openGitHub(limits), github, fingerprint, tag });
    const { jobs, unknown } = await readRecords(search, dependencies, context);
    const usable = jobs.find(({ state }) => state === 'usable')?.record;
    if (usable !== undefined) {
        const waiting = dryRun ? (0,message/* message */.iU) `a real run would wait for job` : (0,message/* message */.iU) `waiting for job`;
        reporter.onNote((0,message/* message */.iU) `${waiting} ${usable.jobId}, which ${nameAttempt(usable)} started`);
        return { kind: 'found', record: usable };
    }
    if (context.cancel.aborted) {
        return { outcome: 'cancelled', code: 'cancelled' };
    }
    const elsewhere = unknown.find(({ isOtherRun }) => isOtherRun);
    if (elsewhere !== undefined) {
        return { outcome: 'start-unknown', code: 'start-unknown', record: elsewhere };
    }
    const { problem } = search;
    const mayGoOn = problem?.failure === 'not-permitted' || problem?.failure === 'impossible';
    if (problem !== undefined && (tag !== undefined || !mayGoOn)) {
        return { outcome: 'not-started', code: 'reuse-unknown', ...problem };
    }
    const { reason, warning } = explainStart(problem, unknown[0], jobs[0]);
    const starting = dryRun ? (0,message/* message */.iU) `a real run would start a new job` : (0,message/* message */.iU) `no job to wait for`;
    reporter.onNote((0,message/* message */.iU) `${starting}: ${reason}`);
    if (warning !== undefined && !dryRun) {
        reporter.onWarning(warning);
    }
    return { kind: 'none', reason, mayBeSecond: warning !== undefined };
}
function explainStart(problem, lost, ended) {
    if (problem !== undefined) {
        const without = (0,message/* message */.iU) ` without ${(0,message/* code */.aY)('actions: read')} and ${(0,message/* code */.aY)('checks: read')}`;
        const failed = (0,message/* message */.iU) `can't be read${problem.failure === 'not-permitted' ? without : ''} (${problem.detail})`;
        return {
            reason: (0,message/* message */.iU) `jobs of earlier attempts ${failed}`,
            warning: (0,message/* message */.iU) `An earlier attempt may have started an agent job, but its record ${failed}.`,
        };
    }
    if (lost !== undefined) {
        return {
            reason: (0,message/* message */.iU) `${nameAttempt(lost)} may have started one, but its response was lost`,
            warning: (0,message/* message */.iU) `Attempt ${String(lost.attempt)} may have started an agent job: its request was sent, but the response was lost. This attempt does not wait for that job.`,
        };
    }
    if (ended === undefined) {
        return { reason: (0,message/* message */.iU) `no earlier job was recorded`, warning: undefined };
    }
    const { record, state } = ended;
    const end = state === 'failed' ? (0,message/* message */.iU) `failed` : (0,message/* message */.iU) `is gone`;
    const reason = (0,message/* message */.iU) `job ${record.jobId}, which ${nameAttempt(record)} started, ${end}`;
    return { reason, warning: undefined };
}
function nameAttempt({ attempt, page, isOtherRun }) {
    const name = (0,message/* message */.iU) `attempt ${String(attempt)}`;
    return isOtherRun ? (0,message/* message */.iU) `${name} of another run (${(0,message/* link */.nf)(page)})` : name;
}
async function readRecords(search, dependencies, context) {
    const jobs = new Map();
    const unknown = [];
    const started = [];
    for await (const record of search.findAll()) {
        const { jobId } = record;
        if (jobId === undefined) {
            unknown.push(record);
            continue;
        }
        started.push(record);
        if (!jobs.has(jobId)) {
            const state = await lookAtJob(jobId, dependencies.agent, context);
            jobs.set(jobId, { record: { ...record, jobId }, state });
            if (state === 'usable') {
                break;
            }
        }
    }
    const found = [...jobs.values()];
    if (!found.some(({ state }) => state === 'usable')) {
        await Promise.all(found.map((job) => lookAgain(job, dependencies, context)));
    }
    const isOpen = ({ runId, attempt }) => !started.some((later) => later.runId === runId && later.attempt > attempt);
    return { jobs: found, unknown: unknown.filter(isOpen) };
}
async function lookAgain(job, { agent, reporter }, context) {
    const { clock, cancel } = context;
    const goneFrom = clock.now() + GONE_AFTER_MS;
    const lookUntil = Math.min(goneFrom, clock.now() + (0,build_clock/* getRemainingMs */.H)(context) / 2);
    if (job.state === 'gone') {
        reporter.onNote((0,message/* message */.iU) `job ${job.record.jobId} was not found; looking again for up to a minute`);
    }
    while (job.state === 'gone' && clock.now() < goneFrom) {
        const leftMs = lookUntil - clock.now();
        if (leftMs <= 0 || cancel.aborted) {
            job.state = 'usable';
            return;
        }
        await clock.sleep(Math.min(LOOK_PAUSE_MS, leftMs), cancel);
        job.state = await lookAtJob(job.record.jobId, agent, context);
    }
}
async function lookAtJob(jobId, agent, context) {
    const timeoutMs = Math.ceil(Math.max(1, Math.min(LOOK_TIMEOUT_MS, (0,build_clock/* getRemainingMs */.H)(context))));
    const result = await agent.getJob(jobId, { timeoutMs, signal: context.cancel });
    if (result.kind !== 'response') {
        return 'usable';
    }
    if ((result.httpStatus === 404 || result.httpStatus === 410) && result.hasErrorBody) {
        return 'gone';
    }
    return result.job?.status === 'failed' ? 'failed' : 'usable';
}


/***/ })

};
;