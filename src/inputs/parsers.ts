import { isJobId } from '../job/job.ts';
import { isSecureOrigin, parseUrl } from '../text/link.ts';
import { code, type Message, message } from '../text/message.ts';
import { canMatch, type PathPattern, parsePathPattern } from '../text/path-pattern.ts';
import { MIN_SECRET_LENGTH } from '../text/redact.ts';
import { isTagName } from '../text/tag-name.ts';

/** Longest prompt, in bytes of UTF-8. */
export const MAX_PROMPT_BYTES = 1024 * 1024;
// RFC 6750 section 2.1: the characters that a bearer token may hold.
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const GITHUB_TOKEN = /^(?:gh[oprsu]_|github_pat_)/;
/** Errors quote a value only if it is shorter than any secret. */
const MAX_QUOTED = 12;

/** An error in a value, as a sentence that follows the input's name. */
export class Problem {
  readonly sentence: Message;

  constructor(sentence: Message) {
    this.sentence = sentence;
  }
}

/** Template tag for problems. */
export function problem(strings: TemplateStringsArray, ...values: readonly (string | Message)[]): Problem {
  return new Problem(message(strings, ...values));
}

/** What an expression leaves behind if it fails, has no value, or has one that is no text. */
const NO_TEXT = /^(?:true|false|null|undefined|NaN|Array|Object)$/i;

/** Parses a prompt of at most 1 MiB. */
export function parsePrompt(text: string): string | Problem {
  if (NO_TEXT.test(text)) {
    return problem`holds only ${code(text)}, which is what an expression leaves behind and not a task: correct the expression that it comes from.`;
  }
  return Buffer.byteLength(text) > MAX_PROMPT_BYTES
    ? problem`is longer than 1 MiB: shorten it, or point the agent to a page or repository that holds it.`
    : text;
}

/** Parses a project id. Its format is unknown, so anything that stays within one path segment is accepted. */
export function parseProjectId(text: string): string | Problem {
  return /^\.{1,2}$|[\s/\\?#%\p{C}]/u.test(text) || text.length > 256
    ? problem`is not a project id: it must be one name without spaces, slashes, ${code('?')}, ${code('#')}, or ${code('%')}. Copy it from the API keys page of your dashboard.`
    : text;
}

/** Parses a job id as `isJobId` accepts it. */
export function parseJobId(text: string): string | Problem {
  return isJobId(text)
    ? text
    : problem`is not a job id: copy it from the ${code('job-id')} output or the summary of the run that started the job.`;
}

/** Parses the address of the service: `https`, or `http` on this machine, with nothing but host and path. */
export function parseBaseUrl(text: string): URL | Problem {
  const url = parseUrl(text);
  if (url === undefined || /[\s\\\p{C}]/u.test(text)) {
    return problem`is not a URL: use an address such as ${code('https://api.example.com')}.`;
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    return problem`must not contain a user, password, query, or fragment: use the address alone.`;
  }
  if (!isSecureOrigin(url)) {
    return problem`must begin with ${code('https://')}, so that the key is never sent unencrypted.`;
  }
  return url;
}

/** Parses the name of a tag. */
export function parseTag(text: string): string | Problem {
  const tag = text.replace(/^refs\/tags\//, '');
  return isTagName(tag) ? tag : problem`is not a valid tag name: write it as ${code('git tag')} lists it.`;
}

/** Parses a token of GitHub. */
export function parseToken(token: string): string | Problem {
  return BEARER_TOKEN.test(token) && token.length >= MIN_SECRET_LENGTH && !token.startsWith('mint_')
    ? token
    : problem`is not a token: leave it out, or pass one from a secret.`;
}

/** Parses a boolean of the YAML 1.2 core schema. */
export function parseBoolean(text: string): boolean | Problem {
  if (/^(?:true|True|TRUE)$/.test(text)) {
    return true;
  }
  return /^(?:false|False|FALSE)$/.test(text)
    ? false
    : problem`must be ${code('true')} or ${code('false')}${quoteGiven(text)}.`;
}

/** Where to look for a job to wait for: in earlier attempts, also in other runs for the tag, or nowhere. */
export type ReuseScope = 'rerun' | 'release' | 'never';

/** Parses where to look for a job to wait for. */
export function parseReuse(text: string): ReuseScope | Problem {
  return text === 'rerun' || text === 'release' || text === 'never'
    ? text
    : problem`must be ${code('rerun')}, ${code('release')}, or ${code('never')}${quoteGiven(text)}.`;
}

/** Parses path patterns, one per line. */
export function parsePaths(text: string): readonly PathPattern[] | Problem {
  const patterns: PathPattern[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') {
      continue;
    }
    const pattern = parsePathPattern(line.trim());
    if ('remedy' in pattern) {
      return problem`has a pattern on line ${String(index + 1)} that can't match any file: ${pattern.remedy}.`;
    }
    patterns.push(pattern);
  }
  // A pattern that includes files, and comes last, always matches.
  return patterns.at(-1)?.isNegative && !canMatch(patterns)
    ? problem`includes no file, because the patterns that begin with ${code('!')} exclude all that the others include: begin with a pattern that includes files, and exclude only some of them.`
    : patterns;
}

/** Parses minutes to milliseconds. */
export function parseTimeout(text: string): number | Problem {
  return parseNumber(text, 60_000, (minutes) => minutes > 0 && minutes <= 360, 'more than 0 and at most 360');
}

/** Parses seconds to milliseconds. */
export function parsePollInterval(text: string): number | Problem {
  return parseNumber(text, 1_000, (seconds) => seconds >= 1 && seconds <= 300, 'from 1 to 300');
}

function parseNumber(
  text: string,
  unitMs: number,
  isInRange: (value: number) => boolean,
  range: string,
): number | Problem {
  return /^\d+(?:\.\d+)?$/.test(text) && isInRange(Number(text))
    ? Number(text) * unitMs
    : problem`must be a number such as ${code('10')} or ${code('2.5')}, ${range}${quoteGiven(text)}.`;
}

/** Parses a key that can be sent as a bearer token and is long enough to be masked safely. */
export function parseApiKey(key: string): string | Problem {
  if (!BEARER_TOKEN.test(key)) {
    return problem`contains a character that no API key has, such as a space, a quote, or a line break: store the key alone in the secret, without ${code('Bearer')}.`;
  }
  if (key.length < MIN_SECRET_LENGTH) {
    return problem`is shorter than ${String(MIN_SECRET_LENGTH)} characters, so it is not an API key: store the whole key in the secret.`;
  }
  const [prefix] = /^mint_(?:dsc|us)_/.exec(key) ?? [];
  if (prefix !== undefined) {
    const kind = prefix === 'mint_us_' ? 'index' : 'assistant';
    return problem`is an ${kind} key (${code(`${prefix}…`)}), which can't start jobs: create an admin key on the API keys page.`;
  }
  return GITHUB_TOKEN.test(key)
    ? problem`is a GitHub token, not a key of the documentation service: pass a secret that contains an admin API key.`
    : key;
}

function quoteGiven(text: string): Message {
  return text.length <= MAX_QUOTED ? message`, not ${code(text)}` : [];
}
