"use strict";
exports.id = 651;
exports.ids = [651];
exports.modules = {

/***/ 9376:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Nd: () => (/* binding */ openApi),
/* harmony export */   Tt: () => (/* binding */ getJson),
/* harmony export */   _O: () => (/* binding */ USER_AGENT)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3929);
/* harmony import */ var _http_proxy_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7038);
/* harmony import */ var _http_request_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7868);



/** The name that requests give. */
const USER_AGENT = 'docs-agent-action';
const REQUEST_LIMIT_MS = 10_000;
const BODY_LIMIT = 16 * 1024 * 1024;
const RETRY_PAUSE_MS = 300;
const MAX_REDIRECTS = 3;
/**
 * The way to the API. Requests go through `exchange`, so that the token goes to the API's origin alone, wherever
 * that redirects to, and nothing outlasts the limits. Throws where there is no token or no API that it may be
 * sent to.
 */
function openApi({ apiUrl, token }, limits) {
    if (token === undefined) {
        throw new Error('`github-token` is empty');
    }
    if (apiUrl === undefined) {
        throw new Error('GITHUB_API_URL is not an https address');
    }
    const deadline = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + limits.timeoutMs;
    return {
        root: apiUrl.href.replace(/\/+$/, ''),
        token,
        get: createGet(apiUrl, (0,_http_proxy_js__WEBPACK_IMPORTED_MODULE_1__/* .readProxy */ .n)(apiUrl), deadline, limits),
    };
}
/**
 * What the API answers at a path, which begins with a slash. For the few reads that every run makes; Octokit,
 * which has a method for each endpoint, takes longer to load than they take. Throws where it is not a success.
 */
async function getJson({ root, token, get }, path) {
    const { httpStatus, body } = await get(`${root}${path}`, {
        accept: 'application/vnd.github+json',
        authorization: `token ${token}`,
        'user-agent': USER_AGENT,
    });
    if (httpStatus !== 200) {
        throw new Error(`HTTP ${httpStatus}`);
    }
    return JSON.parse(body.toString());
}
function createGet(apiUrl, proxy, deadline, { maxRequests, signal }) {
    const hasTime = () => deadline - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() > RETRY_PAUSE_MS;
    let requests = 0;
    return async (address, headers) => {
        let url = new URL(address);
        let mayRepeat = true;
        let redirects = 0;
        for (;;) {
            const remainingMs = deadline - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now();
            requests += 1;
            if (url.origin !== apiUrl.origin) {
                throw new Error('the API redirects to another host');
            }
            if (requests > maxRequests || remainingMs <= 0) {
                throw new Error(remainingMs <= 0 ? 'the time for it is over' : 'it takes too many requests');
            }
            const timeoutMs = Math.min(REQUEST_LIMIT_MS, remainingMs);
            const http = { method: 'GET', url, headers, body: undefined, maxBodyBytes: BODY_LIMIT };
            const outcome = await (0,_http_request_js__WEBPACK_IMPORTED_MODULE_2__/* .sendRequest */ .w)({ ...http, proxy, timeoutMs, signal });
            const next = toRedirect(outcome, url);
            if (next !== undefined && redirects < MAX_REDIRECTS) {
                url = next;
                redirects += 1;
            }
            else if (mayRepeat && isPassing(outcome) && !signal.aborted && hasTime()) {
                mayRepeat = false;
                await _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.sleep(RETRY_PAUSE_MS, signal);
            }
            else {
                return toAnswer(outcome);
            }
        }
    };
}
function toRedirect(outcome, url) {
    if (outcome.kind !== 'response' || ![301, 302, 307, 308].includes(outcome.response.httpStatus)) {
        return undefined;
    }
    const location = outcome.response.header('location') ?? '';
    return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}
function isPassing(outcome) {
    return outcome.kind !== 'response' || outcome.response.httpStatus >= 500;
}
function toAnswer(outcome) {
    if (outcome.kind !== 'response') {
        throw new Error(outcome.detail);
    }
    const { httpStatus, header, body } = outcome.response;
    if (body === undefined) {
        throw new Error('the answer is compressed or larger than 16 MiB');
    }
    if (httpStatus >= 300 && httpStatus < 400) {
        throw new Error(`the API redirects to nowhere (HTTP ${httpStatus})`);
    }
    return { httpStatus, header, body };
}


