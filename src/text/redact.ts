/** Invisible characters, as part of a class in a regular expression. */
export const INVISIBLE = '\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}';
/** Shorter secrets are rejected, because they may also be ordinary words. */
export const MIN_SECRET_LENGTH = 16;
const PIECE_LENGTH = 8;
/** Replaces hidden characters in a row. */
const MASK = '***';
/**
 * Prefixes of keys and tokens. They are not secret, and they also occur in ids, links, and
 * messages.
 */
const PREFIX = /^(?:(?:mint|dsc|us|gh[oprsu]|github|pat|emulator|admin)_)+/;

/** Removes secrets from a text of any length. */
export type Redact = (text: string) => string;

/**
 * Returns a function that removes secrets and any eight characters in a row from them: as they are,
 * percent-encoded, in hex, in base64 at any offset (such as `user:<key>`), and with invisible
 * characters or backslashes in between.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const valid = secrets.filter(isSecret);
  // Each piece has at least four characters that are not from the prefix.
  const bodies = valid.map((secret) =>
    secret.replace(PREFIX, (prefix) => prefix.slice(-PIECE_LENGTH / 2)),
  );
  const forms = valid.flatMap(getForms);
  const pieces = new Set(bodies.flatMap(getForms).flatMap(getPieces));
  return (original) => {
    const characters = original.split('');
    for (const { text, starts, ends } of getViews(original)) {
      const hide = (from: number, length: number) =>
        characters.fill(MASK, starts[from], ends[from + length - 1]);
      for (const form of forms) {
        for (let from = text.indexOf(form); from >= 0; from = text.indexOf(form, from + 1)) {
          hide(from, form.length);
        }
      }
      for (let from = 0; from <= text.length - PIECE_LENGTH; from += 1) {
        if (pieces.has(text.slice(from, from + PIECE_LENGTH))) {
          hide(from, PIECE_LENGTH);
        }
      }
    }
    return characters
      .filter((shown, index) => shown !== MASK || characters[index - 1] !== MASK)
      .join('');
  };
}

/** Returns whether the text contains all of the secret after its prefix, in any form. */
export function holdsSecret(text: string, secret: string): boolean {
  const body = secret.replace(PREFIX, '');
  const forms = getForms(body.length < PIECE_LENGTH ? secret : body);
  return (
    isSecret(secret) &&
    getViews(text).some((view) => forms.some((form) => view.text.includes(form)))
  );
}

/** Returns whether a secret is long enough to be removed from texts. */
export const isSecret = (text = ''): text is string => text.length >= MIN_SECRET_LENGTH;

/**
 * Returns a secret in all encodings, in lower case. In base64, leaves out characters that neighbors
 * change.
 */
function getForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const stable = encoded.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + bytes.length) * 8) / 6),
    );
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, bytes.toString('hex'), ...base64].map(toLowerCase);
}

function getPieces(form: string): string[] {
  const length = form.length - PIECE_LENGTH + 1;
  return Array.from({ length }, (_, start) => form.slice(start, start + PIECE_LENGTH));
}

const SKIPPED = `[${INVISIBLE}\\\\]`;
const toByte = (first: string): string => `%${SKIPPED}*[${first}]${SKIPPED}*[\\da-f]`;
/** A percent-encoded character of UTF-8. */
const ENCODED = `${toByte('0-7')}|${toByte('c-f')}(?:${SKIPPED}*${toByte('89ab')}){1,3}`;
const PLAIN = /./gsu;
const DECODED = new RegExp(`${ENCODED}|.`, 'gsu');
const HIDDEN = new RegExp(SKIPPED, 'gu');

/**
 * Returns the text in lower case without invisible characters, and where its characters begin and
 * end in the original. For text with a percent sign, also returns a decoded view. Both views
 * matter: in `100%41`, a piece may begin with `41`.
 */
function getViews(original: string) {
  return (original.includes('%') ? [PLAIN, DECODED] : [PLAIN]).map((unit) => {
    const starts = new Uint32Array(original.length);
    const ends = new Uint32Array(original.length);
    let length = 0;
    const text = toLowerCase(original).replace(unit, (part, index: number) => {
      const shown = decode(part).replace(HIDDEN, '');
      starts.fill(index, length, length + shown.length);
      ends.fill(index + part.length, length, length + shown.length);
      length += shown.length;
      return shown;
    });
    return { text, starts, ends };
  });
}

function decode(part: string): string {
  const isEncoded = part.length > 2;
  return isEncoded
    ? toLowerCase(Buffer.from(part.replace(/[^\da-f]/g, ''), 'hex').toString())
    : part;
}

/** Keeps the length of the text. İ is the only letter with a longer lower case. */
function toLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}
