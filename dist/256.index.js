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
    const root = apiUrl.href.replace(/\/+$/, '');
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
    const parsed = (0,_text_schema_js__WEBPACK_IMPORTED_MODULE_1__/* .safeParse */ .xL)(schema, await client.get(route, parameters));
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
/* harmony import */ var _http_proxy_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7038);
/* harmony import */ var _http_request_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6196);
/* harmony import */ var _http_retry_after_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(797);
/* harmony import */ var _text_schema_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(967);





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
    const proxy = (0,_http_proxy_js__WEBPACK_IMPORTED_MODULE_1__/* .readProxy */ .n)(apiUrl);
    let requests = 0;
    let obstacle;
    return async (address, accept) => {
        const headers = { accept, authorization: `Bearer ${token}` };
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
            const result = await (0,_http_request_js__WEBPACK_IMPORTED_MODULE_2__/* .sendRequest */ .w)({
                method: 'GET',
                url,
                headers,
                body: undefined,
                maxBodyBytes: MAX_BODY_BYTES,
                proxy,
                isOptional: true,
                timeoutMs: Math.min(requestTimeoutMs, remainingMs),
                signal,
            });
            const location = getRedirect(result, url);
            const limitMs = getRateLimitDelay(result);
            const isTransient = result.kind !== 'response' || result.response.httpStatus >= 500;
            const delayMs = Math.max(FIRST_RETRY_DELAY_MS * 2 ** retries, limitMs ?? 0);
            const retryAt = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + delayMs;
            const isInTime = limitMs === undefined
                ? isTransient && retries < MAX_RETRIES && retryAt < retryDeadline
                : retryAt < deadline;
            if (location !== undefined && retries < MAX_RETRIES) {
                url = location;
                retries += 1;
            }
            else if (isInTime && !signal.aborted) {
                retries += 1;
                await _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.sleep(delayMs, signal);
            }
            else if (limitMs !== undefined || result.kind === 'not-sent') {
                obstacle = new GitHubError(result.kind === 'response' ? 'rate limit exceeded' : result.detail);
            }
            else {
                return expectBody(result);
            }
        }
    };
}
function isBelow({ origin, pathname }, apiUrl) {
    const climbs = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:\/|%2f|%5c|$)/i.test(pathname);
    return (origin === apiUrl.origin && pathname.startsWith(`${apiUrl.pathname.replace(/\/+$/, '')}/`) && !climbs);
}
function getRedirect(result, url) {
    if (result.kind !== 'response' || ![301, 302, 307, 308].includes(result.response.httpStatus)) {
        return undefined;
    }
    const location = result.response.header('location') ?? '';
    return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}
function getRateLimitDelay(result) {
    if (result.kind !== 'response') {
        return undefined;
    }
    const { httpStatus, header, body } = result.response;
    const { message = '', documentation_url: page = '' } = readError(body) ?? {};
    const [date, retryAfter] = [header('date'), header('retry-after')];
    const isUsedUp = header('x-ratelimit-remaining') === '0';
    const isTold = retryAfter !== undefined || isUsedUp || /\brate[ -]limit|\babuse\b/i.test(`${message} ${page}`);
    if (httpStatus !== 429 && !(httpStatus === 403 && isTold)) {
        return undefined;
    }
    const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
    const delayMs = (0,_http_retry_after_js__WEBPACK_IMPORTED_MODULE_4__/* .parseRetryAfter */ .m)(retryAfter, date) ?? (isUsedUp ? resetMs : Number.NaN);
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
const gitHubErrorSchema = (0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ik)({
    message: (0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .string */ .Yj)(),
    documentation_url: (0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lq)((0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .string */ .Yj)()),
    url: (0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lq)((0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .string */ .Yj)()),
});
function readError(body) {
    try {
        return (0,_text_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .safeParse */ .xL)(gitHubErrorSchema, JSON.parse(body?.toString() ?? '')).data;
    }
    catch {
        return undefined;
    }
}


/***/ }),

