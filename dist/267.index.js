"use strict";
exports.id = 267;
exports.ids = [267];
exports.modules = {

/***/ 6267:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  readRelease: () => (/* binding */ readRelease),
  readTagCommit: () => (/* binding */ readTagCommit)
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

;// CONCATENATED MODULE: ./build/github/releases.js






const MAX_FILES = 300;
const count = schemas/* int */.Whr().check(api/* _nonnegative */.UI());
const targetSchema = schemas/* object */.Ikc({ type: schemas/* string */.YjP(), sha: schemas/* string */.YjP() });
const refsSchema = schemas/* array */.YOg(schemas/* object */.Ikc({ ref: schemas/* string */.YjP(), object: targetSchema }));
const tagSchema = schemas/* object */.Ikc({ object: targetSchema });
const firstLine = schemas/* transform */.pdi((text) => text.split(/[\r\n]/, 1)[0] ?? '');
const subject = schemas/* pipe */.FsL(schemas/* string */.YjP(), firstLine);
const commitSchema = schemas/* object */.Ikc({
    sha: schemas/* string */.YjP(),
    commit: schemas/* object */.Ikc({
        message: subject,
        author: schemas/* nullish */.cl6(schemas/* object */.Ikc({ name: schemas/* optional */.lqM(schemas/* string */.YjP()) })),
    }),
    author: schemas/* nullish */.cl6(schemas/* object */.Ikc({ login: schemas/* optional */.lqM(schemas/* string */.YjP()) })),
});
const fileSchema = schemas/* object */.Ikc({
    filename: schemas/* string */.YjP(),
    previous_filename: schemas/* optional */.lqM(schemas/* string */.YjP()),
    status: schemas/* string */.YjP(),
    additions: count,
    deletions: count,
});
const comparisonSchema = schemas/* object */.Ikc({
    total_commits: count,
    behind_by: count,
    commits: schemas/* array */.YOg(commitSchema),
    files: schemas/* array */.YOg(fileSchema),
});
async function readRelease({ serverUrl, repository = 'unknown', eventTag }, tag, api) {
    const failures = [];
    async function readPart(part, reading) {
        try {
            return await reading;
        }
        catch (error) {
            if (error instanceof errors/* InputError */.dz) {
                throw error;
            }
            failures.push({ part, error: (0,github_api/* getGitHubError */.o0)(error) });
            return undefined;
        }
    }
    const range = await readPart('previous tag, commits, files', readRange(api, tag, tag !== eventTag));
    const reading = range?.base === undefined ? undefined : readChanges(api, range.base, range.head);
    const changes = reading && (await readPart('commits, files', reading));
    const notes = await readPart('release notes', readNotes(api, tag, range !== undefined));
    return {
        repository,
        url: `${serverUrl}/${repository}`,
        tag,
        commit: range?.head,
        previous: range?.previous,
        changes,
        notes,
        missing: failures.map(({ part }) => part),
        reason: failures[0]?.error.message ?? '',
        isRefused: failures.some(({ error }) => error.failure.kind === 'refused'),
    };
}
async function readRange(api, tag, isNamed) {
    const version = parseVersionTag(tag);
    const tags = await readTags(api, version?.prefix ?? tag);
    const head = await resolveCommit(api, tags, tag, isNamed);
    if (version === undefined) {
        return {
            head,
            previous: { kind: 'none', reason: 'the tag does not end in a semantic version' },
        };
    }
    const previous = findPreviousTag(version, tags.keys());
    if (previous === undefined) {
        return { head, previous: { kind: 'none', reason: 'no earlier release has this prefix' } };
    }
    return {
        head,
        previous: { kind: 'tag', tag: previous },
        base: await resolveCommit(api, tags, previous, false),
    };
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
async function readChanges(api, base, head) {
    const comparison = await api.read(comparisonSchema, `/compare/${(0,text_link/* encodePath */.O0)(base)}...${(0,text_link/* encodePath */.O0)(head)}`);
    const { total_commits: total, behind_by: behind, commits, files } = comparison;
    return {
        commits: commits.reverse(),
        total,
        files,
        isCut: files.length >= MAX_FILES,
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