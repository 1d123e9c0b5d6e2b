"use strict";
exports.id = 330;
exports.ids = [330];
exports.modules = {

/***/ 330:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  readChanges: () => (/* binding */ readChanges),
  readTagCommit: () => (/* reexport */ readTagCommit)
});

// EXTERNAL MODULE: ./node_modules/zod/v4/mini/schemas.js
var schemas = __webpack_require__(4343);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/api.js + 1 modules
var api = __webpack_require__(3305);
// EXTERNAL MODULE: ./build/src/errors.js
var errors = __webpack_require__(6595);
// EXTERNAL MODULE: ./build/src/github/api.js
var github_api = __webpack_require__(3808);
// EXTERNAL MODULE: ./build/src/text/link.js
var text_link = __webpack_require__(9826);
// EXTERNAL MODULE: ./build/src/text/message.js
var message = __webpack_require__(6691);
// EXTERNAL MODULE: ./build/src/text/ref.js
var ref = __webpack_require__(2717);
// EXTERNAL MODULE: ./build/src/changes/range.js
var range = __webpack_require__(5421);
// EXTERNAL MODULE: ./node_modules/semver/classes/semver.js
var semver = __webpack_require__(7163);
var semver_default = /*#__PURE__*/__webpack_require__.n(semver);
;// CONCATENATED MODULE: ./build/src/changes/tags.js






