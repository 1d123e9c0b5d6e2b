"use strict";
exports.id = 886;
exports.ids = [886];
exports.modules = {

/***/ 886:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  readTag: () => (/* binding */ readTag),
  readTagCommit: () => (/* binding */ readTagCommit)
});

// EXTERNAL MODULE: ./node_modules/zod/v4/mini/schemas.js
var schemas = __webpack_require__(4343);
// EXTERNAL MODULE: ./build/errors.js
var errors = __webpack_require__(9984);
// EXTERNAL MODULE: ./build/text/link.js
var text_link = __webpack_require__(2955);
// EXTERNAL MODULE: ./build/text/message.js
var message = __webpack_require__(8640);
// EXTERNAL MODULE: ./build/github/api.js
var github_api = __webpack_require__(3139);
// EXTERNAL MODULE: ./node_modules/semver/index.js
var semver = __webpack_require__(2088);
var semver_default = /*#__PURE__*/__webpack_require__.n(semver);
;// CONCATENATED MODULE: ./build/github/version-tag.js

const VERSION_AT_END = /^(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;
function parseVersionTag(tag) {
    const [, prefix = '', text = ''] = tag.length > 255 ? [] : (VERSION_AT_END.exec(tag) ?? []);
    const version = semver_default().parse(text);
    return version === null ? undefined : { prefix, version };
}
function findPreviousTag({ prefix, version }, tags) {
    const versions = [...tags].flatMap((tag) => {
        const other = parseVersionTag(tag);
        return other?.prefix === prefix ? [other.version] : [];
    });
    const options = { includePrerelease: version.prerelease.length > 0 };
    const lower = versions.filter((other) => semver_default().satisfies(other, `<${version.version}`, options));
    const [previous] = semver_default().rsort(lower);
    return previous && `${prefix}${previous.raw}`;
}

;// CONCATENATED MODULE: ./build/github/tags.js






const targetSchema = schemas/* object */.Ikc({ type: schemas/* string */.YjP(), sha: schemas/* string */.YjP() });
const refsSchema = schemas/* array */.YOg(schemas/* object */.Ikc({ ref: schemas/* string */.YjP(), object: targetSchema }));
const tagSchema = schemas/* object */.Ikc({ object: targetSchema });
async function readTag(api, tag, isNamed) {
    const version = parseVersionTag(tag);
    const tags = await readTags(api, version?.prefix ?? tag);
    const commit = await resolveCommit(api, tags, tag, isNamed);
    if (version === undefined) {
        const reason = 'the tag does not end in a semantic version';
        return { commit, previous: { kind: 'none', reason } };
    }
    const previous = findPreviousTag(version, tags.keys());
    if (previous === undefined) {
        return { commit, previous: { kind: 'none', reason: 'no earlier release has this prefix' } };
    }
    const previousCommit = await resolveCommit(api, tags, previous, false);
    return { commit, previous: { kind: 'tag', tag: previous, commit: previousCommit } };
}
async function readTagCommit(api, tag) {
    return resolveCommit(api, await readTags(api, tag), tag, true);
}
async function readTags(api, prefix) {
    const refs = await api.read(refsSchema, `/git/matching-refs/tags/${(0,text_link/* encodePath */.O0)(prefix)}`);
    return new Map(refs.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}
async function resolveCommit(api, tags, tag, isNamed) {
    let target = tags.get(tag);
    if (target === undefined && isNamed) {
        throw new errors/* InputError */.dz([
            (0,message/* message */.iU) `${(0,message/* code */.aY)('release-tag')} is wrong: the repository has no tag ${(0,message/* code */.aY)(tag)}.`,
        ]);
    }
    if (target === undefined) {
        throw new github_api/* GitHubError */.y_('the repository has no tag with this name');
    }
    while (target.type === 'tag') {
        target = (await api.read(tagSchema, `/git/tags/${(0,text_link/* encodePath */.O0)(target.sha)}`)).object;
    }
    if (target.type !== 'commit') {
        throw new github_api/* GitHubError */.y_('the tag does not point to a commit');
    }
    return target.sha;
}


/***/ })

};
;