/** Shorter secrets are rejected, because they may also be ordinary words. */
export const MIN_SECRET_LENGTH = 16;
/** V8 refuses the pattern of a text that is about four times as long. No key is. */
export const MAX_KEY_LENGTH = 1_500;
const PIECE_LENGTH = 8;
const MASK = '***';
/**
 * Prefixes of keys and tokens, unless hardly anything would be left. They are not secret, and they
 * also occur in ids, links, and messages.
 */
const PREFIX = /^(?:(?:mint|dsc|us|gh[oprsu]|github|pat|emulator|admin)_)*(?=.{8})/s;
/** More characters than a secret has in any form. */
const MARGIN = 16_384;

/** Removes secrets from a text of any length. */
export type Redact = (text: string) => string;

/**
 * Returns a function that replaces secrets with `***`: each whole secret as it is, percent-encoded,
 * or in base64 (also within a longer text, such as `user:<key>`), and any eight characters in a row
 * of the API key after its prefix. Pieces of tokens stay: a token is a JWT, and begins like all
 * others. The runner masks secrets in the log, but not in outputs, commit statuses, and prompts.
 */
export function createRedactor(apiKey = '', ...tokens: readonly string[]): Redact {
  // A secret may be the start of a longer one.
  const secrets = [apiKey, ...tokens].filter(isSecret).sort((a, b) => b.length - a.length);
  const whole = secrets.flatMap(toPatterns);
  const isKey = isSecret(apiKey) && apiKey.length <= MAX_KEY_LENGTH;
  const patterns = isKey ? [...whole, toPiecesPattern(apiKey)] : whole;
  return (text) => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, MASK), text);
}

/**
 * Redacts the start of a text, because all of a huge one would take seconds. Returns more than
 * `limit` characters if there are more and hardly any secrets in them. No secret is cut at the end.
 */
export function redactStart(text: string, limit: number, redact: Redact): string {
  const start = text.slice(0, limit + 2 * MARGIN);
  return start.length < text.length ? redact(start).slice(0, -MARGIN) : redact(text);
}

/** Returns whether the text contains all of the secret after its prefix, in any form. */
export function holdsSecret(text: string, secret: string): boolean {
  // No form is shorter than the secret. Most inputs are, and building a pattern takes time.
  const isLongEnough = isSecret(secret) && text.length >= secret.replace(PREFIX, '').length;
  return isLongEnough && toPatterns(secret).every((pattern) => text.search(pattern) >= 0);
}

/** Returns whether a secret is long enough to be removed from texts. */
export const isSecret = (text = ''): text is string => text.length >= MIN_SECRET_LENGTH;

/** Returns patterns for what follows the prefix of the secret: one, unless it is very long. */
function toPatterns(secret: string): RegExp[] {
  const body = secret.replace(PREFIX, '');
  const prefix = secret.slice(0, -body.length);
  const size = Math.ceil(body.length / Math.ceil(body.length / MAX_KEY_LENGTH));
  const parts = body.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
  return parts.map((part, index) => toPattern(part, index === 0 ? prefix : ''));
}

/** Returns a pattern for a text after an optional prefix, in any form. */
function toPattern(body: string, prefix: string): RegExp {
  const plain = Array.from(body, toCharacterPattern).join('');
  const base64 = [0, 1, 2].map((offset) => toBase64Pattern(body, offset));
  return new RegExp([`(?:${prefix})?${plain}`, ...base64].join('|'), 'gu');
}

/**
 * Any character may be percent-encoded, with digits in either case (RFC 3986 section 2.1). JSON may
 * have backslashes before a slash.
 */
function toCharacterPattern(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'));
  const digits = bytes.join('%').replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const backslash = character === '/' ? '\\\\{0,8}' : '';
  return `(?:${backslash}\\u{${character.codePointAt(0)?.toString(16)}}|%${digits})`;
}

/**
 * Returns a pattern for the text in base64 or base64url, after `offset` other bytes. Leaves out
 * characters that depend on neighbors.
 */
function toBase64Pattern(text: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
  const firstOwn = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  const own = bytes.toString('base64').slice(firstOwn, end);
  return own.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
}

/** Returns a pattern for a run of pieces of the secret that overlap. */
function toPiecesPattern(secret: string): RegExp {
  const body = secret.replace(PREFIX, '');
  const count = body.length - PIECE_LENGTH + 1;
  const pieces = Array.from({ length: count }, (_, at) => body.slice(at, at + PIECE_LENGTH));
  const anyPiece = pieces.map((piece) => piece.replace(/\W/g, '\\$&')).join('|');
  // A piece begins at each character of the run, except for the rest of the last piece.
  return new RegExp(`(?:(?=${anyPiece})[^])+[^]{${PIECE_LENGTH - 1}}`, 'g');
}