const MAX_HOPS = 5;
const MAX_LOOKS = 9;
const PAUSE_MS = 2_000;
const targetSchema = schemas/* object */.Ikc({ type: schemas/* string */.YjP(), sha: schemas/* string */.YjP() });
const refsSchema = schemas/* array */.YOg(schemas/* object */.Ikc({ ref: schemas/* string */.YjP(), object: targetSchema }));
const tagSchema = schemas/* object */.Ikc({ object: targetSchema });
async function readTag(tag, isNamed, run) {
    const { api } = run;
    const version = parseVersionTag(tag);
    const prefix = version === undefined ? tag : removeV(version.prefix);
    const tags = await listTags(prefix, tag, isNamed, run);
    const commit = await resolveCommit(api, tags.get(tag));
    if (version === undefined) {
        return { commit, start: { kind: 'none', reason: 'the tag does not end in a version' } };
    }
    const { previous: ref, passedOver } = findPreviousTag(version, tags.keys());
    if (ref === undefined) {
        const nearer = passedOver === undefined ? '' : ` (${passedOver} was passed over)`;
        const reason = `no earlier release has this prefix${nearer}`;
        return { commit, start: { kind: 'none', reason } };
    }
    const tagCommit = await resolveCommit(api, tags.get(ref));
    return { commit, start: { kind: 'known', ref, tagCommit, passedOver } };
}
async function readTagCommit(tag, run) {
    const tags = await listTags(tag, tag, true, run);
    return resolveCommit(run.api, tags.get(tag));
}
async function listTags(prefix, tag, isNamed, { api, clock, cancel }) {
    let tags = await readTags(api, prefix);
    for (let looks = 1; tags?.has(tag) === false && looks < MAX_LOOKS; looks += 1) {
        await clock.sleep(PAUSE_MS, cancel);
        tags = await readTags(api, prefix).catch(() => undefined);
    }
    if (tags?.has(tag)) {
        return tags;
    }
    if (!isNamed || cancel.aborted) {
        throw new github_api/* GitHubError */.y_('the repository has no tag with this name');
    }
    throw new errors/* InputError */.dz([
        (0,message/* message */.iU) `${(0,message/* code */.aY)('release-tag')} names ${(0,message/* code */.aY)(tag)}, but the repository has no such tag yet. A
      draft release has none.`,
    ]);
}
async function readTags(api, prefix) {
    const refs = await api.read(refsSchema, `/git/matching-refs/tags/${(0,text_link/* encodePath */.O0)(prefix)}`);
    return new Map(refs.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}
async function resolveCommit(api, tag) {
    let target = tag;
    for (let hops = 0; target?.type === 'tag' && hops < MAX_HOPS; hops += 1) {
        target = (await api.read(tagSchema, `/git/tags/${(0,text_link/* encodePath */.O0)(target.sha)}`)).object;
    }
    if (target?.type !== 'commit') {
        throw new github_api/* GitHubError */.y_('the tag does not point to a commit');
    }
    return target.sha;
}
const VERSION_AT_END = /^(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;
const LEADING_ZEROS = /(?<=^|[.-])0+(?=\d)/g;
function parseVersionTag(tag) {
    const [, prefix = '', text = ''] = tag.length > 255 ? [] : (VERSION_AT_END.exec(tag) ?? []);
    const version = (0,errors/* undefinedIfThrown */.kU)(() => new (semver_default())(text.replace(LEADING_ZEROS, '')));
    return version && { tag, prefix, version };
}
function removeV(prefix) {
    return prefix.replace(/(?<![A-Za-z])v$/, '');
}
function findPreviousTag({ prefix, version }, tags) {
    const isPreRelease = version.prerelease.length > 0;
    const lower = [...tags]
        .flatMap((tag) => parseVersionTag(tag) ?? [])
        .filter((other) => removeV(other.prefix) === removeV(prefix))
        .filter((other) => isPreRelease || other.version.prerelease.length === 0)
        .filter((other) => other.version.compare(version) < 0)
        .sort((a, b) => b.version.compare(a.version) || b.version.compareBuild(a.version));
    const previous = lower.find((other) => other.prefix === prefix);
    const [nearest] = lower;
    const isPassedOver = previous === undefined || nearest?.version.compare(previous.version) === 1;
    return { previous: previous?.tag, passedOver: isPassedOver ? nearest?.tag : undefined };
}

;// CONCATENATED MODULE: ./build/src/changes/read-changes.js









const MAX_FILES = 300;
const COMMIT = /^[0-9a-f]{40}$/;
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
    status: schemas/* enum */.k5n(['ahead', 'diverged', 'behind', 'identical']),
    total_commits: count,
    behind_by: count,
    commits: schemas/* array */.YOg(commitSchema),
    files: schemas/* array */.YOg(fileSchema),
});
const releaseSchema = schemas/* object */.Ikc({ body: schemas/* nullable */.mee(schemas/* string */.YjP()) });
async function readChanges(run) {
    const { tag } = run.inputs;
    const failures = new Map();
    const failFor = (part) => (error) => {
        if (!(error instanceof github_api/* GitHubError */.y_)) {
            throw error;
        }
        failures.set(part, error);
        return error;
    };
    const found = await findRange(run).catch(failFor('start of the changes, commits, files'));
    const range = found instanceof github_api/* GitHubError */.y_ ? { start: toUnknown(found) } : found;
    const open = { ...run, api: run.openApi() };
    const compared = await readComparison(range, open).catch(failFor('commits, files'));
    const isUnread = compared instanceof github_api/* GitHubError */.y_;
    const start = isUnread ? await explain(compared, range, open) : range.start;
    const notes = await readNotes(range, open).catch(failFor('release notes'));
    const errors = [...failures.values()];
    return {
        tag,
        commit: range.commit,
        start,
        changes: isUnread ? undefined : compared,
        notes: notes instanceof github_api/* GitHubError */.y_ ? undefined : notes,
        missing: [...failures.keys()],
        reason: errors[0]?.message ?? '',
        isRefused: errors.some(({ failure }) => failure.kind === 'access'),
    };
}
async function findRange(run) {
    const { github, findLastJob } = run;
    const { tag, changesSince } = run.inputs;
    const isNamed = tag !== github.eventTag;
    const { start, commit: tagCommit } = tag === undefined ? {} : await readTag(tag, isNamed, { ...run, api: run.openApi() });
    const commit = isNamed ? tagCommit : (github.sha ?? tagCommit);
    if (commit === undefined) {
        throw new github_api/* GitHubError */.y_('GITHUB_SHA is not set', { kind: 'setting' });
    }
    if (changesSince === range/* LAST_JOB */.x) {
        const ref = await findLastJob();
        return { commit, start: ref === undefined ? { kind: 'first-run' } : { kind: 'known', ref } };
    }
    if (changesSince !== undefined) {
        return { commit, start: { kind: 'known', ref: (0,ref/* toRefName */.kk)(changesSince) } };
    }
    return { commit, start: start ?? findPushStart(github) };
}
function findPushStart({ branch, before, defaultBranch }) {
    if (before !== undefined && !(0,ref/* isZeros */.qq)(before)) {
        return { kind: 'known', ref: before };
    }
    return defaultBranch === undefined || defaultBranch === branch
        ? { kind: 'none', reason: 'the push created the branch' }
        : { kind: 'known', ref: defaultBranch };
}
async function readComparison({ start, commit }, { api, github }) {
    if (start.kind !== 'known' || commit === undefined) {
        return undefined;
    }
    const { ref, tagCommit: base = ref } = start;
    if (base === commit) {
        return { commits: [], total: 0, files: [], isCut: false, status: 'identical' };
    }
    const path = `/compare/${(0,text_link/* encodePath */.O0)(base)}...${(0,text_link/* encodePath */.O0)(commit)}`;
    let comparison = await api.read(comparisonSchema, path);
    if (comparison.total_commits > 0 && comparison.files.length === 0) {
        comparison = await api.read(comparisonSchema, path);
    }
    const areCommits = COMMIT.test(base) && COMMIT.test(commit);
    if (!isConsistent(comparison) || (areCommits && comparison.status === 'identical')) {
        throw new github_api/* GitHubError */.y_('the comparison contradicts itself');
    }
    const { status, total_commits: total, commits, files } = comparison;
    return {
        commits: commits.reverse(),
        total,
        files,
        isCut: files.length >= MAX_FILES,
        status: status === 'diverged' && base === github.defaultBranch ? 'ahead' : status,
    };
}
function isConsistent(comparison) {
    const { status, total_commits: total, behind_by: behind, commits, files } = comparison;
    if (total === 0) {
        const isEmpty = commits.length === 0 && files.length === 0;
        return isEmpty && status === (behind > 0 ? 'behind' : 'identical');
    }
    const isListed = commits.length > 0 && commits.length <= total;
    return isListed && status === (behind > 0 ? 'diverged' : 'ahead');
}
function toUnknown({ message: detail, failure }) {
    return { kind: 'unknown', cause: failure.kind, detail };
}
async function explain(error, { commit = '', start }, { api, inputs: { tag, changesSince } }) {
    const named = changesSince === range/* LAST_JOB */.x ? undefined : changesSince;
    const isMissing = error.failure.httpStatus === 404 && (await canRead(api, commit));
    if (isMissing && named !== undefined && !/no common ancestor/i.test(error.message)) {
        throw new errors/* InputError */.dz([
            (0,message/* message */.iU) `{changes-since} is wrong: ${(0,message/* code */.aY)(named)} is no tag, branch, or commit of the
        repository.`,
        ]);
    }
    if (tag !== undefined || (error.failure.kind === 'unavailable' && named === undefined)) {
        return start;
    }
    return isMissing && start.kind === 'known'
        ? { kind: 'unknown', cause: 'gone', detail: `${error.message} (${(0,text_link/* shortenCommit */.tl)(start.ref)})` }
        : toUnknown(error);
}
async function canRead(api, commit) {
    const reading = api.read(schemas/* object */.Ikc({ sha: schemas/* string */.YjP() }), `/commits/${(0,text_link/* encodePath */.O0)(commit)}`);
    return reading.then(() => true).catch(() => false);
}
async function readNotes({ commit }, { api, inputs: { tag } }) {
    if (tag === undefined) {
        return undefined;
    }
    try {
        const path = `/releases/tags/${(0,text_link/* encodePath */.O0)(tag)}`;
        return (await api.read(releaseSchema, path, { isOptional: true })).body ?? '';
    }
    catch (error) {
        if (commit !== undefined && (0,github_api/* getGitHubError */.o0)(error).failure.httpStatus === 404) {
            return '';
        }
        throw error;
    }
}


