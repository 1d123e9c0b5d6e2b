import { escapeForRegExp } from './reg-exp.ts';

/** Invisible characters, as part of a class in a regular expression. */
export const INVISIBLE = '\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}';
/** Shorter secrets are rejected, because they may also be ordinary words. */
export const MIN_SECRET_LENGTH = 16;
const PIECE_LENGTH = 8;
const MASK = '***';
/**
 * Prefixes of keys and tokens. They are not secret, and they also occur in ids, links, and
 * messages.
 */
const PREFIX = /^(?:(?:mint|dsc|us|gh[oprsu]|github|pat|emulator|admin)_)+/;

/** Removes secrets from a text of any length. */
export type Redact = (text: string) => string;

/**
 * Returns a function that replaces secrets with `***`: the whole secret as it is, percent-encoded,
 * or in base64 (also within a longer text, such as `user:<key>`), and any eight characters in a row
 * after its prefix. The runner masks secrets in the log, but not in outputs, commit statuses, and
 * prompts.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const valid = secrets.filter(isSecret);
  const forms = valid.map(toPattern);
  const pieces = new Set(valid.flatMap(getPieces));
  return (text) => {
    const withoutForms = forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
    return replacePieces(withoutForms, pieces);
  };
}

/** Returns whether the text contains all of the secret after its prefix, in any form. */
export function holdsSecret(text: string, secret: string): boolean {
  // No form is shorter than the secret. Most inputs are, and building a pattern takes time.
  const isLongEnough = isSecret(secret) && text.length >= splitPrefix(secret).body.length;
  return isLongEnough && text.search(toPattern(secret)) >= 0;
}

/** Returns whether a secret is long enough to be removed from texts. */
export const isSecret = (text = ''): text is string => text.length >= MIN_SECRET_LENGTH;

/** Splits off the prefix, unless hardly anything would be left. */
function splitPrefix(secret: string): { prefix: string; body: string } {
  const [prefix = ''] = PREFIX.exec(secret) ?? [];
  const body = secret.slice(prefix.length);
  return body.length < PIECE_LENGTH ? { prefix: '', body: secret } : { prefix, body };
}

/**
 * Returns a pattern for the secret, with or without its prefix, as it is, percent-encoded in any
 * part, and in base64.
 */
function toPattern(secret: string): RegExp {
  const { prefix, body } = splitPrefix(secret);
  const [before, encoded] = [prefix, body].map((text) =>
    Array.from(text, toCharacterPattern).join(''),
  );
  const base64 = [...new Set([secret, body])].flatMap((text) =>
    [0, 1, 2].map((offset) => toBase64(text, offset)),
  );
  const base64Url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const forms = [...base64, ...base64Url].map(escapeForRegExp);
  return new RegExp([`(?:${before})?${encoded}`, ...forms].join('|'), 'g');
}

/** Any character may be percent-encoded, with digits in either case (RFC 3986 section 2.1). */
function toCharacterPattern(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'));
  const digits = bytes.join('%').replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return `(?:${escapeForRegExp(character)}|%${digits})`;
}

/**
 * Returns the secret in base64, after `offset` other bytes. Leaves out characters that depend on
 * neighbors.
 */
function toBase64(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const firstOwn = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(firstOwn, end);
}

function getPieces(secret: string): string[] {
  const { body } = splitPrefix(secret);
  const count = Math.max(0, body.length - PIECE_LENGTH + 1);
  return Array.from({ length: count }, (_, start) => body.slice(start, start + PIECE_LENGTH));
}

/** Replaces each run of overlapping pieces with one mask. */
function replacePieces(text: string, pieces: ReadonlySet<string>): string {
  let shown = '';
  let end = 0;
  for (let index = 0; index < text.length; index += 1) {
    const isPiece = pieces.has(text.slice(index, index + PIECE_LENGTH));
    if (isPiece && index >= end) {
      shown += MASK;
    }
    if (isPiece) {
      end = index + PIECE_LENGTH;
    } else if (index >= end) {
      shown += text[index];
    }
  }
  return shown;
}
