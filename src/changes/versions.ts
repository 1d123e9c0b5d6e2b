/**
 * The kinds of words after the numbers, in the order of their versions, as in docs/changes.md. Any
 * other word is a variant, such as `android`, which is a series of its own.
 */
const KINDS = [
  'dev development snapshot nightly canary next',
  'alpha a',
  'beta b',
  'milestone m preview pre',
  'rc cr c',
  'final release ga stable',
  'post hotfix fix fixed patch p sp v',
].map((words) => words.split(' '));
const FINAL = BigInt(KINDS.length - 2);
/** Also the kind of what comes after a version without a word: numbers, a letter, and builds. */
const HOTFIX = FINAL + 1n;

/** Numbers with one kind of separator. The `1` of `2-1.0.3` begins another version. */
const NUMBERS = String.raw`\d+(?:(?![-_]\d+\.\d+\.)(?<mark>[-._])\d+(?:\k<mark>\d+)*)?`;
/** The first number that stands alone, or after `v`, or has a second one. */
const START = /(?<![a-z\d])(?:v[-_.]?)?\d|(?<=[a-z])\d+[._]\d/i;
const VERSION = new RegExp(`^(?:v[-_.]?)?(?<digits>${NUMBERS})(?<end>.*)$`, 'i');
/** A word with its numbers, or one of both. */
const WORD = new RegExp(`(\\p{L}*)(?:(?![-_]\\d+\\.\\d+\\.)[-_.]?(${NUMBERS}))?`, 'gu');
const HASH = /(?<=[-_.+])(?=[a-f]*\d)(?=\d*[a-f][\da-f])[\da-f]{7,40}(?![a-z\d])/gi;
/** Their numbers don't count versions. */
const PLATFORM =
  /(?<![a-z])(?:amd|arm|cuda?|el|java|jdk|jre|node|php|py|python|ubuntu|win|x(?:86_)?)\d+/g;

/** They are compared one after the other. Missing ones are 0. */
type Numbers = readonly bigint[];

interface Version {
  readonly tag: string;
  /** What is before the numbers, as the tag spells it. */
  readonly lead: string;
  /** The name, and the variant if there is one. */
  readonly series: string;
  /** The words of its build. They make no series. */
  readonly build: string;
  /** The numbers, and for each word after them, its kind and its numbers. */
  readonly parts: readonly [Numbers, ...Numbers[]];
}

/** Splits a tag where its version begins. `rest` is empty if it has none. */
function splitTag(tag: string): { name: string; rest: string } {
  const from = 1 + Math.max(tag.lastIndexOf('/'), tag.lastIndexOf('@'));
  const text = tag.slice(from).replace(HASH, (hash) => '-'.repeat(hash.length));
  const at = [START, /\d/].map((start) => text.search(start)).find((index) => index >= 0);
  return at === undefined
    ? { name: tag.slice(0, from), rest: '' }
    : { name: tag.slice(0, from + at).replace(/(?<![-_.])[-_.]+$/, ''), rest: text.slice(at) };
}

/**
 * Returns what all tags of a tag's series begin with, without a `v` and a separator. Without a
 * version, it is what the tag has before its last `/` or `@`.
 */
export function getPrefix(tag: string): string {
  return splitTag(tag).name;
}

/** Reads the version of a tag from `text`. Undefined if it has no numbers. */
function parseTag(tag: string, text = tag): Version | undefined {
  const { name, rest } = splitTag(text);
  const { digits, end = '' } = VERSION.exec(rest)?.groups ?? {};
  if (digits === undefined) {
    return undefined;
  }
  const [before = '', ...builds] = end.toLowerCase().replace(PLATFORM, toLetters).split('+');
  const words = [...readWords(before, false), ...readWords(builds.join(), true)];
  const variant = words.flatMap((word) => word.variant ?? []);
  // A word for the version itself says nothing.
  const said = words.filter(({ kind, numbers }) => kind !== FINAL || numbers.length > 0);
  return {
    tag,
    lead: text.slice(0, -(digits + end).length),
    series: [name, ...variant].join(' '),
    build: builds.join().replace(/[^\p{L}]+/gu, ' '),
    parts: [readNumbers(digits), ...said.map(({ kind, numbers }) => [kind, ...numbers])],
  };
}

