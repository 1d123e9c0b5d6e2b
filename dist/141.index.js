"use strict";
exports.id = 141;
exports.ids = [141];
exports.modules = {

/***/ 9376:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LX: () => (/* binding */ createGitHubClient),
/* harmony export */   gj: () => (/* binding */ isPermissionError),
/* harmony export */   o0: () => (/* binding */ getGitHubError),
/* harmony export */   y_: () => (/* binding */ GitHubError)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3929);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9984);
/* harmony import */ var _http_proxy_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7038);
/* harmony import */ var _http_request_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6196);
/* harmony import */ var _http_retry_after_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(797);





class GitHubError extends Error {
    name = 'GitHubError';
    httpStatus;
    exhausted;
    constructor(message, httpStatus, exhausted) {
        super(message);
        this.httpStatus = httpStatus;
        this.exhausted = exhausted;
    }
}
const USER_AGENT = 'docs-agent-action';
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_RETRIES = 4;
const MAX_REDIRECTS = 3;
function createGitHubClient({ apiUrl, token }, limits) {
    if (token === undefined) {
        throw new GitHubError('`github-token` is empty');
    }
    if (apiUrl === undefined) {
        throw new GitHubError('GITHUB_API_URL is not an https address');
    }
    const root = apiUrl.href.replace(/\/+$/, '');
    const get = createGet(apiUrl, token, limits);
    return {
        async getJson(path) {
            const { body } = await get(`${root}${path}`, 'application/vnd.github+json');
            return JSON.parse(body.toString());
        },
        async loadOctokit() {
            const toolkit = await __webpack_require__.e(/* import() */ 157).then(__webpack_require__.bind(__webpack_require__, 157));
            const silence = () => { };
            return toolkit.getOctokit(token, {
                baseUrl: root,
                userAgent: USER_AGENT,
                log: { debug: silence, info: silence, warn: silence, error: silence },
                request: {
                    fetch: async (address, { headers }) => toFetchResponse(await get(address, headers['accept'] ?? '*/*')),
                },
            });
        },
    };
}
function getGitHubError(error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return cause instanceof GitHubError ? cause : new GitHubError((0,_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .getErrorText */ .ER)(error));
}
function isPermissionError({ httpStatus, exhausted }) {
    return (httpStatus === 403 || httpStatus === 404) && exhausted === undefined;
}
function createGet(apiUrl, token, limits) {
    const { requestTimeoutMs = REQUEST_TIMEOUT_MS, maxRequests, signal } = limits;
    const deadline = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + limits.timeoutMs;
    const proxy = (0,_http_proxy_js__WEBPACK_IMPORTED_MODULE_2__/* .readProxy */ .n)(apiUrl);
    let requests = 0;
    return async (address, accept) => {
        const headers = { accept, authorization: `Bearer ${token}`, 'user-agent': USER_AGENT };
        const retryDeadline = (_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now() + deadline) / 2;
        let url = new URL(address);
        let retries = 0;
        let redirects = 0;
        for (;;) {
            const remainingMs = Math.ceil(deadline - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now());
            requests += 1;
            if (url.origin !== apiUrl.origin) {
                throw new GitHubError('the API redirects to another host');
            }
            if (remainingMs <= 0) {
                throw new GitHubError('there was not enough time', undefined, 'client-limits');
            }
            if (requests > maxRequests) {
                throw new GitHubError('it takes too many requests', undefined, 'client-limits');
            }
            const result = await (0,_http_request_js__WEBPACK_IMPORTED_MODULE_3__/* .sendRequest */ .w)({
                method: 'GET',
                url,
                headers,
                body: undefined,
                maxBodyBytes: MAX_BODY_BYTES,
                proxy,
                isOptional: true,
                timeoutMs: Math.min(requestTimeoutMs, remainingMs),
                signal,
            });
            const location = getRedirect(result, url);
            const retryAt = signal.aborted ? undefined : getRetryTime(result, retries, retryDeadline, deadline);
            if (location !== undefined && redirects < MAX_REDIRECTS) {
                url = location;
                redirects += 1;
            }
            else if (retryAt !== undefined) {
                retries += 1;
                await _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.sleep(retryAt - _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now(), signal);
            }
            else {
                return expectSuccess(result);
            }
        }
    };
}
function getRedirect(result, url) {
    if (result.kind !== 'response' || ![301, 302, 307, 308].includes(result.response.httpStatus)) {
        return undefined;
    }
    const location = result.response.header('location') ?? '';
    return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}
