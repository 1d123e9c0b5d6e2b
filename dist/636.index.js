"use strict";
exports.id = 636;
exports.ids = [636];
exports.modules = {

/***/ 3636:
/***/ (function(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readPullRequest: function() { return /* binding */ readPullRequest; }
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__webpack_require__.n(node_crypto__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var zod_mini__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4343);
/* harmony import */ var _text_link_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2955);
/* harmony import */ var _api_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3139);




const MAX_SHOWN_FILES = 20;
const count = zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .int */ .Whr();
const pullSchema = zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    title: zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    state: zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    merged: zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .nullish */ .cl6(zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY()),
    draft: zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .nullish */ .cl6(zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY()),
    additions: count,
    deletions: count,
    changed_files: count,
});
const filesSchema = zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ filename: zod_mini__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), additions: count, deletions: count }));
async function readPullRequest(context, link, limits, redact) {
    const { project, number } = (0,_text_link_js__WEBPACK_IMPORTED_MODULE_3__/* .parsePullRequest */ .yA)(link) ?? {};
    if (new URL(link).origin !== context.serverUrl || project === undefined) {
        return undefined;
    }
    const route = `/pulls/${number}`;
    const pullUrl = `${context.serverUrl}/${project}/pull/${number}`;
    const api = (0,_api_js__WEBPACK_IMPORTED_MODULE_1__/* .createGitHubApi */ ._j)(context, project, limits);
    const [pull, files] = await Promise.all([
        api.read(pullSchema, route),
        api.read(filesSchema, `${route}/files?per_page=${MAX_SHOWN_FILES}`),
    ]);
    const states = { merged: pull.merged, closed: pull.state === 'closed', draft: pull.draft };
    const [state = 'open'] = Object.entries(states).find(([, applies]) => applies) ?? [];
    return {
        title: redact(pull.title),
        state,
        additions: pull.additions,
        deletions: pull.deletions,
        changedFiles: pull.changed_files,
        files: files.slice(0, MAX_SHOWN_FILES).map(({ filename, ...size }) => ({
            path: redact(filename),
            link: `${pullUrl}/files#diff-${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(filename).digest('hex')}`,
            ...size,
        })),
    };
}


/***/ })

};
;