function toLetters(digits: string): string {
  return digits.replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

function readNumbers(digits: string): Numbers {
  return (digits.match(/\d+/g) ?? []).map(BigInt);
}

interface Word {
  readonly kind: bigint;
  readonly numbers: Numbers;
  readonly variant?: string;
}

function readWords(text: string, isBuild: boolean): Word[] {
  return [...text.matchAll(WORD)]
    .filter(([all]) => all !== '')
    .map(([, word = '', digits = '']) => readWord(word, digits, isBuild));
}

function readWord(word: string, digits: string, isBuild: boolean): Word {
  const numbers = readNumbers(digits);
  if (word.length === 1 && digits === '') {
    return { kind: HOTFIX, numbers: [BigInt(word.charCodeAt(0))] };
  }
  // A letter in a build, such as in `+k3s1`, has no meaning.
  const isWord = word.length > (isBuild ? 1 : 0);
  const kind = isWord ? KINDS.findIndex((words) => words.includes(word)) : -1;
  if (kind >= 0) {
    return { kind: BigInt(kind), numbers };
  }
  return isWord && !isBuild ? { kind: FINAL, numbers, variant: word } : { kind: HOTFIX, numbers };
}

/** Returns a number below 0 if a version comes before another one of its series. */
function compare(one: Version, other: Version): number {
  const length = Math.max(one.parts.length, other.parts.length);
  for (let index = 0; index < length; index += 1) {
    const order = compareNumbers(one.parts[index] ?? [FINAL], other.parts[index] ?? [FINAL]);
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}

function compareNumbers(one: Numbers, other: Numbers): number {
  const length = Math.max(one.length, other.length);
  const gaps = Array.from({ length }, (_, index) => (one[index] ?? 0n) - (other[index] ?? 0n));
  return Math.sign(Number(gaps.find((gap) => gap !== 0n) ?? 0n));
}

function isPreRelease({ parts: [, ...end] }: Version): boolean {
  return end.some(([kind = FINAL]) => kind < FINAL);
}

/** True for `v1` and `v1.2` beside any version that begins so. */
function isShortFor(short: Version, long: Version): boolean {
  const { length } = short.parts[0];
  const isBeginning = compareNumbers(short.parts[0], long.parts[0].slice(0, length)) === 0;
  return short.parts.length === 1 && length < 3 && length < long.parts[0].length && isBeginning;
}

/**
 * True for `v1` and `v1.2` beside `v1.2.0`, which move when such a version is released. Not for
 * `v1.2` beside `v1.2.1` alone, because there are projects without a `v1.2.0`.
 */
function movesWith(short: Version, long: Version): boolean {
  const isSame = compareNumbers(short.parts[0], long.parts[0]) === 0;
  const isFarShorter = long.parts[0].length - short.parts[0].length > 1;
  return isShortFor(short, long) && (isSame || isFarShorter);
}

/** Reads a tag and others. npm counts pre-releases from 0: beside `1.0.0-0`, `1.0.0-1` is one. */
function parseTags(tag: string, tags: Iterable<string>) {
  const known = new Set([tag, ...tags]);
  const isCounted = (text: string) => known.has(text.replace(/(?<=\.\d+-)\d+$/, '0'));
  const parse = (text: string) =>
    parseTag(text, isCounted(text) ? text.replace(/(?<=\.\d+)-(?=\d+$)/, '-dev.') : text);
  // Sorted, so that the order of the list decides nothing.
  return { own: parse(tag), others: [...known].sort().flatMap((other) => parse(other) ?? []) };
}

/** Of two spellings of one version, the longer one is first, because the other one may move. */
function compareFromHighest(one: Version, other: Version): number {
  return compare(other, one) || other.parts[0].length - one.parts[0].length;
}

/**
 * Finds the highest version below that of a tag, in the same series. Skips pre-releases, unless the
 * tag is one. Undefined for a tag without a version, and one such as `v1` that moves with others.
 */
export function findPreviousVersion(tag: string, tags: Iterable<string>) {
  const { own, others } = parseTags(tag, tags);
  const series = others.filter((other) => other.series === own?.series);
  const finals = series.filter((other) => !isPreRelease(other));
  if (own === undefined || finals.some((other) => movesWith(own, other))) {
    return undefined;
  }
  const isSpelledSo = ({ lead }: Version): number => Number(lead === own.lead);
  const [start] = (isPreRelease(own) ? series : finals)
    .filter((other) => compare(other, own) < 0 && !movesWith(other, own))
    .sort((a, b) => compareFromHighest(a, b) || isSpelledSo(b) - isSpelledSo(a));
  /** Undefined for a first version. */
  return { start: start?.tag };
}

/**
 * Returns the versions that a tag such as `v1`, `v1.2`, or `latest` may stand for, the highest
 * first, and pre-releases last. Other tags have none.
 */
export function listVersions(tag: string, tags: Iterable<string>): Version[] {
  const { own, others } = parseTags(tag, tags);
  const prefix = getPrefix(tag);
  return others
    .filter((other) =>
      own === undefined
        ? other.tag.startsWith(prefix)
        : other.series === own.series && isShortFor(own, other),
    )
    .sort((a, b) => Number(isPreRelease(a)) - Number(isPreRelease(b)) || compareFromHighest(a, b));
}

/** Returns the tag of the version that a tag such as `v1` stands for, from those on its commit. */
export function findVersion(tag: string, tagsOnCommit: Iterable<string>): string | undefined {
  const [first, ...others] = listVersions(tag, tagsOnCommit);
  // `latest` may be on a commit with releases of several packages.
  return others.every(({ series }) => series === first?.series) ? first?.tag : undefined;
}

/** Tags with these names move to each release. */
const NEWEST = /(?:^|[-_.]|(?<=[/@]))(?:latest|stable|current|x)$/i;
/** A number that belongs to the name, such as the `1` of `api-v1-2.3.0`. */
const NAMED = /(?<=(?:^|[-_/@])v?)\d+(?=[-_]v?\d+\.\d+\.\d)/gi;

/** So that a digit that belongs to a name is no version, and no other name. */
function toCapitals(text: string): string {
  return text.replace(/\d/g, (digit) => 'ABCDEFGHIJ'.charAt(Number(digit)));
}

/**
 * Returns what a release is called without the numbers of its version: `v1`, `v1.2.0`, and `latest`
 * are the same, but release candidates, variants, builds, and other tags without numbers are not.
 */
export function getReleaseName(tag: string): string {
  const text = tag.replace(NEWEST, '');
  const name = text.replace(NAMED, toCapitals);
  const isNumbered = START.test(name) || (text === tag && /\d$/.test(name));
  const version = isNumbered ? parseTag(name) : undefined;
  const { series = name, build = '', parts: [, ...end] = [[]] } = version ?? {};
  return [toCapitals(series), ...end.map((numbers) => numbers.join('.')), build].join(' ').trim();
}
