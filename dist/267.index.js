"use strict";
exports.id = 267;
exports.ids = [267];
exports.modules = {

/***/ 6267:
/***/ (function(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  readRelease: function() { return /* binding */ readRelease; },
  readTagCommit: function() { return /* binding */ readTagCommit; }
});

// EXTERNAL MODULE: ./node_modules/zod/v4/mini/schemas.js
var schemas = __webpack_require__(4343);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/api.js + 1 modules
var api = __webpack_require__(3305);
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

function parseVersionTag(tag) {
    const pattern = /^(?=.{1,255}$)(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;
    const [, prefix = '', text = ''] = pattern.exec(tag) ?? [];
    const version = semver_default().parse(text);
    return version === null ? undefined : { tag, prefix, version };
}
function findPreviousTag(of, tags) {
    const isPreRelease = ({ version }) => version.prerelease.length > 0;
    const [highest] = tags
        .map(parseVersionTag)
        .filter((candidate) => candidate !== undefined)
        .filter(({ prefix, version }) => prefix === of.prefix && semver_default().lt(version, of.version))
        .filter((candidate) => isPreRelease(of) || !isPreRelease(candidate))
        .sort((a, b) => semver_default().compareBuild(b.version, a.version));
    return highest?.tag;
}

;// CONCATENATED MODULE: ./build/github/releases.js






const PAGE_SIZE = 100;
const MAX_COMMIT_PAGES = 3;
const MAX_TAG_DEPTH = 5;
const NO_TAG = (0,message/* message */.iU) `${(0,message/* code */.aY)('release-tag')} is wrong: the repository has no tag with this name.`;
const count = schemas/* int */.Whr().check(api/* _nonnegative */.UI());
const targetSchema = schemas/* object */.Ikc({ type: schemas/* string */.YjP(), sha: schemas/* string */.YjP() });
const refsSchema = schemas/* array */.YOg(schemas/* object */.Ikc({ ref: schemas/* string */.YjP(), object: targetSchema }));
const tagSchema = schemas/* object */.Ikc({ object: targetSchema });
const firstLine = schemas/* transform */.pdi((text) => text.split(/[\r\n]/, 1)[0] ?? '');
const subject = schemas/* pipe */.FsL(schemas/* string */.YjP(), firstLine);
const commitSchema = schemas/* object */.Ikc({
    sha: schemas/* string */.YjP(),
    commit: schemas/* object */.Ikc({ message: subject, author: schemas/* nullish */.cl6(schemas/* object */.Ikc({ name: schemas/* optional */.lqM(schemas/* string */.YjP()) })) }),
    author: schemas/* nullish */.cl6(schemas/* object */.Ikc({ login: schemas/* optional */.lqM(schemas/* string */.YjP()) })),
});
const fileSchema = schemas/* object */.Ikc({
    filename: schemas/* string */.YjP(),
    previous_filename: schemas/* optional */.lqM(schemas/* string */.YjP()),
    status: schemas/* string */.YjP(),
    additions: schemas/* optional */.lqM(count),
    deletions: schemas/* optional */.lqM(count),
})
    .check(schemas/* refine */.YPB((file) => file.status !== 'renamed' || file.previous_filename !== undefined));
const commitsSchema = schemas/* object */.Ikc({ commits: schemas/* array */.YOg(commitSchema) });
const comparisonSchema = schemas/* object */.Ikc({
    total_commits: count,
    behind_by: count,
    commits: schemas/* array */.YOg(commitSchema),
    files: schemas/* array */.YOg(fileSchema),
});
async function readRelease({ serverUrl, repository }, { tag, isNamed }, api) {
    const name = repository === undefined ? 'unknown' : `${repository.owner}/${repository.repo}`;
    const missing = [];
    let reason = '';
    let isRefused = false;
    async function readPart(part, reading) {
        try {
            return await reading;
        }
        catch (error) {
            if (error instanceof errors/* InputError */.dz) {
                throw error;
            }
            missing.push(part);
            const { message: why, failure } = (0,github_api/* getGitHubError */.o0)(error);
            reason ||= why;
            isRefused ||= failure.kind === 'refused';
            return undefined;
        }
    }
    const range = await readPart('previous tag, commits, files', readRange(api, tag, isNamed));
    const { head, base, previous } = range ?? {};
    const comparison = head && base && (await readPart('commits, files', readComparison(api, base, head)));
    const notes = await readPart('release notes', readNotes(api, tag, head !== undefined));
    const { commits, files, isDiverged = false } = comparison || {};
    const url = `${serverUrl}/${name}`;
    const release = { repository: name, url, tag, commit: head, previous, commits, files, notes };
    return { release, isDiverged, missing, reason, isRefused };
}
async function readRange(api, tag, isNamed) {
    const version = parseVersionTag(tag);
    const tags = await readTags(api, version?.prefix ?? tag);
    const own = tags.get(tag);
    if (own === undefined) {
        throw isNamed ? new errors/* InputError */.dz([NO_TAG]) : new github_api/* GitHubError */.y_('the repository has no tag with this name');
    }
    const head = await resolveCommit(api, own);
    if (version === undefined) {
        return { head, previous: { none: 'the tag does not end in a semantic version' } };
    }
    const previous = findPreviousTag(version, [...tags.keys()]);
    const target = previous === undefined ? undefined : tags.get(previous);
    if (previous === undefined || target === undefined) {
        const kind = version.version.prerelease.length > 0 ? 'version' : 'final version';
        return { head, previous: { none: `this is the first ${kind} with this prefix` } };
    }
    return { head, previous: { tag: previous }, base: await resolveCommit(api, target) };
}
async function readTagCommit(api, tag) {
    const target = (await readTags(api, tag)).get(tag);
    if (target === undefined) {
        throw new errors/* InputError */.dz([NO_TAG]);
    }
    return resolveCommit(api, target);
}
async function readTags(api, prefix) {
    const refs = await api.read(refsSchema, `/git/matching-refs/tags/${(0,text_link/* encodePath */.O0)(prefix)}`);
    return new Map(refs.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}
async function resolveCommit(api, target) {
    let { type, sha } = target;
    for (let depth = 0; type === 'tag' && depth < MAX_TAG_DEPTH; depth += 1) {
        ({ type, sha } = (await api.read(tagSchema, `/git/tags/${(0,text_link/* encodePath */.O0)(sha)}`)).object);
    }
    if (type !== 'commit') {
        throw new github_api/* GitHubError */.y_('the tag does not point to a commit');
    }
    return sha;
}
async function readComparison(api, base, head) {
    const path = `/compare/${(0,text_link/* encodePath */.O0)(base)}...${(0,text_link/* encodePath */.O0)(head)}?per_page=${PAGE_SIZE}`;
    const first = await api.read(comparisonSchema, `${path}&page=1`);
    const { total_commits: total, behind_by: behind, files } = first;
    const last = Math.ceil(total / PAGE_SIZE);
    const commits = last <= MAX_COMMIT_PAGES ? [...first.commits] : [];
    for (let page = Math.max(2, last - MAX_COMMIT_PAGES + 1); page <= last; page += 1) {
        commits.push(...(await api.read(commitsSchema, `${path}&page=${page}`)).commits);
    }
    return {
        commits: { list: commits.reverse(), total },
        files: { list: files, isCut: files.length >= 300 },
        isDiverged: behind > 0,
    };
}
async function readNotes(api, tag, isTagRead) {
    try {
        const schema = schemas/* object */.Ikc({ body: schemas/* nullable */.mee(schemas/* string */.YjP()) });
        return (await api.read(schema, `/releases/tags/${(0,text_link/* encodePath */.O0)(tag)}`)).body ?? '';
    }
    catch (error) {
        if (isTagRead && (0,github_api/* getGitHubError */.o0)(error).failure.httpStatus === 404) {
            return '';
        }
        throw error;
    }
}


/***/ })

};
;