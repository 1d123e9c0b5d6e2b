"use strict";
exports.id = 376;
exports.ids = [376];
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


/***/ })

};
;