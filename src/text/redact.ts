/** The characters that show nothing or act on others, as part of a class in a regular expression. */
export const INVISIBLE = '\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}';
const REDACTED = '***';
/** An input refuses a shorter secret, because it could not be removed from a text safely. */
export const MIN_SECRET_LENGTH = 16;
/** A piece is this many characters in a row, of a secret or of an encoding of it. */
const PIECE_LENGTH = 8;
const PREFIX = /^(?:[a-z][a-z-]*_){1,3}/;

/** Removes secrets from a text of any length. */
export type Redact = (text: string) => string;

/**
 * Returns a function that removes all secrets and all pieces of them: as they are, percent-encoded in whole or in
 * part, in hex, and in base64 or base64url at any position of the encoded bytes (so also `Bearer <key>` and
 * `user:<key>`), even with invisible characters or backslashes in between. A secret that is too short to be valid is left alone.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const valid = secrets.filter(isValid);
  const wholes = valid.flatMap(getForms);
  const pieces = new Set(valid.map(dropPrefix).flatMap(getForms).flatMap(getPieces));
  return (text) => {
    const { characters, starts, ends } = decode(text);
    const marks = new Uint8Array(text.length + 1);
    const mark = (from: number, length: number): unknown =>
      marks.fill(1, starts[from], ends[from + length - 1]);
    for (const whole of wholes) {
      for (let from = characters.indexOf(whole); from >= 0; from = characters.indexOf(whole, from + 1)) {
        mark(from, whole.length);
      }
    }
    for (let from = 0; from + PIECE_LENGTH <= characters.length; from += 1) {
      if (pieces.has(characters.slice(from, from + PIECE_LENGTH))) {
        mark(from, PIECE_LENGTH);
      }
    }
    return replaceMarked(text, marks);
  };
}

/** True if the text contains the whole secret, or all of it after its prefix, in any form. */
export function holdsSecret(text: string, secret: string): boolean {
  // Two digits after a percent sign may belong to the secret.
  const texts = [decode(text).characters, toLowerCase(text)];
  const wholes = [secret, secret.replace(PREFIX, '')].filter(({ length }) => length >= PIECE_LENGTH);
  return (
    isValid(secret) && wholes.flatMap(getForms).some((form) => texts.some((held) => held.includes(form)))
  );
}

const isValid = (secret: string): boolean => secret.length >= MIN_SECRET_LENGTH;

/**
 * Drops the part of a secret that reveals nothing: a prefix such as `mint_` or `docs-agent_live_` is made of words that
 * also occur in ids, links, and our own messages. A piece must have four characters after it.
 */
function dropPrefix(secret: string): string {
  const [prefix = ''] = PREFIX.exec(secret) ?? [];
  return secret.slice(Math.max(0, prefix.length - PIECE_LENGTH / 2));
}

/** The ways to write a secret, in lower case. */
function getForms(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('hex'), ...getBase64Forms(secret)].map(toLowerCase);
}

/** Base64 of the secret after 0, 1, and 2 other bytes, without the characters that depend on its neighbors. */
function getBase64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    const stable = encoded.slice(first, last);
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function getPieces(form: string): string[] {
  return Array.from({ length: Math.max(0, form.length - PIECE_LENGTH + 1) }, (_, from) =>
    form.slice(from, from + PIECE_LENGTH),
  );
}

/** Characters that JSON, Markdown, or a trick puts between two others. */
const SKIPPED = new RegExp(`[${INVISIBLE}\\\\]+`, 'u');
const SPECIAL = new RegExp(`(%[0-9A-Fa-f]{2}|${SKIPPED.source})`, 'u');

/**
 * Returns the text in lower case, without skipped characters, and with each percent-encoding decoded to a character. Also
 * returns where in the text each character starts and ends.
 */
function decode(text: string): { characters: string; starts: Uint32Array; ends: Uint32Array } {
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let characters = '';
  let index = 0;
  for (const [number, part] of text.split(SPECIAL).entries()) {
    const isSpecial = number % 2 === 1;
    const character = part.startsWith('%') ? String.fromCharCode(Number.parseInt(part.slice(1), 16)) : '';
    const decoded = isSpecial ? character.replace(SKIPPED, '') : part;
    const width = isSpecial ? part.length : 1;
    for (let offset = 0; offset < decoded.length; offset += 1) {
      starts[characters.length + offset] = index + offset;
      ends[characters.length + offset] = index + offset + width;
    }
    characters += decoded;
    index += part.length;
  }
  return { characters: toLowerCase(characters), starts, ends };
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
