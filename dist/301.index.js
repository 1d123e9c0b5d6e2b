"use strict";
exports.id = 301;
exports.ids = [301];
exports.modules = {

/***/ 1301:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  readChanges: () => (/* binding */ readChanges),
  readTagCommit: () => (/* reexport */ readTagCommit)
});

// EXTERNAL MODULE: ./node_modules/zod/v4/mini/schemas.js
var schemas = __webpack_require__(4343);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/api.js + 1 modules
var api = __webpack_require__(3305);
// EXTERNAL MODULE: ./build/errors.js
var errors = __webpack_require__(9984);
// EXTERNAL MODULE: ./build/inputs/changes-since.js
var changes_since = __webpack_require__(6687);
// EXTERNAL MODULE: ./build/text/link.js
var text_link = __webpack_require__(2955);
// EXTERNAL MODULE: ./build/text/message.js
var message = __webpack_require__(8640);
// EXTERNAL MODULE: ./build/github/api.js
var github_api = __webpack_require__(3139);
;// CONCATENATED MODULE: ./build/github/last-run.js


const PAGE_SIZE = 100;
const MAX_PAGES = 10;
const runsSchema = schemas/* object */.Ikc({
    workflow_runs: schemas/* array */.YOg(schemas/* object */.Ikc({
        id: schemas/* int */.Whr(),
        head_sha: schemas/* string */.YjP(),
        head_branch: schemas/* nullish */.cl6(schemas/* string */.YjP()),
        event: schemas/* string */.YjP(),
        conclusion: schemas/* nullish */.cl6(schemas/* string */.YjP()),
    })),
});
async function readLastRunCommit(api, { workflow, runId, eventName, branch = '' }) {
    if (workflow === undefined) {
        const reason = 'GITHUB_WORKFLOW_REF names no workflow file of this repository';
        throw new github_api/* GitHubError */.y_(reason, { kind: 'no-access' });
    }
    if (runId === undefined) {
        throw new github_api/* GitHubError */.y_('GITHUB_RUN_ID is not set', { kind: 'no-access' });
    }
    const filter = new URLSearchParams({
        event: eventName,
        branch,
        status: 'success',
        exclude_pull_requests: 'true',
        per_page: String(PAGE_SIZE),
    });
    const path = `/actions/workflows/${encodeURIComponent(workflow)}/runs?${filter}`;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
        const { workflow_runs: runs } = await api.read(runsSchema, `${path}&page=${page}`);
        const earlier = runs.filter((run) => run.id < runId &&
            run.conclusion === 'success' &&
            run.event === eventName &&
            run.head_branch === branch);
        const [newest] = earlier.sort((a, b) => b.id - a.id);
        if (newest !== undefined || runs.length < PAGE_SIZE) {
            return newest?.head_sha;
        }
    }
    return undefined;
}

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

;// CONCATENATED MODULE: ./build/github/changes.js









