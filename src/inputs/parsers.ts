import { isTagName } from '../github/context.ts';
import { isJobId } from '../job/job-id.ts';
import { MIN_KEY_LENGTH } from '../text/redact.ts';
import { isSecureOrigin, parseUrl, quote } from '../text/sanitize.ts';

/** Longest prompt, in bytes of UTF-8. */
export const PROMPT_LIMIT = 1024 * 1024;
// RFC 6750 section 2.1: the characters that a bearer token may hold.
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** A problem with a value, as a sentence that follows the input's name. */
export class Problem {
  readonly sentence: string;

  constructor(sentence: string) {
    this.sentence = sentence;
  }
}

/** A prompt of at most 1 MiB. */
export function parsePrompt(text: string): string | Problem {
  return Buffer.byteLength(text) > PROMPT_LIMIT
    ? new Problem(
        'is longer than 1 MiB: shorten it, or point the agent to a page or repository that holds it.',
      )
    : text;
}

/** A project id: one path segment of unknown format, so all that cannot leave its segment is accepted. */
export function parseProjectId(text: string): string | Problem {
  return /^\.{1,2}$|[\s/\\?#%\p{C}]/u.test(text) || text.length > 256
    ? new Problem(
        'is not a project id: it must be one name without spaces, slashes, `?`, `#` or `%`. Copy it from the API ' +
          'keys page of your dashboard.',
      )
    : text;
}

/** A job id, in the form of `isJobId`. */
export function parseJobId(text: string): string | Problem {
  return isJobId(text)
    ? text
    : new Problem(
        'is not a job id: copy it from the `job-id` output or the summary of the run that started it.',
      );
}

/** The address of the service: `https`, or `http` on this machine, and nothing beside host and path. */
export function parseBaseUrl(text: string): URL | Problem {
  const url = parseUrl(text);
  if (url === undefined || /[\s\\\p{C}]/u.test(text)) {
    return new Problem('is not a URL: give an address such as `https://api.example.com`.');
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    return new Problem('must not hold a user, a password, a query or a fragment: give the address alone.');
  }
  if (!isSecureOrigin(url)) {
    return new Problem('must begin with `https://`, so that the key is not sent in the clear.');
  }
  return url;
}

/** The name of a tag. */
export function parseTag(text: string): string | Problem {
  return isTagName(text)
    ? text
    : new Problem('is no name that a tag can have: give it as `git tag` lists it.');
}

/** A token of GitHub. */
export function parseToken(token: string): string | Problem {
  return BEARER_TOKEN.test(token) && token.length >= MIN_KEY_LENGTH
    ? token
    : new Problem('is not a token: leave it out, or pass one from a secret.');
}

/** A long value is not quoted: of a secret that is cut, nobody would know that it has to be taken out. */
function tellGiven(text: string): string {
  return text.length <= 40 ? `, not \`${quote(text, 400)}\`` : '';
}

/** A boolean of the YAML 1.2 core schema. */
export function parseBoolean(text: string): boolean | Problem {
  if (/^(?:true|True|TRUE)$/.test(text)) {
    return true;
  }
  return /^(?:false|False|FALSE)$/.test(text)
    ? false
    : new Problem(`must be \`true\` or \`false\`${tellGiven(text)}.`);
}

/** A decimal number that `isInRange` accepts; `range` says in words what that is. */
export function parseNumber(
  text: string,
  isInRange: (value: number) => boolean,
  range: string,
): number | Problem {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return isInRange(value)
    ? value
    : new Problem(`must be a number such as \`10\` or \`2.5\`, ${range}${tellGiven(text)}.`);
}

/** A key that can be sent as a bearer token (RFC 6750) and is long enough to be masked safely. */
export function parseApiKey(key: string): string | Problem {
  if (!BEARER_TOKEN.test(key)) {
    return new Problem(
      'holds a character that no API key has, such as a space, a quote or a line break: store the key alone ' +
        'in the secret, without `Bearer`.',
    );
  }
  return key.length < MIN_KEY_LENGTH
    ? new Problem(`is shorter than ${MIN_KEY_LENGTH} characters, so it is no API key: store the whole key.`)
    : key;
}
