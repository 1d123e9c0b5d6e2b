/** The characters that show nothing or act on others, as part of a class in a regular expression. */
export const INVISIBLE = '\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}';
const REDACTED = '***';
/** An input refuses a shorter secret, because it could not be removed from a text safely. */
export const MIN_SECRET_LENGTH = 16;
/** A piece is this many characters in a row, of a secret or of an encoding of it. */
const PIECE_LENGTH = 8;
/** Words of keys and tokens that reveal nothing, also of the emulator's keys. Any other group of letters is part of the secret. */
const PREFIX = /^(?:(?:mint|dsc|us|gh[oprsu]|github|pat|emulator|admin)_)+/;

/** Removes secrets from a text of any length. */
export type Redact = (text: string) => string;

/**
 * Returns a function that removes all secrets and all pieces of them: as they are, percent-encoded in whole or in
 * part, in hex, and in base64 or base64url at any position of the encoded bytes (so also `Bearer <key>` and
 * `user:<key>`), even with invisible characters or backslashes in between. A secret that is too short to be valid is left alone.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const valid = secrets.filter(isSecret);
  const pieces = valid.map(cutPrefix).flatMap(getForms).flatMap(getPieces);
  const wanted = new Set([...valid.flatMap(getForms), ...pieces]);
  return (original) => {
    const marks = new Uint8Array(original.length + 1);
    for (const { text, starts, ends } of getViews(original)) {
      for (const form of wanted) {
        for (let from = text.indexOf(form); from >= 0; from = text.indexOf(form, from + 1)) {
          marks.fill(1, starts[from], ends[from + form.length - 1]);
        }
      }
    }
    return replaceMarked(original, marks);
  };
}

/** True if the text contains the whole secret, or all of it after its prefix, in any form. */
export function holdsSecret(text: string, secret: string): boolean {
  const wholes = [secret, secret.replace(PREFIX, '')].filter(({ length }) => length >= PIECE_LENGTH);
  const forms = wholes.flatMap(getForms);
  return isSecret(secret) && getViews(text).some((view) => forms.some((form) => view.text.includes(form)));
}

/** True if a secret is long enough to be removed from texts. */
export const isSecret = (text = ''): text is string => text.length >= MIN_SECRET_LENGTH;

/** Cuts the prefix, whose words also occur in ids, links, and our own messages. A piece has four characters after it. */
const cutPrefix = (secret: string): string =>
  secret.replace(PREFIX, (prefix) => prefix.slice(-PIECE_LENGTH / 2));

/**
 * The ways to write a secret, in lower case. Base64 is that of the secret after 0, 1, and 2 other bytes, without the
 * characters that depend on its neighbors.
 */
function getForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    const stable = encoded.slice(first, last);
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, bytes.toString('hex'), ...base64].map(toLowerCase);
}

function getPieces(form: string): string[] {
  const starts = Array.from({ length: Math.max(0, form.length - PIECE_LENGTH + 1) }, (_, start) => start);
  return starts.map((start) => form.slice(start, start + PIECE_LENGTH));
}

/** Characters that JSON, Markdown, or a trick puts between two others. */
const SKIPPED = `[${INVISIBLE}\\\\]`;
const toByte = (first: string): string => `%${SKIPPED}*[${first}]${SKIPPED}*[\\da-f]`;
const ENCODED = `${toByte('0-7')}|${toByte('c-f')}(?:${SKIPPED}*${toByte('89ab')}){1,3}`;
const PLAIN = new RegExp(`(${SKIPPED}+)`, 'u');
const DECODED = new RegExp(`(${ENCODED}|${SKIPPED}+)`, 'u');

/** Returns the text without skipped characters, as it is and percent-decoded: `100%ab` may hold a piece that begins with `ab`. */
function getViews(original: string): ReturnType<typeof view>[] {
  return (original.includes('%') ? [PLAIN, DECODED] : [PLAIN]).map((special) => view(original, special));
}

/**
 * Returns the text in lower case with each special part decoded as UTF-8, and where each character starts and ends in the
 * original.
 */
function view(
  original: string,
  special: RegExp,
): { readonly text: string; readonly starts: Uint32Array; readonly ends: Uint32Array } {
  const starts = new Uint32Array(original.length);
  const ends = new Uint32Array(original.length);
  let text = '';
  let index = 0;
  for (const [number, part] of toLowerCase(original).split(special).entries()) {
    const isSpecial = number % 2 === 1;
    const shown = isSpecial ? decode(part) : part;
    for (let offset = 0; offset < shown.length; offset += 1) {
      starts[text.length + offset] = index + (isSpecial ? 0 : offset);
      ends[text.length + offset] = index + (isSpecial ? part.length : offset + 1);
    }
    text += shown;
    index += part.length;
  }
  return { text, starts, ends };
}

function decode(special: string): string {
  const bytes = Buffer.from(special.replace(/[^\da-f]/g, ''), 'hex');
  return toLowerCase(bytes.toString()).replace(PLAIN, '');
}

/** Keeps every position: İ is the one letter whose lower case has another length. */
function toLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Replaces each run of marked characters. */
function replaceMarked(text: string, marks: Uint8Array): string {
  let result = '';
  let end = 0;
  for (let from = marks.indexOf(1); from >= 0; from = marks.indexOf(1, end)) {
    result += text.slice(end, from) + REDACTED;
    end = marks.indexOf(0, from);
  }
  return result + text.slice(end);
}
