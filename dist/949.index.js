"use strict";
exports.id = 949;
exports.ids = [949];
exports.modules = {

/***/ 6949:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   findPullRequest: () => (/* binding */ findPullRequest),
/* harmony export */   readPullRequest: () => (/* binding */ readPullRequest),
/* harmony export */   readPullState: () => (/* binding */ readPullState)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0___default = /*#__PURE__*/__webpack_require__.n(node_crypto__WEBPACK_IMPORTED_MODULE_0__);
/* harmony import */ var zod_mini__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4343);
/* harmony import */ var _text_link_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9826);
/* harmony import */ var _text_redact_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2159);




const MAX_SHOWN_FILES = 20;
const TEXT_LIMIT = 4_096;
const count = zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .int */ .Whr();
const stateSchema = zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
    state: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(),
    merged: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .nullish */ .cl6(zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .boolean */ .zMY()),
    draft: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .nullish */ .cl6(zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .boolean */ .zMY()),
});
const pullSchema = zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .extend */ .X$i(stateSchema, {
    title: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(),
    head: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({ ref: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP() }),
    additions: count,
    deletions: count,
    changed_files: count,
});
const filesSchema = zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .array */ .YOg(zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({ filename: zod_mini__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), additions: count, deletions: count }));
function findPullRequest(serverUrl, link) {
    const { project, number } = (0,_text_link_js__WEBPACK_IMPORTED_MODULE_2__/* .parsePullRequest */ .yA)(link);
    const isHere = project !== undefined && new URL(link).origin === serverUrl;
    const filesUrl = `${serverUrl}/${project}/pull/${number}/files`;
    return isHere && number !== undefined ? { project, number, filesUrl } : undefined;
}
async function readPullState({ number }, api) {
    return getState(await api.read(stateSchema, `/pulls/${number}`));
}
async function readPullRequest({ number, filesUrl }, api, redact) {
    const route = `/pulls/${number}`;
    const [pull, files] = await Promise.all([
        api.read(pullSchema, route, { isOptional: true }),
        api.read(filesSchema, `${route}/files?per_page=${MAX_SHOWN_FILES}`, { isOptional: true }),
    ]);
    const isSized = pull.changed_files >= files.length;
    const show = (text) => (0,_text_redact_js__WEBPACK_IMPORTED_MODULE_3__/* .redactStart */ .wX)(text, TEXT_LIMIT, redact).slice(0, TEXT_LIMIT);
    return {
        title: show(pull.title),
        branch: show(pull.head.ref),
        state: getState(pull),
        additions: isSized ? pull.additions : undefined,
        deletions: isSized ? pull.deletions : undefined,
        changedFiles: isSized ? pull.changed_files : undefined,
        files: files.slice(0, MAX_SHOWN_FILES).map(({ filename, additions, deletions }) => ({
            path: show(filename),
            link: `${filesUrl}#diff-${(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(filename).digest('hex')}`,
            additions,
            deletions,
        })),
    };
}
function getState({ merged, state, draft }) {
    if (state === 'closed') {
        return merged === true ? 'merged' : 'closed';
    }
    return draft === true ? 'draft' : 'open';
}


/***/ })

};
;