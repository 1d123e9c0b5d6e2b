import { findMistake, type PathPattern, toPathPattern } from '../changes/paths.ts';
import { LAST_JOB } from '../changes/range.ts';
import { InputError } from '../errors.ts';
import { isJobId } from '../service/job.ts';
import { isSecureOrigin, parseUrl } from '../text/link.ts';
import { message } from '../text/message.ts';
import { MAX_KEY_LENGTH, MIN_SECRET_LENGTH } from '../text/redact.ts';
import { isRefName, isZeros, toRefName } from '../text/ref.ts';

const REUSES = ['auto', 'rerun', 'never'] as const;
/** Which earlier job a run waits for. `auto`: of its release, or without a tag, of the run. */
export type Reuse = (typeof REUSES)[number];

/** Longest prompt, in bytes of UTF-8. */
export const MAX_PROMPT_BYTES = 1024 * 1024;
// RFC 6750 section 2.1: the characters of a bearer token.
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Rejects the value of an input. The text continues a sentence that begins with its name. */
export function refuse(...text: Parameters<typeof message>): never {
  throw new InputError([message(...text)]);
}

/** Parses a prompt. Rejects the usual results of a wrong expression. */
export function parsePrompt(text: string): string {
  if (/^(?:true|false|null|undefined|NaN|Array|Object)$/i.test(text)) {
    return refuse`is only a word such as {undefined}. Correct the expression.`;
  }
  if (Buffer.byteLength(text) > MAX_PROMPT_BYTES) {
    return refuse`is over 1 MiB. Shorten it, or point the agent to a page that holds it.`;
  }
  return text;
}

/** Parses a project id. The service documents no format, so any one path segment will do. */
export function parseProjectId(text: string): string {
  if (text.length > 256 || /^\.{1,2}$|[\s/\\?#%\p{C}]/u.test(text)) {
    return refuse`is not a project id. Copy it from the API keys page of the dashboard.`;
  }
  return text;
}

/** Parses the id of a job. */
export function parseJobId(text: string): string {
  return isJobId(text)
    ? text
    : refuse`is not a job id. Copy it from the output {job-id}, or from the summary.`;
}

/** Parses a GitHub token. */
export function parseToken(text: string): string {
  return BEARER_TOKEN.test(text) && text.length >= MIN_SECRET_LENGTH
    ? text
    : refuse`is not a GitHub token. Remove it, or pass a token from a secret.`;
}

/** Parses the name of a tag, or its full ref. */
export function parseTag(text: string): string {
  const tag = text.replace(/^refs\/tags\//, '');
  return isRefName(tag) ? tag : refuse`is not a tag name. Write it as {git tag} lists it.`;
}

/** Parses where the changes begin. Undefined for forty zeros: events have them for no commit. */
export function parseChangesSince(text: string): string | undefined {
  const name = toRefName(text);
  if (text !== LAST_JOB && (!isRefName(name) || name === 'HEAD')) {
    return refuse`must be a tag, branch, or commit of this repository, or {last job}.
      {HEAD~1} and {24 hours} don't work.`;
  }
  return isZeros(text) ? undefined : text;
}

/** Parses the address of the service. Only this machine may be reached without `https`. */
export function parseBaseUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || /[\s\\\p{C}]/u.test(text)) {
    return refuse`is not a URL. Write one such as {https://api.example.com}.`;
  }
  if (!isSecureOrigin(url)) {
    return refuse`must begin with {https://}, because the key is sent there. Only addresses of this
      machine may begin with {http://}.`;
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    return refuse`must not contain a user, password, query, or fragment. Leave that out.`;
  }
  if (/\/v2\/*$/.test(url.pathname)) {
    return refuse`must not end in {/v2}. The action adds that.`;
  }
  return url;
}

/** Parses a boolean of the YAML 1.2 core schema. */
export function parseBoolean(text: string): boolean {
  if (!/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) {
    return refuse`must be {true} or {false}.`;
  }
  return text.toLowerCase() === 'true';
}

/** Parses which earlier jobs to wait for. */
export function parseReuse(text: string): Reuse {
  const reuse = REUSES.find((value) => value === text);
  return reuse ?? refuse`must be {auto}, {rerun}, or {never}.`;
}

/** Parses path patterns, one per line. */
export function parsePaths(text: string): readonly PathPattern[] {
  const patterns = text
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [parsePathLine(line.trim(), index + 1)]));
  return patterns.some(({ isNegative }) => !isNegative)
    ? patterns
    : refuse`needs a pattern without {!}. Add the files that matter.`;
}

function parsePathLine(text: string, line: number): PathPattern {
  const mistake = findMistake(text);
  return mistake === undefined ? toPathPattern(text) : refuse`line ${String(line)}: ${mistake}.`;
}

/** Parses minutes to milliseconds. */
export function parseTimeout(text: string): number {
  const minutes = parseDecimal(text);
  return minutes > 0 && minutes <= 360
    ? minutes * 60_000
    : refuse`must be a number above 0, at most 360, such as {10} or {2.5}.`;
}

/** Parses seconds to milliseconds. */
export function parsePollInterval(text: string): number {
  const seconds = parseDecimal(text);
  return seconds >= 1 && seconds <= 300
    ? seconds * 1_000
    : refuse`must be a number from 1 to 300, such as {10} or {2.5}.`;
}

function parseDecimal(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

/** Parses an admin key that is long enough to be masked. */
export function parseApiKey(key: string): string {
  if (!BEARER_TOKEN.test(key)) {
    return refuse`has a character that no API key has, such as a space or quote. Put only the key in
      the secret.`;
  }
  if (key.length < MIN_SECRET_LENGTH || key.length > MAX_KEY_LENGTH) {
    return refuse`is shorter than ${String(MIN_SECRET_LENGTH)} characters, or too long for a key.
      Put the whole API key in the secret, and nothing else.`;
  }
  if (/^mint_(?:dsc|us)_/.test(key)) {
    return refuse`can't start jobs, because it is an assistant or index key ({mint_dsc_} or
      {mint_us_}). Create an admin key.`;
  }
  if (/^(?:gh[oprsu]_|github_pat_)/.test(key)) {
    return refuse`is a GitHub token. Put an admin key of the documentation service in the secret.`;
  }
  return key;
}

/** Not a version such as `mint_components@1.2.0`. In base64, a key begins with `bWludF`. */
const KEY = /^(?:mint(?:_|%5f)[\w-]{11,}|bWludF[89+/_-][\w+/-]{14,})$/i;

/** Returns whether a text is only an API key, also in quotes, or after `Bearer` or a name. */
export function isKey(text: string): boolean {
  const bare = /^\W*(?:Bearer\s\W*|[\w-]+[:=]\W*)?(\S*?)\W*$/i;
  return text.length <= MAX_KEY_LENGTH && KEY.test(bare.exec(text)?.[1] ?? '');
}
