"use strict";
exports.id = 636;
exports.ids = [636];
exports.modules = {

/***/ 3636:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readPullRequest: () => (/* binding */ readPullRequest)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__webpack_require__.n(node_crypto__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var _text_link_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2955);
/* harmony import */ var _client_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9376);



const MAX_REQUESTS = 8;
const MAX_FILES = 20;
/**
 * Returns details of the pull request behind a sanitized link, or undefined if it is not one on the workflow's host.
 * Throws a `GitHubError` if they cannot be read in time.
 */
async function readPullRequest(context, link, { timeoutMs, signal, redact }) {
    const path = getApiPath(link, context.serverUrl);
    if (path === undefined) {
        return undefined;
    }
    const client = (0,_client_js__WEBPACK_IMPORTED_MODULE_1__/* .createGitHubClient */ .LX)(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal });
    const [pull, files] = await Promise.all([
        client.getJson(path),
        client.getJson(`${path}/files?per_page=${MAX_FILES}`),
    ]);
    if (!isRecord(pull) || !Array.isArray(files)) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_1__/* .GitHubError */ .y_('the response is not a pull request');
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
        throw new _client_js__WEBPACK_IMPORTED_MODULE_1__/* .GitHubError */ .y_('the response is not a pull request');
    }
    return value;
}
function expectCount(value) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
        throw new _client_js__WEBPACK_IMPORTED_MODULE_1__/* .GitHubError */ .y_('the response is not a pull request');
    }
    return value;
}
/** The path of the pull request in the API of its host, or undefined if the link is to another one. */
function getApiPath(link, serverUrl) {
    const url = (0,_text_link_js__WEBPACK_IMPORTED_MODULE_2__/* .parseUrl */ .Dl)(link);
    const number = Number((0,_text_link_js__WEBPACK_IMPORTED_MODULE_2__/* .parsePullRequestNumber */ .XP)(link));
    const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
    return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
        ? undefined
        : `/repos/${owner}/${repo}/pulls/${number}`;
}
/** The page of the pull request itself, even if the link is to one of its tabs. */
function getPage(link) {
    const { origin, pathname } = new URL(link);
    return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}


/***/ })

};
;