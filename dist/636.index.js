"use strict";
exports.id = 636;
exports.ids = [636];
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

/***/ 3636:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   describeReadFailure: () => (/* binding */ describeReadFailure),
/* harmony export */   readPullRequest: () => (/* binding */ readPullRequest)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__webpack_require__.n(node_crypto__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var _text_link_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2955);
/* harmony import */ var _text_message_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8640);
/* harmony import */ var _client_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9376);




const MAX_REQUESTS = 8;
const MAX_FILES = 20;
async function readPullRequest(context, link, { timeoutMs, signal, redact }) {
    const path = getApiPath(link, context.serverUrl);
    if (path === undefined) {
        return undefined;
    }
    const client = (0,_client_js__WEBPACK_IMPORTED_MODULE_2__/* .createGitHubClient */ .LX)(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal });
    const [pull, files] = await Promise.all([
        client.getJson(path),
        client.getJson(`${path}/files?per_page=${MAX_FILES}`),
    ]);
    if (!isRecord(pull) || !Array.isArray(files)) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y_('the response is not a pull request');
    }
    const page = getPage(link);
    return {
        title: redact(expectText(pull['title'])),
        state: getState(pull),
        additions: expectCount(pull['additions']),
        deletions: expectCount(pull['deletions']),
        changedFiles: expectCount(pull['changed_files']),
        files: files
            .filter(isRecord)
            .slice(0, MAX_FILES)
            .map((file) => toFile(file, page, redact)),
    };
}
function describeReadFailure(error, context, link) {
    const failure = (0,_client_js__WEBPACK_IMPORTED_MODULE_2__/* .getGitHubError */ .o0)(error);
    const reason = (0,_text_message_js__WEBPACK_IMPORTED_MODULE_1__/* .message */ .iU) `(${failure.message})`;
    if (!(0,_client_js__WEBPACK_IMPORTED_MODULE_2__/* .isPermissionError */ .gj)(failure)) {
        return reason;
    }
    const { owner, repo } = context.repository ?? {};
    return link.startsWith(`${context.serverUrl}/${owner}/${repo}/`)
        ? (0,_text_message_js__WEBPACK_IMPORTED_MODULE_1__/* .message */ .iU) `${reason}; this needs ${(0,_text_message_js__WEBPACK_IMPORTED_MODULE_1__/* .code */ .aY)('pull-requests: read')}`
        : (0,_text_message_js__WEBPACK_IMPORTED_MODULE_1__/* .message */ .iU) `${reason}; this needs a ${(0,_text_message_js__WEBPACK_IMPORTED_MODULE_1__/* .code */ .aY)('github-token')} that can read that repository`;
}
function getState(pull) {
    if (pull['merged'] === true) {
        return 'merged';
    }
    if (pull['state'] === 'closed') {
        return 'closed';
    }
    return pull['draft'] === true ? 'draft' : 'open';
}
function toFile(file, page, redact) {
    const path = expectText(file['filename']);
    return {
        path: redact(path),
        link: `${page}/files#diff-${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(path).digest('hex')}`,
        additions: expectCount(file['additions']),
        deletions: expectCount(file['deletions']),
    };
}
function isRecord(value) {
    return typeof value === 'object' && value !== null;
}
function expectText(value) {
    if (typeof value !== 'string') {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y_('the response is not a pull request');
    }
    return value;
}
function expectCount(value) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_2__/* .GitHubError */ .y_('the response is not a pull request');
    }
    return value;
}
function getApiPath(link, serverUrl) {
    const url = (0,_text_link_js__WEBPACK_IMPORTED_MODULE_3__/* .parseUrl */ .Dl)(link);
    const number = Number((0,_text_link_js__WEBPACK_IMPORTED_MODULE_3__/* .parsePullRequestNumber */ .XP)(link));
    const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
    return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
        ? undefined
        : `/repos/${owner}/${repo}/pulls/${number}`;
}
function getPage(link) {
    const { origin, pathname } = new URL(link);
    return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}


/***/ })

};
;