/***/ }),

/***/ 7163:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {



const debug = __webpack_require__(1159)
const { MAX_LENGTH, MAX_SAFE_INTEGER } = __webpack_require__(5101)
const { safeRe: re, t } = __webpack_require__(5471)

const parseOptions = __webpack_require__(356)
const { compareIdentifiers } = __webpack_require__(3348)

const isPrereleaseIdentifier = (prerelease, identifier) => {
  const identifiers = identifier.split('.')
  if (identifiers.length > prerelease.length) {
    return false
  }

  for (let i = 0; i < identifiers.length; i++) {
    if (compareIdentifiers(prerelease[i], identifiers[i]) !== 0) {
      return false
    }
  }

  return true
}

class SemVer {
  constructor (version, options) {
    options = parseOptions(options)

    if (version instanceof SemVer) {
      if (version.loose === !!options.loose &&
        version.includePrerelease === !!options.includePrerelease) {
        return version
      } else {
        version = version.version
      }
    } else if (typeof version !== 'string') {
      throw new TypeError(`Invalid version. Must be a string. Got type "${typeof version}".`)
    }

    if (version.length > MAX_LENGTH) {
      throw new TypeError(
        `version is longer than ${MAX_LENGTH} characters`
      )
    }

    debug('SemVer', version, options)
    this.options = options
    this.loose = !!options.loose
    // this isn't actually relevant for versions, but keep it so that we
    // don't run into trouble passing this.options around.
    this.includePrerelease = !!options.includePrerelease

    const m = version.trim().match(options.loose ? re[t.LOOSE] : re[t.FULL])

    if (!m) {
      throw new TypeError(`Invalid Version: ${version}`)
    }

    this.raw = version

    // these are actually numbers
    this.major = +m[1]
    this.minor = +m[2]
    this.patch = +m[3]

    if (this.major > MAX_SAFE_INTEGER || this.major < 0) {
      throw new TypeError('Invalid major version')
    }

    if (this.minor > MAX_SAFE_INTEGER || this.minor < 0) {
      throw new TypeError('Invalid minor version')
    }

    if (this.patch > MAX_SAFE_INTEGER || this.patch < 0) {
      throw new TypeError('Invalid patch version')
    }

    // numberify any prerelease numeric ids
    if (!m[4]) {
      this.prerelease = []
    } else {
      this.prerelease = m[4].split('.').map((id) => {
        if (/^[0-9]+$/.test(id)) {
          const num = +id
          if (num >= 0 && num < MAX_SAFE_INTEGER) {
            return num
          }
        }
        return id
      })
    }

    this.build = m[5] ? m[5].split('.') : []
    this.format()
  }

  format () {
    this.version = `${this.major}.${this.minor}.${this.patch}`
    if (this.prerelease.length) {
      this.version += `-${this.prerelease.join('.')}`
    }
    return this.version
  }

  toString () {
    return this.version
  }

  compare (other) {
    debug('SemVer.compare', this.version, this.options, other)
    if (!(other instanceof SemVer)) {
      if (typeof other === 'string' && other === this.version) {
        return 0
      }
      other = new SemVer(other, this.options)
    }

    if (other.version === this.version) {
      return 0
    }

    return this.compareMain(other) || this.comparePre(other)
  }

  compareMain (other) {
    if (!(other instanceof SemVer)) {
      other = new SemVer(other, this.options)
    }

    if (this.major < other.major) {
      return -1
    }
    if (this.major > other.major) {
      return 1
    }
    if (this.minor < other.minor) {
      return -1
    }
    if (this.minor > other.minor) {
      return 1
    }
    if (this.patch < other.patch) {
      return -1
    }
    if (this.patch > other.patch) {
      return 1
    }
    return 0
  }

  comparePre (other) {
    if (!(other instanceof SemVer)) {
      other = new SemVer(other, this.options)
    }

    // NOT having a prerelease is > having one
    if (this.prerelease.length && !other.prerelease.length) {
      return -1
    } else if (!this.prerelease.length && other.prerelease.length) {
      return 1
    } else if (!this.prerelease.length && !other.prerelease.length) {
      return 0
    }

    let i = 0
    do {
      const a = this.prerelease[i]
      const b = other.prerelease[i]
      debug('prerelease compare', i, a, b)
      if (a === undefined && b === undefined) {
        return 0
      } else if (b === undefined) {
        return 1
      } else if (a === undefined) {
        return -1
      } else if (a === b) {
        continue
      } else {
        return compareIdentifiers(a, b)
      }
    } while (++i)
  }

  compareBuild (other) {
    if (!(other instanceof SemVer)) {
      other = new SemVer(other, this.options)
    }

    let i = 0
    do {
      const a = this.build[i]
      const b = other.build[i]
      debug('build compare', i, a, b)
      if (a === undefined && b === undefined) {
        return 0
      } else if (b === undefined) {
        return 1
      } else if (a === undefined) {
        return -1
      } else if (a === b) {
        continue
      } else {
        return compareIdentifiers(a, b)
      }
    } while (++i)
  }

  // preminor will bump the version up to the next minor release, and immediately
  // down to pre-release. premajor and prepatch work the same way.
  inc (release, identifier, identifierBase) {
    if (release.startsWith('pre')) {
      if (!identifier && identifierBase === false) {
        throw new Error('invalid increment argument: identifier is empty')
      }
      // Avoid an invalid semver results
      if (identifier) {
        const match = `-${identifier}`.match(this.options.loose ? re[t.PRERELEASELOOSE] : re[t.PRERELEASE])
        if (!match || match[1] !== identifier) {
          throw new Error(`invalid identifier: ${identifier}`)
        }
      }
    }

    switch (release) {
      case 'premajor':
        this.prerelease.length = 0
        this.patch = 0
        this.minor = 0
        this.major++
        this.inc('pre', identifier, identifierBase)
        break
      case 'preminor':
        this.prerelease.length = 0
        this.patch = 0
        this.minor++
        this.inc('pre', identifier, identifierBase)
        break
      case 'prepatch':
        // If this is already a prerelease, it will bump to the next version
        // drop any prereleases that might already exist, since they are not
        // relevant at this point.
        this.prerelease.length = 0
        this.inc('patch', identifier, identifierBase)
        this.inc('pre', identifier, identifierBase)
        break
      // If the input is a non-prerelease version, this acts the same as
      // prepatch.
      case 'prerelease':
        if (this.prerelease.length === 0) {
          this.inc('patch', identifier, identifierBase)
        }
        this.inc('pre', identifier, identifierBase)
        break
      case 'release':
        if (this.prerelease.length === 0) {
          throw new Error(`version ${this.raw} is not a prerelease`)
        }
        this.prerelease.length = 0
        break

      case 'major':
        // If this is a pre-major version, bump up to the same major version.
        // Otherwise increment major.
        // 1.0.0-5 bumps to 1.0.0
        // 1.1.0 bumps to 2.0.0
        if (
          this.minor !== 0 ||
          this.patch !== 0 ||
          this.prerelease.length === 0
        ) {
          this.major++
        }
        this.minor = 0
        this.patch = 0
        this.prerelease = []
        break
      case 'minor':
        // If this is a pre-minor version, bump up to the same minor version.
        // Otherwise increment minor.
        // 1.2.0-5 bumps to 1.2.0
        // 1.2.1 bumps to 1.3.0
        if (this.patch !== 0 || this.prerelease.length === 0) {
          this.minor++
        }
        this.patch = 0
        this.prerelease = []
        break
      case 'patch':
        // If this is not a pre-release version, it will increment the patch.
        // If it is a pre-release it will bump up to the same patch version.
        // 1.2.0-5 patches to 1.2.0
        // 1.2.0 patches to 1.2.1
        if (this.prerelease.length === 0) {
          this.patch++
        }
        this.prerelease = []
        break
      // This probably shouldn't be used publicly.
      // 1.0.0 'pre' would become 1.0.0-0 which is the wrong direction.
      case 'pre': {
        const base = Number(identifierBase) ? 1 : 0

        if (this.prerelease.length === 0) {
          this.prerelease = [base]
        } else {
          let i = this.prerelease.length
          while (--i >= 0) {
            if (typeof this.prerelease[i] === 'number') {
              this.prerelease[i]++
              i = -2
            }
          }
          if (i === -1) {
            // didn't increment anything
            if (identifier === this.prerelease.join('.') && identifierBase === false) {
              throw new Error('invalid increment argument: identifier already exists')
            }
            this.prerelease.push(base)
          }
        }
        if (identifier) {
          // 1.2.0-beta.1 bumps to 1.2.0-beta.2,
          // 1.2.0-beta.fooblz or 1.2.0-beta bumps to 1.2.0-beta.0
          let prerelease = [identifier, base]
          if (identifierBase === false) {
            prerelease = [identifier]
          }
          if (isPrereleaseIdentifier(this.prerelease, identifier)) {
            const prereleaseBase = this.prerelease[identifier.split('.').length]
            if (isNaN(prereleaseBase)) {
              this.prerelease = prerelease
            }
          } else {
            this.prerelease = prerelease
          }
        }
        break
      }
      default:
        throw new Error(`invalid increment argument: ${release}`)
    }
    this.raw = this.format()
    if (this.build.length) {
      this.raw += `+${this.build.join('.')}`
    }
    return this
  }
}

module.exports = SemVer


/***/ }),

