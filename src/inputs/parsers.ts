import { InputError } from '../errors.ts';
import { isJobId } from '../service/job.ts';
import { isSecureOrigin, parseUrl } from '../text/link.ts';
import { code, type Message, message } from '../text/message.ts';
import { canMatch, type PathPattern, parsePathPattern } from '../text/path-pattern.ts';
import { MIN_SECRET_LENGTH } from '../text/redact.ts';
import { isZeros, LAST_RUN, toRefName } from './changes-since.ts';

const REUSES = ['rerun', 'release', 'never'] as const;
/** Which earlier job a run waits for: of an earlier attempt, or of the release. */
export type Reuse = (typeof REUSES)[number];

/** Longest prompt, in bytes of UTF-8. */
export const MAX_PROMPT_BYTES = 1024 * 1024;
// RFC 6750 section 2.1: the characters of a bearer token.
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Template tag that rejects the value of an input. The text continues a sentence that begins with
 * the input's name.
 */
export function refuse(
  strings: TemplateStringsArray,
  ...values: readonly (string | Message)[]
): never {
  throw new InputError([message(strings, ...values)]);
}

/** Parses a prompt. Rejects the usual results of a wrong expression. */
export function parsePrompt(text: string): string {
  if (/^(?:true|false|null|undefined|NaN|Array|Object)$/i.test(text)) {
    return refuse`is only ${code(text)}, the usual result of a wrong expression: correct the
      expression.`;
  }
  if (Buffer.byteLength(text) > MAX_PROMPT_BYTES) {
    return refuse`is longer than 1 MiB: shorten it, or point the agent to a page or repository that
      holds it.`;
  }
  return text;
}

/**
 * Parses a project id. Its format is unknown, so any name that fits into one path segment is valid.
 */