/***/ 3256:
/***/ (function(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  findEarlierJob: function() { return /* binding */ findEarlierJob; }
});

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
const count = (0,schema/* int */.Wh)().check((0,schema/* nonnegative */.Zn)());
const runs_text = (0,schema/* nullish */.cl)((0,schema/* string */.Yj)());
const jobNameSchema = (0,schema/* object */.Ik)({ name: (0,schema/* string */.Yj)() });
const jobSchema = (0,schema/* object */.Ik)({
    id: (0,schema/* int */.Wh)(),
    name: (0,schema/* string */.Yj)(),
    run_attempt: (0,schema/* optional */.lq)((0,schema/* int */.Wh)()),
    status: runs_text,
    conclusion: runs_text,
    started_at: runs_text,
    completed_at: runs_text,
});
const jobsSchema = (0,schema/* object */.Ik)({ total_count: count, jobs: (0,schema/* array */.YO)(jobSchema) });
const annotationsSchema = (0,schema/* array */.YO)((0,schema/* object */.Ik)({ annotation_level: runs_text, title: runs_text, message: runs_text }));
const runSchema = (0,schema/* object */.Ik)({ id: (0,schema/* int */.Wh)(), run_attempt: (0,schema/* int */.Wh)(), head_branch: runs_text, status: runs_text });
const runsSchema = (0,schema/* object */.Ik)({ total_count: count, workflow_runs: (0,schema/* array */.YO)(runSchema) });
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
    #runId;
    #seen = new Set();
    #answered = new Set();
    #errors = [];
    #obstacle;
    constructor(search) {
        this.#search = search;
        this.#runId = search.context.runId ?? 0;
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
        const { openGitHub, context, tag, limits } = this.#search;
        const { runId, runAttempt, workflowFile, checkRunId } = context;
        let client;
        try {
            if (runId === undefined || (tag !== undefined && workflowFile === undefined)) {
                throw new get/* GitHubError */.y(`${runId === undefined ? 'GITHUB_RUN_ID' : 'GITHUB_WORKFLOW_REF'} is not set`);
            }
            client = await openGitHub(limits);
        }
        catch (error) {
            this.#obstacle = { failure: 'impossible', detail: (0,github_client.getGitHubError)(error).message };
            return;
        }
        const name = checkRunId === undefined ? undefined : await readJobName(client, checkRunId).catch(() => undefined);
        const own = { id: runId, run_attempt: runAttempt - 1, status: 'completed' };
        yield* this.#findInRun(client, own, name);
        for (const run of tag === undefined ? [] : await this.#listOtherRuns(client, tag)) {
            yield* this.#findInRun(client, { ...run, run_attempt: Math.max(1, run.run_attempt) }, name);
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
    async *#findInRun(client, { id: runId, run_attempt: newest, status }, name) {
        for (let attempt = newest; attempt >= 1; attempt -= 1) {
            const jobs = this.#keep('jobs', await listJobs(client, runId, attempt));
            const ran = jobs.filter(({ conclusion }) => conclusion !== 'skipped');
            const named = ran.filter((job) => job.name === name);
            const hasEnded = named.length > 0 && named.every((job) => job.status === 'completed');
            const mayBeFirst = runId < this.#runId || this.#search.context.runAttempt > 1;
            if (status !== 'completed' && mayBeFirst && attempt === newest && !hasEnded) {
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
    *#readRecords(annotations, ownRun, listedIn, { run_attempt: ownAttempt = listedIn, completed_at: endedAt }) {
        const { context, fingerprint } = this.#search;
        const { serverUrl, repository } = context;
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
                const isOtherRun = runId !== this.#runId;
                yield { jobId, runId, attempt, page, isOtherRun, leftBefore: parseTime(endedAt) };
            }
        }
    }
    async #listOtherRuns(client, tag) {
        const { workflowFile = '', refName = tag } = this.#search.context;
        const since = new Date(Date.now() - MAX_AGE_MS);
        const runs = new Map();
        for (const branch of new Set([tag, refName])) {
            for (const run of this.#keep('runs', await listRuns(client, workflowFile, branch, since))) {
                if (run.id !== this.#runId && (run.head_branch ?? branch) === branch) {
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
const GONE_LOOKS = 3;
const GONE_AGE_MS = 60_000;
const LOOK_PAUSE_MS = 2_000;
const LATE_LOOK_PAUSE_MS = 10_000;
async function findEarlierJob(fingerprint, tag, dryRun, { agent, github, openGitHub, reporter }, context) {
    const limits = {
        timeoutMs: Math.min(SEARCH_TIMEOUT_MS, getRemaining(context) / 2),
        requestTimeoutMs: READ_TIMEOUT_MS,
        signal: context.cancel,
    };
    const search = new RecordSearch({ openGitHub, context: github, fingerprint, tag, limits });
    const { jobs, unknown } = await readRecords(search, agent, context);
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
    const [lost] = unknown;
    const { reason, warning } = explainStart(problem, lost, jobs[0]);
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
async function readRecords(search, agent, context) {
    const jobs = new Map();
    const unknown = [];
    const started = [];
    for await (const { leftBefore, ...record } of search.findAll()) {
        const { jobId } = record;
        if (jobId === undefined) {
            unknown.push(record);
            continue;
        }
        started.push(record);
        const known = jobs.get(jobId);
        const job = known ?? {
            record: { ...record, jobId },
            state: await lookAtJob(jobId, agent, context),
            oldFrom: Number.POSITIVE_INFINITY,
        };
        const ageMs = Number.isNaN(leftBefore) ? 0 : Math.max(0, Date.now() - leftBefore);
        job.oldFrom = Math.min(job.oldFrom, context.clock.now() + GONE_AGE_MS - ageMs);
        jobs.set(jobId, job);
        if (job.state === 'usable') {
            break;
        }
    }
    const found = [...jobs.values()];
    if (!found.some(({ state }) => state === 'usable')) {
        await Promise.all(found.map((job) => lookAgain(job, agent, context)));
    }
    const isOpen = ({ runId, attempt }) => !started.some((later) => later.runId === runId && later.attempt > attempt);
    return { jobs: found, unknown: unknown.filter(isOpen) };
}
async function lookAgain(job, agent, context) {
    const { clock, cancel } = context;
    const lookUntil = clock.now() + getRemaining(context) / 2;
    for (let looks = 1; job.state === 'gone' && (looks < GONE_LOOKS || clock.now() < job.oldFrom); looks += 1) {
        const leftMs = lookUntil - clock.now();
        if (leftMs <= 0 || cancel.aborted) {
            job.state = 'usable';
            return;
        }
        await clock.sleep(Math.min(looks < GONE_LOOKS ? LOOK_PAUSE_MS : LATE_LOOK_PAUSE_MS, leftMs), cancel);
        job.state = await lookAtJob(job.record.jobId, agent, context);
    }
}
async function lookAtJob(jobId, agent, context) {
    const timeoutMs = Math.ceil(Math.max(1, Math.min(LOOK_TIMEOUT_MS, getRemaining(context))));
    const result = await agent.getJob(jobId, { timeoutMs, signal: context.cancel });
    if (result.kind !== 'response') {
        return 'usable';
    }
    if ((result.httpStatus === 404 || result.httpStatus === 410) && result.hasErrorBody) {
        return 'gone';
    }
    return result.job?.status === 'failed' ? 'failed' : 'usable';
}
function getRemaining({ deadline, clock }) {
    return deadline - clock.now();
}


/***/ })

};
;