/***/ }),

/***/ 9086:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   c4: () => (/* binding */ isNotFound),
/* harmony export */   gg: () => (/* binding */ describeApiError),
/* harmony export */   mV: () => (/* binding */ loadOctokit)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9984);
/* harmony import */ var _client_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9376);


/**
 * A client of the REST API of the workflow's host, which only reads. The toolkit is loaded here, when it is
 * first needed: it takes longer to load than everything before the create together. Throws as `openApi` does.
 */
async function loadOctokit(context, limits) {
    const { root, token, get } = (0,_client_js__WEBPACK_IMPORTED_MODULE_1__/* .openApi */ .Nd)(context, limits);
    const toolkit = await __webpack_require__.e(/* import() */ 413).then(__webpack_require__.bind(__webpack_require__, 2413));
    const silence = () => { };
    return toolkit.getOctokit(token, {
        baseUrl: root,
        userAgent: _client_js__WEBPACK_IMPORTED_MODULE_1__/* .USER_AGENT */ ._O,
        log: { debug: silence, info: silence, warn: silence, error: silence },
        request: {
            fetch: async (address, { headers }) => toResponse(await get(address, headers)),
        },
    });
}
function toResponse({ httpStatus, header, body }) {
    const headers = new Headers();
    for (const name of ['content-type', 'link']) {
        headers.set(name, header(name) ?? '');
    }
    return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}
/** Why a request failed, in a few words; holds text of the API, so it is sanitized before it is shown. */
function describeApiError(error) {
    const status = readHttpStatus(error);
    const text = (0,_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .toErrorText */ .x_)(error).replace(/ - https?:\S+$/, '');
    return status === undefined ? text : `HTTP ${status}: ${text}`;
}
/** True where the API answered that there is no such thing, or none that the token may see. */
function isNotFound(error) {
    return readHttpStatus(error) === 404;
}
/** The status that the API answered; Octokit's errors have one also where it did not answer. */
function readHttpStatus(error) {
    const response = error instanceof Error && 'response' in error ? error.response : undefined;
    const isAnswer = typeof response === 'object' && response !== null && 'status' in response;
    return isAnswer && typeof response.status === 'number' ? response.status : undefined;
}


/***/ }),

/***/ 8651:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   findReusableJob: () => (/* binding */ findReusableJob)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3929);
/* harmony import */ var _job_annotation_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5564);
/* harmony import */ var _octokit_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9086);



const LIMITS = { timeoutMs: 20_000, maxRequests: 120 };
const GET_LIMIT_MS = 10_000;
const PAGE = 100;
const MAX_ATTEMPTS = 10;
const MAX_CANDIDATES = 20;
const BATCH = 6;
/**
 * Looks for a job that an earlier attempt of this workflow run started with the same fingerprint, and asks the
 * service about it: the newest that is neither failed nor gone is to be waited for. One that the service can
 * say nothing about just now is taken, too, rather than paid for twice. Never throws.
 */