/***/ 5101:
/***/ ((module) => {



// Note: this is the semver.org version of the spec that it implements
// Not necessarily the package version of this code.
const SEMVER_SPEC_VERSION = '2.0.0'

const MAX_LENGTH = 256
const MAX_SAFE_INTEGER = Number.MAX_SAFE_INTEGER ||
/* istanbul ignore next */ 9007199254740991

// Max safe segment length for coercion.
const MAX_SAFE_COMPONENT_LENGTH = 16

// Max safe length for a build identifier. The max length minus 6 characters for
// the shortest version with a build 0.0.0+BUILD.
const MAX_SAFE_BUILD_LENGTH = MAX_LENGTH - 6

// ECMAScript whitespace and line terminators matched by \s.
const WHITESPACE_CHARACTERS = [
  '\t',
  '\n',
  '\v',
  '\f',
  '\r',
  ' ',
  '\u00a0',
  '\u1680',
  '\u2000',
  '\u2001',
  '\u2002',
  '\u2003',
  '\u2004',
  '\u2005',
  '\u2006',
  '\u2007',
  '\u2008',
  '\u2009',
  '\u200a',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '\ufeff',
]

const RELEASE_TYPES = [
  'major',
  'premajor',
  'minor',
  'preminor',
  'patch',
  'prepatch',
  'prerelease',
]

module.exports = {
  MAX_LENGTH,
  MAX_SAFE_COMPONENT_LENGTH,
  MAX_SAFE_BUILD_LENGTH,
  MAX_SAFE_INTEGER,
  WHITESPACE_CHARACTERS,
  RELEASE_TYPES,
  SEMVER_SPEC_VERSION,
  FLAG_INCLUDE_PRERELEASE: 0b001,
  FLAG_LOOSE: 0b010,
}


/***/ }),

