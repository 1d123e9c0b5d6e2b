export const id = 351;
export const ids = [351];
export const modules = {

/***/ 987:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   c4: () => (/* binding */ isNotFound),
/* harmony export */   gg: () => (/* binding */ describeApiError),
/* harmony export */   mV: () => (/* binding */ loadOctokit)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4701);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9473);
/* harmony import */ var _http_exchange_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7994);
/* harmony import */ var _http_proxy_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(7996);




const REQUEST_LIMIT_MS = 10_000;
const BODY_LIMIT = 16 * 1024 * 1024;
const RETRY_PAUSE_MS = 300;
const MAX_REDIRECTS = 3;
/**
 * A client of the REST API of the workflow's host, which only reads. The toolkit is loaded here, when it is
 * first needed: it takes longer to load than everything before the create together. Requests go through
 * `exchange`, so that the token goes to the API's origin alone, wherever that redirects to, and nothing outlasts
 * the limits. Throws where there is no token or no API that it may be sent to.
 */
async function loadOctokit({ apiUrl, token }, limits) {
    if (token === undefined) {
        throw new Error('`github-token` is empty');
    }
    if (apiUrl === undefined) {
        throw new Error('GITHUB_API_URL is not an https address');
    }
    const deadline = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + limits.limitMs;
    const toolkit = await __webpack_require__.e(/* import() */ 413).then(__webpack_require__.bind(__webpack_require__, 2413));
    const silence = () => { };
    return toolkit.getOctokit(token, {
        baseUrl: apiUrl.href.replace(/\/+$/, ''),
        userAgent: 'docs-agent-action',
        log: { debug: silence, info: silence, warn: silence, error: silence },
        request: { fetch: createFetch(apiUrl, (0,_http_proxy_js__WEBPACK_IMPORTED_MODULE_3__/* .readProxy */ .n)(apiUrl), deadline, limits) },
    });
}
/** Why a request failed, in a few words; holds text of the API, so it is neutralised before it is shown. */
function describeApiError(error) {
    const status = readHttpStatus(error);
    const text = (0,_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .toErrorText */ .x_)(error).replace(/ - https?:\S+$/, '');
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
/** What Octokit calls `fetch`: one GET, repeated once after a passing fault, redirected within the origin. */
function createFetch(apiUrl, proxy, deadline, { maxRequests, signal }) {
    let requests = 0;
    return async (address, { headers }) => {
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
            const limitMs = Math.min(REQUEST_LIMIT_MS, remainingMs);
            const http = { method: 'GET', url, headers, body: undefined, bodyLimit: BODY_LIMIT };
            const outcome = await (0,_http_exchange_js__WEBPACK_IMPORTED_MODULE_2__/* .exchange */ .c)({ ...http, proxy, limitMs, signal });
            const next = toRedirect(outcome, url);
            if (next !== undefined && redirects < MAX_REDIRECTS) {
                url = next;
                redirects += 1;
            }
            else if (mayRepeat && isPassing(outcome) && !signal.aborted) {
                mayRepeat = false;
                await _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.sleep(RETRY_PAUSE_MS, signal);
            }
            else {
                return toResponse(outcome);
            }
        }
    };
}
function toRedirect(outcome, url) {
    if (outcome.kind !== 'answered' || ![301, 302, 307, 308].includes(outcome.answer.httpStatus)) {
        return undefined;
    }
    const location = outcome.answer.header('location') ?? '';
    return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}
function isPassing(outcome) {
    return outcome.kind !== 'answered' || outcome.answer.httpStatus >= 500;
}
function toResponse(outcome) {
    if (outcome.kind !== 'answered') {
        throw new Error(outcome.detail);
    }
    const { httpStatus, header, body } = outcome.answer;
    if (body === undefined) {
        throw new Error('the answer is compressed or larger than 16 MiB');
    }
    if (httpStatus >= 300 && httpStatus < 400) {
        throw new Error(`the API redirects to nowhere (HTTP ${httpStatus})`);
    }
    const headers = new Headers();
    for (const name of ['content-type', 'link']) {
        headers.set(name, header(name) ?? '');
    }
    return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}


/***/ }),

/***/ 1351:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readPullRequest: () => (/* binding */ readPullRequest)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(977);
/* harmony import */ var _octokit_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(987);



const LIMITS = { limitMs: 3_000, maxRequests: 8 };
const MAX_FILES = 20;
/**
 * Details of the pull request behind a cleaned link, within three seconds. Throws where it is on another host
 * or cannot be read.
 */
async function readPullRequest(context, link, { signal, redact }) {
    const address = parseAddress(link, context.serverUrl);
    if (address === undefined) {
        throw new Error('the link is on another host');
    }
    const octokit = await (0,_octokit_js__WEBPACK_IMPORTED_MODULE_1__/* .loadOctokit */ .mV)(context, { ...LIMITS, signal });
    const [{ data: pull }, { data: files }] = await Promise.all([
        octokit.rest.pulls.get(address),
        octokit.rest.pulls.listFiles({ ...address, per_page: MAX_FILES }),
    ]);
    return {
        title: redact(pull.title),
        state: pull.merged
            ? 'merged'
            : pull.state === 'closed'
                ? 'closed'
                : pull.draft === true
                    ? 'draft'
                    : 'open',
        additions: Number(pull.additions),
        deletions: Number(pull.deletions),
        changedFiles: Number(pull.changed_files),
        files: files.slice(0, MAX_FILES).map(({ filename, additions, deletions }) => ({
            path: redact(filename),
            link: `${toPage(link)}/files#diff-${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(filename).digest('hex')}`,
            additions: Number(additions),
            deletions: Number(deletions),
        })),
    };
}
function parseAddress(link, serverUrl) {
    const url = (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .parseUrl */ .Dl)(link);
    const number = Number((0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .parsePullRequestNumber */ .XP)(link));
    const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
    return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
        ? undefined
        : { owner, repo, pull_number: number };
}
/** The page of the pull request itself, where the link names one of its tabs. */
function toPage(link) {
    const { origin, pathname } = new URL(link);
    return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}


/***/ })

};