function getRetryTime(result, retries, retryDeadline, deadline) {
    const now = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .m.now();
    const backOffMs = FIRST_RETRY_DELAY_MS * 2 ** retries;
    if (result.kind === 'response' && isRateLimited(result.response)) {
        const delayMs = getRateLimitDelay(result.response);
        const at = now + Math.max(backOffMs, delayMs ?? Number.POSITIVE_INFINITY);
        return at < deadline ? at : undefined;
    }
    const isTransient = result.kind !== 'response' || result.response.httpStatus >= 500;
    const at = now + backOffMs;
    return isTransient && retries < MAX_RETRIES && at < retryDeadline ? at : undefined;
}
function isRateLimited({ httpStatus, header, body }) {
    return (httpStatus === 429 ||
        (httpStatus === 403 &&
            (header('retry-after') !== undefined ||
                header('x-ratelimit-remaining') === '0' ||
                /\brate limit\b/i.test(readMessage(body) ?? ''))));
}
function getRateLimitDelay({ header }) {
    const date = header('date');
    const retryAfterMs = (0,_http_retry_after_js__WEBPACK_IMPORTED_MODULE_4__/* .parseRetryAfter */ .m)(header('retry-after'), date);
    if (retryAfterMs !== undefined || header('x-ratelimit-remaining') !== '0') {
        return retryAfterMs;
    }
    const delayMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
    return Number.isNaN(delayMs) ? undefined : delayMs;
}
function expectSuccess(result) {
    if (result.kind !== 'response') {
        throw new GitHubError(result.detail);
    }
    const { response } = result;
    const { httpStatus, body } = response;
    if (httpStatus < 200 || httpStatus >= 300) {
        const isRateLimit = isRateLimited(response);
        throw new GitHubError(describeFailure(httpStatus, body, isRateLimit), httpStatus, isRateLimit ? 'rate-limit' : undefined);
    }
    if (body === undefined) {
        throw new GitHubError('the response is compressed or larger than 16 MiB');
    }
    return { ...response, body };
}
function describeFailure(httpStatus, body, isRateLimit) {
    const reason = isRateLimit ? 'rate limit exceeded' : readMessage(body);
    return reason === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${reason}`;
}
function readMessage(body) {
    try {
        const reply = JSON.parse(body?.toString() ?? '');
        return typeof reply.message === 'string' ? reply.message : undefined;
    }
    catch {
        return undefined;
    }
}
function toFetchResponse({ httpStatus, header, body }) {
    const headers = new Headers();
    for (const name of ['content-type', 'link']) {
        headers.set(name, header(name) ?? '');
    }
    return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}


/***/ }),

/***/ 3141:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  UnknownTagError: () => (/* reexport */ UnknownTagError),
  readRelease: () => (/* binding */ readRelease)
});

// EXTERNAL MODULE: ./build/github/client.js
var client = __webpack_require__(9376);
// EXTERNAL MODULE: ./node_modules/semver/index.js
var semver = __webpack_require__(2088);
var semver_default = /*#__PURE__*/__webpack_require__.n(semver);
;// CONCATENATED MODULE: ./build/github/version-tag.js

const MAX_LENGTH = 255;
function parseVersionTag(tag) {
    const [, prefix = '', text = ''] = tag.length > MAX_LENGTH
        ? []
        : (/^(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/.exec(tag) ?? []);
    const version = semver_default().parse(text);
    return version === null ? undefined : { tag, prefix, version };
}
function findPreviousTag(of, tags) {
    const isCandidate = ({ prefix, version }) => prefix === of.prefix &&
        semver_default().lt(version, of.version) &&
        (of.version.prerelease.length > 0 || version.prerelease.length === 0);
    return tags
        .map(parseVersionTag)
        .filter((candidate) => candidate !== undefined)
        .filter(isCandidate)
        .reduce((highest, next) => highest === undefined || semver_default().compareBuild(next.version, highest.version) > 0 ? next : highest, undefined)?.tag;
}

;// CONCATENATED MODULE: ./build/github/release-range.js


class UnknownTagError extends Error {
    name = 'UnknownTagError';
}
const MAX_TAG_DEPTH = 5;
async function readRange(octokit, repository, { tag, isNamed }) {
    const version = parseVersionTag(tag);
    const tags = await listTags(octokit, repository, version?.prefix ?? tag);
    const own = tags.get(tag);
    if (own === undefined) {
        const problem = `${repository.owner}/${repository.repo} has no tag of this name`;
        throw isNamed ? new UnknownTagError(problem) : new client/* GitHubError */.y_(problem);
    }
    const head = await resolveCommit(octokit, repository, own);
    if (version === undefined) {
        const none = 'The tag does not end in a semantic version, so there is no order to find it by.';
        return { previous: { none }, base: undefined, head };
    }
    const previous = findPreviousTag(version, [...tags.keys()]);
    const target = previous === undefined ? undefined : tags.get(previous);
    if (previous === undefined || target === undefined) {
        const none = `This is the first ${version.version.prerelease.length > 0 ? '' : 'final '}version with this prefix.`;
        return { previous: { none }, base: undefined, head };
    }
    return { previous: { tag: previous }, base: await resolveCommit(octokit, repository, target), head };
}
async function listTags(octokit, repository, prefix) {
    const { data } = await octokit.rest.git.listMatchingRefs({ ...repository, ref: `tags/${prefix}` });
    return new Map(data.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}
async function resolveCommit(octokit, repository, target) {
    let { type, sha } = target;
    for (let depth = 0; type === 'tag' && depth < MAX_TAG_DEPTH; depth += 1) {
        const { data } = await octokit.rest.git.getTag({ ...repository, tag_sha: sha });
        ({ type, sha } = data.object);
    }
    if (type !== 'commit') {
        throw new client/* GitHubError */.y_('the tag does not point at a commit');
    }
    return sha;
}

;// CONCATENATED MODULE: ./build/github/releases.js



const PARTS = [
    'everything but its name',
    'previous tag',
    'commits and changed files',
    'release notes',
];
const PAGE_SIZE = 100;
const MAX_COMMIT_PAGES = 3;
const MAX_FILES = 300;
const MAX_REQUESTS = 40;
async function readRelease(context, release, { timeoutMs, signal }) {
    const failures = new Map();
    async function attempt(part, read) {
        try {
            return await read();
        }
        catch (error) {
            if (error instanceof UnknownTagError) {
                throw error;
            }
            failures.set(part, error);
            return undefined;
        }
    }
    function createReading(known, isDiverged = false) {
        const missing = PARTS.filter((part) => failures.has(part));
        const [first] = missing;
        return {
            release: known,
            isDiverged,
            missing,
            reason: first === undefined ? '' : (0,client/* getGitHubError */.o0)(failures.get(first)).message,
        };
    }
    const { repository } = context;
    const name = repository === undefined ? 'unknown' : `${repository.owner}/${repository.repo}`;
    const bare = {
        repository: name,
        url: `${context.serverUrl}/${name}`,
        tag: release.tag,
        commit: undefined,
        previous: undefined,
        commits: undefined,
        files: undefined,
        notes: undefined,
    };
    const octokit = await attempt('everything but its name', () => {
        if (repository === undefined) {
            throw new client/* GitHubError */.y_('GITHUB_REPOSITORY is not set');
        }
        return (0,client/* createGitHubClient */.LX)(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal }).loadOctokit();
    });
    if (octokit === undefined || repository === undefined) {
        return createReading(bare);
    }
    const [range, notes] = await Promise.all([
        attempt('previous tag', () => readRange(octokit, repository, release)),
        attempt('release notes', () => readNotes(octokit, repository, release.tag)),
    ]);
    if (range === undefined) {
        const reason = failures.get('previous tag');
        failures.set('commits and changed files', reason);
        if (notes === '') {
            failures.set('release notes', reason);
        }
        return createReading({ ...bare, notes: notes || undefined });
    }
    const { previous, base, head } = range;
    const comparison = base === undefined
        ? undefined
        : await attempt('commits and changed files', () => readComparison(octokit, repository, base, head));
    const { commits, files, isDiverged } = comparison ?? {};
    return createReading({ ...bare, commit: head, previous, notes, commits, files }, isDiverged);
}
async function readComparison(octokit, repository, base, head) {
    const getPage = async (page) => {
        const basehead = `${base}...${head}`;
        const query = { ...repository, basehead, per_page: PAGE_SIZE, page };
        return (await octokit.rest.repos.compareCommitsWithBasehead(query)).data;
    };
    const first = await getPage(1);
    const last = Math.ceil(first.total_commits / PAGE_SIZE);
    const pages = [];
    for (let page = last; page >= 2 && page > last - MAX_COMMIT_PAGES; page -= 1) {
        pages.unshift(await getPage(page));
    }
    const isWhole = last <= MAX_COMMIT_PAGES;
    const commits = [...(isWhole ? first.commits : []), ...pages.flatMap(({ commits }) => commits)];
    const files = first.files ?? [];
    return {
        commits: { list: commits.reverse().map(toCommit), total: Number(first.total_commits) },
        files: { list: files.map(toChangedFile), isCut: files.length >= MAX_FILES },
        isDiverged: first.behind_by > 0,
    };
}
function toCommit({ sha, author, commit }) {
    const subject = commit.message.split(/[\r\n]/, 1)[0] ?? '';
    const login = author !== null && 'login' in author ? author.login : undefined;
    return { sha, subject, author: login === undefined ? (commit.author?.name ?? 'unknown') : `@${login}` };
}
function toChangedFile(file) {
    const { filename: path, previous_filename: previousPath, status } = file;
    return { path, previousPath, status, additions: Number(file.additions), deletions: Number(file.deletions) };
}
async function readNotes(octokit, repository, tag) {
    try {
        return (await octokit.rest.repos.getReleaseByTag({ ...repository, tag })).data.body ?? '';
    }
    catch (error) {
        if ((0,client/* getGitHubError */.o0)(error).httpStatus === 404) {
            return '';
        }
        throw error;
    }
}


/***/ })

};
;