/***/ 1159:
/***/ ((module) => {



const debug = (
  typeof process === 'object' &&
  process.env &&
  process.env.NODE_DEBUG &&
  /\bsemver\b/i.test(process.env.NODE_DEBUG)
) ? (...args) => console.error('SEMVER', ...args)
  : () => {}

module.exports = debug


/***/ }),

/***/ 3348:
/***/ ((module) => {



const numeric = /^[0-9]+$/
const compareIdentifiers = (a, b) => {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b ? 0 : a < b ? -1 : 1
  }

  const anum = numeric.test(a)
  const bnum = numeric.test(b)

  if (anum && bnum) {
    a = +a
    b = +b
  }

  return a === b ? 0
    : (anum && !bnum) ? -1
    : (bnum && !anum) ? 1
    : a < b ? -1
    : 1
}

const rcompareIdentifiers = (a, b) => compareIdentifiers(b, a)

module.exports = {
  compareIdentifiers,
  rcompareIdentifiers,
}


/***/ }),

/***/ 356:
/***/ ((module) => {



// parse out just the options we care about
const looseOption = Object.freeze({ loose: true })
const emptyOpts = Object.freeze({ })
const parseOptions = options => {
  if (!options) {
    return emptyOpts
  }

  if (typeof options !== 'object') {
    return looseOption
  }

  return options
}
module.exports = parseOptions


/***/ }),

