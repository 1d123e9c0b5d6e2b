"use strict";
exports.id = 636;
exports.ids = [636];
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

/***/ 3636:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readPullRequest: () => (/* binding */ readPullRequest)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__webpack_require__.n(node_crypto__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var _text_sanitize_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3472);
/* harmony import */ var _client_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9376);



const MAX_REQUESTS = 8;
const MAX_FILES = 20;
/**
 * Details of the pull request behind a cleaned link. Throws where it is on another host or cannot be read in time.
 */
async function readPullRequest(context, link, { timeoutMs, signal, redact }) {
    const path = toPath(link, context.serverUrl);
    if (path === undefined) {
        throw new Error('the link is on another host');
    }
    const api = (0,_client_js__WEBPACK_IMPORTED_MODULE_1__/* .openApi */ .Nd)(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal });
    const [pull, files] = await Promise.all([
        (0,_client_js__WEBPACK_IMPORTED_MODULE_1__/* .getJson */ .Tt)(api, path),
        (0,_client_js__WEBPACK_IMPORTED_MODULE_1__/* .getJson */ .Tt)(api, `${path}/files?per_page=${MAX_FILES}`),
    ]);
    if (!isRecord(pull) || !Array.isArray(files)) {
        throw new Error('the answer is no pull request');
    }
    return {
        title: redact(toText(pull['title'])),
        state: toState(pull),
        additions: toCount(pull['additions']),
        deletions: toCount(pull['deletions']),
        changedFiles: toCount(pull['changed_files']),
        files: files
            .filter(isRecord)
            .slice(0, MAX_FILES)
            .map((file) => toFile(file, toPage(link), redact)),
    };
}
function toState(pull) {
    if (pull['merged'] === true) {
        return 'merged';
    }
    if (pull['state'] === 'closed') {
        return 'closed';
    }
    return pull['draft'] === true ? 'draft' : 'open';
}
function toFile(file, page, redact) {
    const path = toText(file['filename']);
    return {
        path: redact(path),
        link: `${page}/files#diff-${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(path).digest('hex')}`,
        additions: toCount(file['additions']),
        deletions: toCount(file['deletions']),
    };
}
function isRecord(value) {
    return typeof value === 'object' && value !== null;
}
function toText(value) {
    if (typeof value !== 'string') {
        throw new Error('the answer lacks a text');
    }
    return value;
}
function toCount(value) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
        throw new Error('the answer lacks a number');
    }
    return value;
}
/** The path of the pull request in the API of its host; undefined where the link is on another one. */
function toPath(link, serverUrl) {
    const url = (0,_text_sanitize_js__WEBPACK_IMPORTED_MODULE_2__/* .parseUrl */ .Dl)(link);
    const number = Number((0,_text_sanitize_js__WEBPACK_IMPORTED_MODULE_2__/* .parsePullRequestNumber */ .XP)(link));
    const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
    return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
        ? undefined
        : `/repos/${owner}/${repo}/pulls/${number}`;
}
/** The page of the pull request itself, where the link names one of its tabs. */
function toPage(link) {
    const { origin, pathname } = new URL(link);
    return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}


/***/ })

};
;