const MAX_FILES = 300;
const count = schemas/* int */.Whr().check(api/* _nonnegative */.UI());
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
async function readChanges(github, wanted, api) {
    const { serverUrl, repository = 'unknown', branch, defaultBranch } = github;
    const { tag } = wanted;
    const failures = [];
    const range = await findRange(github, wanted, api).catch((error) => {
        failures.push({ part: 'start of the changes, commits, files', error: toFailure(error) });
        return { commit: undefined, start: explainUnread(toFailure(error), wanted.changesSince) };
    });
    let { start } = range;
    const changes = await readComparison(api, range, defaultBranch).catch(async (error) => {
        failures.push({ part: 'commits, files', error: toFailure(error) });
        start = await explainUncompared(toFailure(error), range, wanted, api);
        return undefined;
    });
    const notes = await readNotes(api, tag, range).catch((error) => {
        failures.push({ part: 'release notes', error: toFailure(error) });
        return undefined;
    });
    return {
        repository,
        url: `${serverUrl}/${repository}`,
        tag,
        branch: tag === undefined ? branch : undefined,
        commit: range.commit,
        start,
        changes,
        notes,
        missing: failures.map(({ part }) => part),
        reason: failures[0]?.error.message ?? '',
        isRefused: failures.some(({ error }) => error.failure.kind === 'refused'),
    };
}
function toFailure(error) {
    if (error instanceof errors/* InputError */.dz) {
        throw error;
    }
    return (0,github_api/* getGitHubError */.o0)(error);
}
async function findRange(github, { tag, changesSince }, api) {
    if (tag === undefined) {
        return findBranchRange(github, changesSince, api);
    }
    const { commit, previous } = await readTag(api, tag, tag !== github.eventTag);
    if (changesSince !== undefined) {
        return { commit, ...startAt((0,changes_since/* toRefName */.kk)(changesSince)), isNamed: true };
    }
    return previous.kind === 'none'
        ? { commit, start: previous }
        : { commit, ...startAt(previous.tag), base: previous.commit };
}
async function findBranchRange(github, changesSince, api) {
    const { sha: commit, branch, before, defaultBranch } = github;
    if (commit === undefined) {
        throw new github_api/* GitHubError */.y_('GITHUB_SHA is not set', { kind: 'no-access' });
    }
    if (changesSince === changes_since/* LAST_RUN */.db) {
        const base = await readLastRunCommit(api, github);
        return base === undefined
            ? { commit, start: { kind: 'first-run' } }
            : { commit, ...startAt(base) };
    }
    if (changesSince !== undefined) {
        return { commit, ...startAt((0,changes_since/* toRefName */.kk)(changesSince)), isNamed: true };
    }
    if (before !== undefined && !(0,changes_since/* isZeros */.qq)(before)) {
        return { commit, ...startAt(before) };
    }
    return defaultBranch === undefined || defaultBranch === branch
        ? { commit, start: { kind: 'none', reason: 'the push created the branch' } }
        : { commit, ...startAt(defaultBranch) };
}
function startAt(ref) {
    return { start: { kind: 'known', ref }, base: ref };
}
async function readComparison(api, { base, commit }, defaultBranch) {
    if (base === undefined || commit === undefined) {
        return undefined;
    }
    const comparison = await api.read(comparisonSchema, `/compare/${(0,text_link/* encodePath */.O0)(base)}...${(0,text_link/* encodePath */.O0)(commit)}`);
    const { total_commits: total, behind_by: behind, commits, files } = comparison;
    return {
        commits: commits.reverse(),
        total,
        files,
        isCut: files.length >= MAX_FILES,
        isDiverged: behind > 0 && base !== defaultBranch,
    };
}
function explainUnread({ message: detail, failure }, changesSince) {
    const { kind, httpStatus } = failure;
    if (kind === 'refused') {
        const cause = changesSince === changes_since/* LAST_RUN */.db ? 'no-actions' : 'no-contents';
        return { kind: 'unknown', cause, detail };
    }
    return { kind: 'unknown', cause: httpStatus === 401 ? 'no-access' : kind, detail };
}
async function explainUncompared(error, { commit = '', start, base = '', isNamed = false }, { tag, changesSince = '' }, api) {
    if (tag !== undefined && !isNamed) {
        return start;
    }
    const { httpStatus } = error.failure;
    const isUnrelated = httpStatus === 404 && /no common ancestor/i.test(error.message);
    const isReadable = httpStatus === 404 && (await canRead(api, commit));
    if (isReadable && isNamed && !isUnrelated) {
        throw new errors/* InputError */.dz([
            (0,message/* message */.iU) `{changes-since} is wrong: ${(0,message/* code */.aY)(changesSince)} is no tag, branch, or commit
        of the repository.`,
        ]);
    }
    const unread = explainUnread(error);
    const isUnavailable = unread.kind === 'unknown' && unread.cause === 'unavailable';
    if (tag !== undefined || (isUnavailable && !isNamed)) {
        return start;
    }
    if (!isReadable) {
        return unread;
    }
    const name = (0,text_link/* shortenCommit */.tl)(base);
    const detail = isUnrelated
        ? `${name} and the run share no commit`
        : `${name} is no longer a commit of the repository`;
    return { kind: 'unknown', cause: 'gone', detail };
}
async function canRead(api, commit) {
    try {
        await api.read(schemas/* object */.Ikc({ sha: schemas/* string */.YjP() }), `/commits/${(0,text_link/* encodePath */.O0)(commit)}`);
        return true;
    }
    catch {
        return false;
    }
}
async function readNotes(api, tag, { commit }) {
    if (tag === undefined) {
        return undefined;
    }
    try {
        const schema = schemas/* object */.Ikc({ body: schemas/* nullable */.mee(schemas/* string */.YjP()) });
        return (await api.read(schema, `/releases/tags/${(0,text_link/* encodePath */.O0)(tag)}`)).body ?? '';
    }
    catch (error) {
        if (commit !== undefined && (0,github_api/* getGitHubError */.o0)(error).failure.httpStatus === 404) {
            return '';
        }
        throw error;
    }
}


/***/ })

};
;