async function findReusableJob({ context, fingerprint, api, limits }) {
    const timeoutMs = Math.min(LIMITS.timeoutMs, limits.timeoutMs);
    const deadline = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + timeoutMs;
    let refusal;
    let unclear;
    const seen = new Set();
    try {
        for await (const candidate of findCandidates(context, fingerprint, { ...LIMITS, ...limits, timeoutMs })) {
            if (seen.has(candidate.jobId)) {
                continue;
            }
            seen.add(candidate.jobId);
            const remainingMs = Math.max(1, deadline - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now());
            const look = await api.getJob(candidate.jobId, {
                timeoutMs: Math.min(GET_LIMIT_MS, remainingMs),
                signal: limits.signal,
            });
            const state = judge(look);
            if (state === 'usable') {
                return toReused(context, candidate);
            }
            if (state === 'unclear') {
                unclear ??= candidate;
            }
            refusal ??= `the job of attempt ${candidate.attempt} ${state === 'failed' ? 'failed' : 'is gone'}`;
            if (seen.size === MAX_CANDIDATES) {
                break;
            }
        }
    }
    catch (error) {
        refusal ??= `earlier attempts could not be searched (${(0,_octokit_js__WEBPACK_IMPORTED_MODULE_2__/* .describeApiError */ .gg)(error)}); this needs the permissions actions: read and checks: read`;
    }
    return unclear === undefined
        ? { kind: 'created', reason: refusal ?? 'no earlier attempt started it' }
        : toReused(context, unclear);
}
function toReused({ serverUrl, repository, runId }, { jobId, attempt }) {
    const page = `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
    return { kind: 'reused', jobId, attempt, page };
}
/** What one look at a job says of it; an answer that blames the request is as good as "no such job". */
function judge({ evidence, job }) {
    if (job !== undefined) {
        return job.status === 'failed' ? 'failed' : 'usable';
    }
    const status = evidence.kind === 'response' ? evidence.httpStatus : 0;
    const isRefusal = status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);
    return isRefusal ? 'gone' : 'unclear';
}
/** The jobs in the notices of earlier attempts, newest attempt first. Throws where they cannot be read. */
async function* findCandidates(context, fingerprint, limits) {
    const { repository, runId, runAttempt, workflowJob } = context;
    if (repository === undefined || runId === undefined) {
        throw new Error('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
    }
    const octokit = await (0,_octokit_js__WEBPACK_IMPORTED_MODULE_2__/* .loadOctokit */ .mV)(context, limits);
    const read = new Set();
    for (let attempt = runAttempt - 1; attempt >= 1 && attempt >= runAttempt - MAX_ATTEMPTS; attempt -= 1) {
        const listed = await listCheckRuns(octokit, repository, runId, attempt, workflowJob);
        const checkRuns = listed.filter(({ id }) => !read.has(id));
        for (let index = 0; index < checkRuns.length; index += BATCH) {
            const batch = checkRuns.slice(index, index + BATCH);
            const found = await Promise.all(batch.map((run) => readNotices(octokit, repository, run, fingerprint)));
            yield* found.flat();
            for (const { id } of batch) {
                read.add(id);
            }
        }
    }
}
/** Check runs of the workflow jobs of one attempt: those that seem to be of this workflow job first, then the newest. */
async function listCheckRuns(octokit, repository, runId, attempt, workflowJob) {
    const query = { ...repository, run_id: runId, attempt_number: attempt, per_page: PAGE };
    const jobs = [];
    for (let page = 1; page === 1 || jobs.length === (page - 1) * PAGE; page += 1) {
        const { data } = await octokit.rest.actions.listJobsForWorkflowRunAttempt({ ...query, page });
        jobs.push(...data.jobs);
    }
    const rank = ({ name }) => name === workflowJob || name.startsWith(`${workflowJob} (`) || name.endsWith(` / ${workflowJob}`) ? 0 : 1;
    return jobs
        .filter(({ conclusion }) => conclusion !== 'skipped')
        .sort((a, b) => rank(a) - rank(b) || Date.parse(b.started_at) - Date.parse(a.started_at))
        .map(({ check_run_url: url, run_attempt: own = attempt }) => ({
        id: Number(/\/check-runs\/(\d{1,15})$/.exec(url)?.[1]),
        attempt: Math.min(own, attempt),
    }))
        .filter(({ id }) => id > 0);
}
async function readNotices(octokit, repository, { id, attempt }, fingerprint) {
    const query = { ...repository, check_run_id: id, per_page: PAGE };
    const { data } = await octokit.rest.checks.listAnnotations(query);
    return data
        .filter(({ annotation_level: level }) => level === 'notice')
        .map(({ title, message }) => (0,_job_annotation_js__WEBPACK_IMPORTED_MODULE_1__/* .parseJobAnnotation */ .E2)(title, message, fingerprint))
        .filter((jobId) => jobId !== undefined)
        .map((jobId) => ({ jobId, attempt }));
}


/***/ })

};
;