"use strict";
exports.id = 41;
exports.ids = [41];
exports.modules = {

/***/ 9376:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LX: () => (/* binding */ createGitHubClient),
/* harmony export */   gj: () => (/* binding */ isPermissionError),
/* harmony export */   o0: () => (/* binding */ getGitHubError),
/* harmony export */   y_: () => (/* binding */ GitHubError)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3929);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9984);
/* harmony import */ var _http_proxy_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7038);
/* harmony import */ var _http_request_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6196);
/* harmony import */ var _http_retry_after_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(797);





class GitHubError extends Error {
    name = 'GitHubError';
    httpStatus;
    exhausted;
    constructor(message, httpStatus, exhausted) {
        super(message);
        this.httpStatus = httpStatus;
        this.exhausted = exhausted;
    }
}
const USER_AGENT = 'docs-agent-action';
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_RETRIES = 4;
const MAX_REDIRECTS = 3;
function createGitHubClient({ apiUrl, token }, limits) {
    if (token === undefined) {
        throw new GitHubError('`github-token` is empty');
    }
    if (apiUrl === undefined) {
        throw new GitHubError('GITHUB_API_URL is not an https address');
    }
    const root = apiUrl.href.replace(/\/+$/, '');
    const get = createGet(apiUrl, token, limits);
    return {
        async getJson(path) {
            const { body } = await get(`${root}${path}`, 'application/vnd.github+json');
            return JSON.parse(body.toString());
        },
        async loadOctokit() {
            const toolkit = await __webpack_require__.e(/* import() */ 157).then(__webpack_require__.bind(__webpack_require__, 157));
            const silence = () => { };
            return toolkit.getOctokit(token, {
                baseUrl: root,
                userAgent: USER_AGENT,
                log: { debug: silence, info: silence, warn: silence, error: silence },
                request: {
                    fetch: async (address, { headers }) => toFetchResponse(await get(address, headers['accept'] ?? '*/*')),
                },
            });
        },
    };
}
function getGitHubError(error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return cause instanceof GitHubError ? cause : new GitHubError((0,_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .getErrorText */ .ER)(error));
}
function isPermissionError({ httpStatus, exhausted }) {
    return (httpStatus === 403 || httpStatus === 404) && exhausted === undefined;
}
function createGet(apiUrl, token, limits) {
    const { requestTimeoutMs = REQUEST_TIMEOUT_MS, maxRequests, signal } = limits;
    const deadline = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + limits.timeoutMs;
    const proxy = (0,_http_proxy_js__WEBPACK_IMPORTED_MODULE_2__/* .readProxy */ .n)(apiUrl);
    let requests = 0;
    return async (address, accept) => {
        const headers = { accept, authorization: `Bearer ${token}`, 'user-agent': USER_AGENT };
        const retryDeadline = (_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + deadline) / 2;
        let url = new URL(address);
        let retries = 0;
        let redirects = 0;
        for (;;) {
            const remainingMs = Math.ceil(deadline - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now());
            requests += 1;
            if (url.origin !== apiUrl.origin) {
                throw new GitHubError('the API redirects to another host');
            }
            if (remainingMs <= 0) {
                throw new GitHubError('there was not enough time', undefined, 'client-limits');
            }
            if (requests > maxRequests) {
                throw new GitHubError('it takes too many requests', undefined, 'client-limits');
            }
            const result = await (0,_http_request_js__WEBPACK_IMPORTED_MODULE_3__/* .sendRequest */ .w)({
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
            const retryAt = signal.aborted ? undefined : getRetryTime(result, retries, retryDeadline, deadline);
            if (location !== undefined && redirects < MAX_REDIRECTS) {
                url = location;
                redirects += 1;
            }
            else if (retryAt !== undefined) {
                retries += 1;
                await _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.sleep(retryAt - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now(), signal);
            }
            else {
                return expectSuccess(result);
            }
        }
    };
}
function getRedirect(result, url) {
    if (result.kind !== 'response' || ![301, 302, 307, 308].includes(result.response.httpStatus)) {
        return undefined;
    }
    const location = result.response.header('location') ?? '';
    return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}
function getRetryTime(result, retries, retryDeadline, deadline) {
    const now = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now();
    const backOffMs = FIRST_RETRY_DELAY_MS * 2 ** retries;
    if (result.kind === 'response' && isRateLimited(result.response)) {
        const delayMs = getRateLimitDelay(result.response);
        const at = now + Math.max(backOffMs, delayMs ?? Number.POSITIVE_INFINITY);
        return at < deadline ? at : undefined;
    }
    const isTransient = result.kind !== 'response' || result.response.httpStatus >= 500;
    const at = now + backOffMs;
    return isTransient && retries < MAX_RETRIES && at < retryDeadline ? at : undefined;
}
function isRateLimited({ httpStatus, header, body }) {
    return (httpStatus === 429 ||
        (httpStatus === 403 &&
            (header('retry-after') !== undefined ||
                header('x-ratelimit-remaining') === '0' ||
                /\brate limit\b/i.test(readMessage(body) ?? ''))));
}
function getRateLimitDelay({ header }) {
    const date = header('date');
    const retryAfterMs = (0,_http_retry_after_js__WEBPACK_IMPORTED_MODULE_4__/* .parseRetryAfter */ .m)(header('retry-after'), date);
    if (retryAfterMs !== undefined || header('x-ratelimit-remaining') !== '0') {
        return retryAfterMs;
    }
    const delayMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
    return Number.isNaN(delayMs) ? undefined : delayMs;
}
function expectSuccess(result) {
    if (result.kind !== 'response') {
        throw new GitHubError(result.detail);
    }
    const { response } = result;
    const { httpStatus, body } = response;
    if (httpStatus < 200 || httpStatus >= 300) {
        const isRateLimit = isRateLimited(response);
        throw new GitHubError(describeFailure(httpStatus, body, isRateLimit), httpStatus, isRateLimit ? 'rate-limit' : undefined);
    }
    if (body === undefined) {
        throw new GitHubError('the response is compressed or larger than 16 MiB');
    }
    return { ...response, body };
}
function describeFailure(httpStatus, body, isRateLimit) {
    const reason = isRateLimit ? 'rate limit exceeded' : readMessage(body);
    return reason === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${reason}`;
}
function readMessage(body) {
    try {
        const reply = JSON.parse(body?.toString() ?? '');
        return typeof reply.message === 'string' ? reply.message : undefined;
    }
    catch {
        return undefined;
    }
}
function toFetchResponse({ httpStatus, header, body }) {
    const headers = new Headers();
    for (const name of ['content-type', 'link']) {
        headers.set(name, header(name) ?? '');
    }
    return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}


/***/ }),

/***/ 41:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  findReusableJob: () => (/* binding */ findReusableJob)
});

// EXTERNAL MODULE: ./build/github/client.js
var client = __webpack_require__(9376);
// EXTERNAL MODULE: ./build/plan/job-marker.js
var job_marker = __webpack_require__(8367);
;// CONCATENATED MODULE: ./build/plan/job-records.js


async function searchJobRecords(search, visit) {
    let records;
    try {
        records = await RecordSearch.open(search);
    }
    catch (error) {
        return { kind: 'failed', failure: 'impossible', error: (0,client/* getGitHubError */.o0)(error) };
    }
    for await (const record of records.findAll()) {
        if (await visit(record)) {
            return { kind: 'stopped' };
        }
    }
    return records.end;
}
const BATCH_SIZE = 6;
const MAX_PAGES = 50;
const MAX_RUNS = 30;
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;
const MAX_STRANGERS = 2 * BATCH_SIZE;
class RecordSearch {
    #search;
    #reader;
    #runId;
    #read = new Set();
    #errors = [];
    constructor(search, reader, runId) {
        this.#search = search;
        this.#reader = reader;
        this.#runId = runId;
    }
    static async open(search) {
        const { openReader, context, limits, tag } = search;
        if (context.runId === undefined) {
            throw new client/* GitHubError */.y_('GITHUB_RUN_ID is not set');
        }
        if (tag !== undefined && context.workflowFile === undefined) {
            throw new client/* GitHubError */.y_('GITHUB_WORKFLOW_REF is not set');
        }
        return new RecordSearch(search, await openReader(context, limits), context.runId);
    }
    get end() {
        const [first] = this.#errors;
        if (first === undefined) {
            return { kind: 'complete' };
        }
        const worst = this.#errors.find((error) => !(0,client/* isPermissionError */.gj)(error));
        if (worst === undefined) {
            return { kind: 'failed', failure: 'not-permitted', error: first };
        }
        const failure = worst.httpStatus === 401 ? 'bad-token' : 'incomplete';
        return { kind: 'failed', failure, error: worst };
    }
    async *findAll() {
        const { tag, context } = this.#search;
        const name = await this.#readOwnName();
        yield* this.#findInAttempts(this.#runId, context.runAttempt - 1, name);
        if (tag !== undefined) {
            for (const { id, newestAttempt } of await this.#listOtherRuns(tag)) {
                yield* this.#findInAttempts(id, newestAttempt, name);
            }
        }
    }
    async #try(read) {
        try {
            return await read();
        }
        catch (error) {
            this.#errors.push((0,client/* getGitHubError */.o0)(error));
            return undefined;
        }
    }
    #isOver() {
        return (this.#search.limits.signal.aborted || this.#errors.some(({ exhausted }) => exhausted !== undefined));
    }
    async #readPages(readPage) {
        const items = [];
        for (let page = 1, pages = 1; page <= pages && !this.#isOver(); page += 1) {
            const found = await this.#try(() => readPage(page));
            items.push(...(found?.items ?? []));
            pages = Math.min(found?.pages ?? pages, MAX_PAGES);
        }
        return items;
    }
    async #readOwnName() {
        const { checkRunId } = this.#search.context;
        try {
            return checkRunId === undefined ? undefined : await this.#reader.readJobName(checkRunId);
        }
        catch {
            return undefined;
        }
    }
    async *#findInAttempts(runId, newest, name) {
        const { workflowJob } = this.#search.context;
        for (let attempt = newest; attempt >= 1 && !this.#isOver(); attempt -= 1) {
            const jobs = await this.#readPages((page) => this.#reader.listJobs(runId, attempt, page));
            const unread = selectJobs(jobs, name, workflowJob).filter(({ id }) => !this.#read.has(id));
            for (let index = 0; index < unread.length && !this.#isOver(); index += BATCH_SIZE) {
                const batch = unread.slice(index, index + BATCH_SIZE);
                const notices = await Promise.all(batch.map(({ id }) => this.#readPages((page) => this.#reader.listNotices(id, page))));
                for (const [position, job] of batch.entries()) {
                    this.#read.add(job.id);
                    const leftBy = { runId, attempt: Math.min(job.attempt ?? attempt, attempt) };
                    yield* this.#parseRecords(notices[position] ?? [], leftBy);
                }
            }
        }
    }
    *#parseRecords(notices, leftBy) {
        const { serverUrl, repository } = this.#search.context;
        for (const notice of notices) {
            const marker = (0,job_marker/* parseMarker */.gY)(notice, this.#search.fingerprint);
            if (marker !== undefined) {
                const { runId = leftBy.runId, attempt } = marker.kind === 'id' ? marker.startedBy : leftBy;
                const page = `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
                yield { jobId: marker.kind === 'id' ? marker.jobId : undefined, runId, attempt, page, leftBy };
            }
        }
    }
    async #listOtherRuns(tag) {
        const { workflowFile = '', refName = tag } = this.#search.context;
        const query = { since: new Date(Date.now() - MAX_AGE_MS), count: MAX_RUNS };
        const branches = [...new Set([tag, refName])];
        const lists = await Promise.all(branches.map((branch) => this.#try(() => this.#reader.listRuns(workflowFile, branch, query))));
        return lists
            .flatMap((runs) => runs ?? [])
            .filter(({ id, branch }) => id !== this.#runId && branches.includes(branch ?? ''))
            .sort((a, b) => b.createdAt - a.createdAt)
            .slice(0, MAX_RUNS);
    }
}
function selectJobs(jobs, name, key) {
    const isSameKey = (job) => job.name === key || job.name.startsWith(`${key} (`) || job.name.endsWith(` / ${key}`);
    const ran = (selected) => selected.filter(({ isSkipped }) => !isSkipped).sort((a, b) => b.startedAt - a.startedAt || b.id - a.id);
    const likely = jobs.filter(isSameKey);
    if (name === undefined) {
        return [...ran(likely), ...ran(jobs.filter((job) => !isSameKey(job)))];
    }
    const named = jobs.filter((job) => job.name === name);
    if (named.length > 0) {
        return ran(named);
    }
    return likely.length > 0 ? ran(likely) : ran(jobs).slice(0, MAX_STRANGERS);
}

;// CONCATENATED MODULE: ./build/plan/earlier-job.js

const SEARCH_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_REQUESTS = 300;
const GET_TIMEOUT_MS = 10_000;
const NOT_FOUND_LOOKS = 3;
const NOT_FOUND_PAUSE_MS = 2_000;
async function findReusableJob(options) {
    const { github, agent, context, tag } = options;
    const { jobs, unknown, end } = await findRecords(options);
    const usable = jobs.find(({ state }) => state === 'usable');
    if (usable !== undefined) {
        return { kind: 'attach', record: usable.record };
    }
    if (agent !== undefined) {
        await lookAgain(jobs, agent, context);
    }
    const found = jobs.find(({ state }) => state === 'usable');
    if (found !== undefined) {
        return { kind: 'attach', record: found.record };
    }
    const elsewhere = unknown.find(({ runId }) => runId !== github.runId);
    if (elsewhere !== undefined) {
        return { kind: 'unknown', record: elsewhere };
    }
    if (end.kind === 'failed') {
        const { failure, error } = end;
        return tag === undefined && (failure === 'not-permitted' || failure === 'impossible')
            ? { kind: 'create-unsearched', failure, error }
            : { kind: 'unsearched', failure, error };
    }
    const [own] = unknown;
    if (own !== undefined) {
        return { kind: 'create-after-unknown', record: own };
    }
    const [ended] = jobs;
    return {
        kind: 'create',
        ended: ended && { ...ended.record, ending: ended.state === 'failed' ? 'failed' : 'gone' },
    };
}
async function findRecords({ openReader, github, fingerprint, tag, agent, context }) {
    const limits = {
        timeoutMs: Math.min(SEARCH_TIMEOUT_MS, getRemaining(context) / 2),
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
        maxRequests: MAX_REQUESTS,
        signal: context.cancel,
    };
    const jobs = new Map();
    const unknown = [];
    const newestKnown = new Map();
    const search = { openReader, context: github, fingerprint, tag, limits };
    const end = await searchJobRecords(search, async (record) => {
        const { jobId, leftBy } = record;
        if (jobId === undefined) {
            unknown.push(record);
            return false;
        }
        newestKnown.set(leftBy.runId, Math.max(leftBy.attempt, newestKnown.get(leftBy.runId) ?? 0));
        if (jobs.has(jobId)) {
            return false;
        }
        const state = agent === undefined ? 'usable' : await lookAtJob(jobId, agent, context);
        jobs.set(jobId, { record: { ...record, jobId }, state });
        return state === 'usable';
    });
    const isOpen = ({ leftBy }) => leftBy.attempt >= (newestKnown.get(leftBy.runId) ?? 0);
    return { jobs: [...jobs.values()], unknown: unknown.filter(isOpen), end };
}
async function lookAgain(jobs, agent, context) {
    for (let look = 2; look <= NOT_FOUND_LOOKS; look += 1) {
        const missing = jobs.filter(({ state }) => state === 'not-found');
        if (missing.length === 0) {
            return;
        }
        await context.clock.sleep(Math.min(NOT_FOUND_PAUSE_MS, getRemaining(context) / 4), context.cancel);
        await Promise.all(missing.map(async (job) => {
            job.state = await lookAtJob(job.record.jobId, agent, context);
        }));
    }
}
async function lookAtJob(jobId, agent, context) {
    const timeoutMs = Math.ceil(Math.max(1, Math.min(GET_TIMEOUT_MS, getRemaining(context))));
    const result = await agent.getJob(jobId, { timeoutMs, signal: context.cancel });
    if (result.kind !== 'response') {
        return 'usable';
    }
    if (result.httpStatus === 404 || result.httpStatus === 410) {
        return 'not-found';
    }
    return result.job?.status === 'failed' ? 'failed' : 'usable';
}
function getRemaining({ deadline, clock }) {
    return deadline - clock.now();
}


/***/ })

};
;