/***/ 5471:
/***/ ((module, exports, __webpack_require__) => {



const {
  MAX_SAFE_COMPONENT_LENGTH,
  MAX_SAFE_BUILD_LENGTH,
  MAX_LENGTH,
} = __webpack_require__(5101)
const debug = __webpack_require__(1159)
exports = module.exports = {}

// The actual regexps go on exports.re
const re = exports.re = []
const safeRe = exports.safeRe = []
const src = exports.src = []
const safeSrc = exports.safeSrc = []
const t = exports.t = {}
let R = 0

const LETTERDASHNUMBER = '[a-zA-Z0-9-]'

// Replace some greedy regex tokens to prevent regex dos issues. These regex are
// used internally via the safeRe object since all inputs in this library get
// normalized first to trim and collapse all extra whitespace. The original
// regexes are exported for userland consumption and lower level usage. A
// future breaking change could export the safer regex only with a note that
// all input should have extra whitespace removed.
const safeRegexReplacements = [
  ['\\s', 1],
  ['\\d', MAX_LENGTH],
  [LETTERDASHNUMBER, MAX_SAFE_BUILD_LENGTH],
]

const makeSafeRegex = (value) => {
  for (const [token, max] of safeRegexReplacements) {
    value = value
      .split(`${token}*`).join(`${token}{0,${max}}`)
      .split(`${token}+`).join(`${token}{1,${max}}`)
  }
  return value
}

const createToken = (name, value, isGlobal) => {
  const safe = makeSafeRegex(value)
  const index = R++
  debug(name, index, value)
  t[name] = index
  src[index] = value
  safeSrc[index] = safe
  re[index] = new RegExp(value, isGlobal ? 'g' : undefined)
  safeRe[index] = new RegExp(safe, isGlobal ? 'g' : undefined)
}

// The following Regular Expressions can be used for tokenizing,
// validating, and parsing SemVer version strings.

// ## Numeric Identifier
// A single `0`, or a non-zero digit followed by zero or more digits.

createToken('NUMERICIDENTIFIER', '0|[1-9]\\d*')
createToken('NUMERICIDENTIFIERLOOSE', '\\d+')

// ## Non-numeric Identifier
// Zero or more digits, followed by a letter or hyphen, and then zero or
// more letters, digits, or hyphens.

createToken('NONNUMERICIDENTIFIER', `\\d*[a-zA-Z-]${LETTERDASHNUMBER}*`)

// ## Main Version
// Three dot-separated numeric identifiers.

createToken('MAINVERSION', `(${src[t.NUMERICIDENTIFIER]})\\.` +
                   `(${src[t.NUMERICIDENTIFIER]})\\.` +
                   `(${src[t.NUMERICIDENTIFIER]})`)

createToken('MAINVERSIONLOOSE', `(${src[t.NUMERICIDENTIFIERLOOSE]})\\.` +
                        `(${src[t.NUMERICIDENTIFIERLOOSE]})\\.` +
                        `(${src[t.NUMERICIDENTIFIERLOOSE]})`)

// ## Pre-release Version Identifier
// A numeric identifier, or a non-numeric identifier.
// Non-numeric identifiers include numeric identifiers but can be longer.
// Therefore non-numeric identifiers must go first.

createToken('PRERELEASEIDENTIFIER', `(?:${src[t.NONNUMERICIDENTIFIER]
}|${src[t.NUMERICIDENTIFIER]})`)

createToken('PRERELEASEIDENTIFIERLOOSE', `(?:${src[t.NONNUMERICIDENTIFIER]
}|${src[t.NUMERICIDENTIFIERLOOSE]})`)

// ## Pre-release Version
// Hyphen, followed by one or more dot-separated pre-release version
// identifiers.

createToken('PRERELEASE', `(?:-(${src[t.PRERELEASEIDENTIFIER]
}(?:\\.${src[t.PRERELEASEIDENTIFIER]})*))`)

createToken('PRERELEASELOOSE', `(?:-?(${src[t.PRERELEASEIDENTIFIERLOOSE]
}(?:\\.${src[t.PRERELEASEIDENTIFIERLOOSE]})*))`)

// ## Build Metadata Identifier
// Any combination of digits, letters, or hyphens.

createToken('BUILDIDENTIFIER', `${LETTERDASHNUMBER}+`)

// ## Build Metadata
// Plus sign, followed by one or more period-separated build metadata
// identifiers.

createToken('BUILD', `(?:\\+(${src[t.BUILDIDENTIFIER]
}(?:\\.${src[t.BUILDIDENTIFIER]})*))`)

// ## Full Version String
// A main version, followed optionally by a pre-release version and
// build metadata.

// Note that the only major, minor, patch, and pre-release sections of
// the version string are capturing groups.  The build metadata is not a
// capturing group, because it should not ever be used in version
// comparison.

createToken('FULLPLAIN', `v?${src[t.MAINVERSION]
}${src[t.PRERELEASE]}?${
  src[t.BUILD]}?`)

createToken('FULL', `^${src[t.FULLPLAIN]}$`)

// like full, but allows v1.2.3 and =1.2.3, which people do sometimes.
// also, 1.0.0alpha1 (prerelease without the hyphen) which is pretty
// common in the npm registry.
createToken('LOOSEPLAIN', `[v=\\s]*${src[t.MAINVERSIONLOOSE]
}${src[t.PRERELEASELOOSE]}?${
  src[t.BUILD]}?`)

createToken('LOOSE', `^${src[t.LOOSEPLAIN]}$`)

createToken('GTLT', '((?:<|>)?=?)')

// Something like "2.*" or "1.2.x".
// Note that "x.x" is a valid xRange identifier, meaning "any version"
// Only the first item is strictly required.
createToken('XRANGEIDENTIFIERLOOSE', `${src[t.NUMERICIDENTIFIERLOOSE]}|x|X|\\*`)
createToken('XRANGEIDENTIFIER', `${src[t.NUMERICIDENTIFIER]}|x|X|\\*`)

createToken('XRANGEPLAIN', `[v=\\s]*(${src[t.XRANGEIDENTIFIER]})` +
                   `(?:\\.(${src[t.XRANGEIDENTIFIER]})` +
                   `(?:\\.(${src[t.XRANGEIDENTIFIER]})` +
                   `(?:${src[t.PRERELEASE]})?${
                     src[t.BUILD]}?` +
                   `)?)?`)

createToken('XRANGEPLAINLOOSE', `[v=\\s]*(${src[t.XRANGEIDENTIFIERLOOSE]})` +
                        `(?:\\.(${src[t.XRANGEIDENTIFIERLOOSE]})` +
                        `(?:\\.(${src[t.XRANGEIDENTIFIERLOOSE]})` +
                        `(?:${src[t.PRERELEASELOOSE]})?${
                          src[t.BUILD]}?` +
                        `)?)?`)

createToken('XRANGE', `^${src[t.GTLT]}\\s*${src[t.XRANGEPLAIN]}$`)
createToken('XRANGELOOSE', `^${src[t.GTLT]}\\s*${src[t.XRANGEPLAINLOOSE]}$`)

// Coercion.
// Extract anything that could conceivably be a part of a valid semver
createToken('COERCEPLAIN', `${'(^|[^\\d])' +
              '(\\d{1,'}${MAX_SAFE_COMPONENT_LENGTH}})` +
              `(?:\\.(\\d{1,${MAX_SAFE_COMPONENT_LENGTH}}))?` +
              `(?:\\.(\\d{1,${MAX_SAFE_COMPONENT_LENGTH}}))?`)
createToken('COERCE', `${src[t.COERCEPLAIN]}(?:$|[^\\d])`)
createToken('COERCEFULL', src[t.COERCEPLAIN] +
              `(?:${src[t.PRERELEASE]})?` +
              `(?:${src[t.BUILD]})?` +
              `(?:$|[^\\d])`)
createToken('COERCERTL', src[t.COERCE], true)
createToken('COERCERTLFULL', src[t.COERCEFULL], true)

// Tilde ranges.
// Meaning is "reasonably at or greater than"
createToken('LONETILDE', '(?:~>?)')

createToken('TILDETRIM', `(\\s*)${src[t.LONETILDE]}\\s+`, true)
exports.tildeTrimReplace = '$1~'

createToken('TILDE', `^${src[t.LONETILDE]}${src[t.XRANGEPLAIN]}$`)
createToken('TILDELOOSE', `^${src[t.LONETILDE]}${src[t.XRANGEPLAINLOOSE]}$`)

// Caret ranges.
// Meaning is "at least and backwards compatible with"
createToken('LONECARET', '(?:\\^)')

createToken('CARETTRIM', `(\\s*)${src[t.LONECARET]}\\s+`, true)
exports.caretTrimReplace = '$1^'

createToken('CARET', `^${src[t.LONECARET]}${src[t.XRANGEPLAIN]}$`)
createToken('CARETLOOSE', `^${src[t.LONECARET]}${src[t.XRANGEPLAINLOOSE]}$`)

// A simple gt/lt/eq thing, or just "" to indicate "any version"
createToken('COMPARATORLOOSE', `^${src[t.GTLT]}\\s*(${src[t.LOOSEPLAIN]})$|^$`)
createToken('COMPARATOR', `^${src[t.GTLT]}\\s*(${src[t.FULLPLAIN]})$|^$`)

// An expression to strip any whitespace between the gtlt and the thing
// it modifies, so that `> 1.2.3` ==> `>1.2.3`
createToken('COMPARATORTRIM', `(\\s*)${src[t.GTLT]
}\\s*(${src[t.LOOSEPLAIN]}|${src[t.XRANGEPLAIN]})`, true)
exports.comparatorTrimReplace = '$1$2$3'

// Something like `1.2.3 - 1.2.4`
// Note that these all use the loose form, because they'll be
// checked against either the strict or loose comparator form
// later.
createToken('HYPHENRANGE', `^\\s*(${src[t.XRANGEPLAIN]})` +
                   `\\s+-\\s+` +
                   `(${src[t.XRANGEPLAIN]})` +
                   `\\s*$`)

createToken('HYPHENRANGELOOSE', `^\\s*(${src[t.XRANGEPLAINLOOSE]})` +
                        `\\s+-\\s+` +
                        `(${src[t.XRANGEPLAINLOOSE]})` +
                        `\\s*$`)

// Star ranges basically just allow anything at all.
createToken('STAR', '(<|>)?=?\\s*\\*')
// >=0.0.0 is like a star
createToken('GTE0', '^\\s*>=\\s*0\\.0\\.0\\s*$')
createToken('GTE0PRE', '^\\s*>=\\s*0\\.0\\.0-0\\s*$')


/***/ })

};
;