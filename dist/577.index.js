"use strict";
exports.id = 577;
exports.ids = [577];
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

/***/ 7577:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   openRunReader: () => (/* binding */ openRunReader)
/* harmony export */ });
/* harmony import */ var _client_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9376);

const PAGE_SIZE = 100;
const openRunReader = async (context, limits) => {
    const { repository } = context;
    if (repository === undefined) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_0__/* .GitHubError */ .y_('GITHUB_REPOSITORY is not set');
    }
    const { rest } = await (0,_client_js__WEBPACK_IMPORTED_MODULE_0__/* .createGitHubClient */ .LX)(context, limits).loadOctokit();
    return {
        async readJobName(jobId) {
            return (await rest.actions.getJobForWorkflowRun({ ...repository, job_id: jobId })).data.name;
        },
        async listJobs(runId, attempt, page) {
            const { data } = await rest.actions.listJobsForWorkflowRunAttempt({
                ...repository,
                run_id: runId,
                attempt_number: attempt,
                per_page: PAGE_SIZE,
                page,
            });
            const items = expectList(data?.jobs).map((job) => ({
                id: job.id,
                name: String(job.name),
                attempt: job.run_attempt,
                isSkipped: job.conclusion === 'skipped',
                startedAt: Date.parse(job.started_at),
            }));
            return { items, pages: Math.ceil(data.total_count / PAGE_SIZE) };
        },
        async listNotices(jobId, page) {
            const query = { ...repository, check_run_id: jobId, per_page: PAGE_SIZE, page };
            const { data } = await rest.checks.listAnnotations(query);
            const items = expectList(data).flatMap(({ annotation_level: level, message }) => level === 'notice' && message !== null ? [message] : []);
            return { items, pages: data.length < PAGE_SIZE ? page : page + 1 };
        },
        async listRuns(workflowFile, branch, { since, count }) {
            const { data } = await rest.actions.listWorkflowRuns({
                ...repository,
                workflow_id: workflowFile,
                branch,
                created: `>=${since.toISOString().slice(0, 10)}`,
                per_page: count,
            });
            return expectList(data?.workflow_runs).map((run) => ({
                id: run.id,
                newestAttempt: run.run_attempt ?? 1,
                createdAt: Date.parse(run.created_at),
                branch: run.head_branch ?? undefined,
            }));
        },
    };
};
function expectList(list) {
    if (!Array.isArray(list)) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_0__/* .GitHubError */ .y_('the response is not as the API describes it');
    }
    return list;
}


/***/ })

};
;