export function parseProjectId(text: string): string {
  if (text.length > 256 || /^\.{1,2}$|[\s/\\?#%\p{C}]/u.test(text)) {
    return refuse`is not a project id: it must be one name without spaces, slashes, ${code('?')},
      ${code('#')}, or ${code('%')}. Copy it from the API keys page of your dashboard.`;
  }
  if (text.startsWith('mint_') && text.length >= MIN_SECRET_LENGTH) {
    return refuse`is an API key: pass it as ${code('api-key')}, and the project id here.`;
  }
  return text;
}

/** Parses the id of a job. */
export function parseJobId(text: string): string {
  if (!isJobId(text)) {
    return refuse`is not a job id: copy it from the ${code('job-id')} output or the summary of the
      run that started the job.`;
  }
  return text;
}

/** Parses a GitHub token. */
export function parseToken(text: string): string {
  const hasForm = BEARER_TOKEN.test(text) && text.length >= MIN_SECRET_LENGTH;
  if (!hasForm || text.startsWith('mint_')) {
    return refuse`is not a GitHub token: remove this input, or pass a token from a secret.`;
  }
  return text;
}

// The rules of `git check-ref-format`.
const INVALID_REF = [
  /[\s\p{C}~^:?*[\\]/u,
  /\.\.|@\{|\/\/|\/\./,
  /\.lock(?:\/|$)/,
  /^[./-]|[./]$/,
  /^@?$/,
];

function isRefName(name: string): boolean {
  return name.length <= 255 && !INVALID_REF.some((pattern) => pattern.test(name));
}

/** Parses the name of a tag, or its full ref. */
export function parseTag(text: string): string {
  const tag = text.replace(/^refs\/tags\//, '');
  if (!isRefName(tag)) {
    return refuse`is not a valid tag name: write it as ${code('git tag')} lists it.`;
  }
  return tag;
}

/**
 * Parses where the changes begin. Undefined for forty zeros, which stand for no commit in the
 * events of GitHub.
 */
export function parseChangesSince(text: string): string | undefined {
  if (isZeros(text)) {
    return undefined;
  }
  const name = toRefName(text);
  if (text !== LAST_RUN && (!isRefName(name) || name === 'HEAD')) {
    return refuse`must be a tag, branch, or commit of this repository, or {last successful run}.
      Forms such as {HEAD~1}, {owner:branch}, or {24 hours} don't work.`;
  }
  return text;
}

/**
 * Parses the address of the service: an `https` URL with only host and path. Loopback addresses may
 * also use `http`.
 */
export function parseBaseUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || /[\s\\\p{C}]/u.test(text)) {
    return refuse`is not a URL: use an address such as ${code('https://api.example.com')}.`;
  }
  const isMore = url.username !== '' || url.password !== '' || /[?#]/.test(text);
  if (isMore || !isSecureOrigin(url)) {
    return refuse`must begin with ${code('https://')}, or ${code('http://')} for a loopback address,
      so that the key is never sent unencrypted, and must not contain a user, password, query, or
      fragment.`;
  }
  if (/\/v2\/*$/.test(url.pathname)) {
    return refuse`must not end in ${code('/v2')}, because the action adds that: leave it out.`;
  }
  return url;
}

/** Parses a boolean of the YAML 1.2 core schema. */
export function parseBoolean(text: string): boolean {
  if (['true', 'True', 'TRUE'].includes(text)) {
    return true;
  }
  if (['false', 'False', 'FALSE'].includes(text)) {
    return false;
  }
  return refuse`must be ${code('true')} or ${code('false')}${quoteGiven(text)}.`;
}

/** Parses which earlier jobs to wait for: from this workflow run, for the tag, or never. */
export function parseReuse(text: string): Reuse {
  const reuse = REUSES.find((value) => value === text);
  if (reuse === undefined) {
    return refuse`must be ${code('rerun')}, ${code('release')}, or
      ${code('never')}${quoteGiven(text)}.`;
  }
  return reuse;
}

/** Parses path patterns, one per line. */
export function parsePaths(text: string): readonly PathPattern[] {
  const patterns: PathPattern[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() !== '') {
      patterns.push(parsePathLine(line.trim(), index + 1));
    }
  }
  if (patterns.every(({ isNegative }) => isNegative)) {
    return refuse`needs at least one pattern without ${code('!')}: add the files that matter.`;
  }
  if (!canMatch(patterns)) {
    return refuse`can't match any file, because the patterns that begin with ${code('!')} exclude
      everything that the others include: remove an exclusion.`;
  }
  return patterns;
}

function parsePathLine(text: string, lineNumber: number): PathPattern {
  const pattern = parsePathPattern(text);
  if (pattern === undefined) {
    return refuse`has a pattern on line ${String(lineNumber)} that can't match any file: write one
      pattern per line, such as ${code('docs/**')}, in the syntax of ${code('on.push.paths')}. Begin
      at the root of the repository, separate folders with ${code('/')}, and leave out quotes, list
      markers, and comments. Put ${code('\\')} before a space or comma in a name.`;
  }
  return pattern;
}

/** Parses minutes to milliseconds. */
export function parseTimeout(text: string): number {
  const minutes = parseDecimal(text);
  if (minutes === undefined || minutes <= 0 || minutes > 360) {
    return refuseNumber('more than 0 and at most 360', text);
  }
  return minutes * 60_000;
}

/** Parses seconds to milliseconds. */
export function parsePollInterval(text: string): number {
  const seconds = parseDecimal(text);
  if (seconds === undefined || seconds < 1 || seconds > 300) {
    return refuseNumber('from 1 to 300', text);
  }
  return seconds * 1_000;
}

function parseDecimal(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function refuseNumber(range: string, text: string): never {
  return refuse`must be a number such as ${code('10')} or ${code('2.5')},
    ${range}${quoteGiven(text)}.`;
}

/** Parses an admin key that is long enough to be masked. */
export function parseApiKey(key: string): string {
  if (!BEARER_TOKEN.test(key)) {
    return refuse`contains a character that no API key has, such as a space, a quote, or a line
      break: put only the key in the secret, without ${code('Bearer')}.`;
  }
  if (key.length < MIN_SECRET_LENGTH) {
    return refuse`is shorter than ${String(MIN_SECRET_LENGTH)} characters, so it is not an API key:
      store the whole key in the secret.`;
  }
  if (key.startsWith('mint_dsc_')) {
    return refuseKind('assistant', 'mint_dsc_');
  }
  if (key.startsWith('mint_us_')) {
    return refuseKind('index', 'mint_us_');
  }
  if (/^(?:gh[oprsu]_|github_pat_)/.test(key)) {
    return refuse`is a GitHub token, not a key of the documentation service: pass a secret that
      contains an admin API key.`;
  }
  return key;
}

function refuseKind(kind: string, prefix: string): never {
  return refuse`is an ${kind} key (${code(`${prefix}…`)}), which can't start jobs: create an admin
    key on the API keys page.`;
}

/** Quotes only values that are shorter than any secret. */
function quoteGiven(text: string): Message {
  return text.length <= 12 ? message`, not ${code(text)}` : [];
}
