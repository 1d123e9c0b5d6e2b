import { type Redact, redactStart } from './redact.ts';

/** Longest untrusted text in an annotation, a table cell, or a line of the log. */
const QUOTE_LIMIT = 500;
/** All invisible characters except the variation selector of an emoji. */
const HIDDEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SHORT_NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': ' ' };

/**
 * Returns untrusted text as one line in which the runner finds no command: invisible characters
 * become visible, and `::` and `##[` get a space (ActionCommand.cs of actions/runner). Redact the
 * whole text first, because cuts can hide a secret.
 */
export function sanitize(text: string, limit: number = QUOTE_LIMIT): string {
  const visible = showInvisible(text)
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '# #');
  return truncate(visible, limit);
}

/**
 * Sanitizes redacted text for an output, so that it is no command either when a later step prints
 * it: `echo` of some shells interprets escapes such as `\072`, so there is no backslash.
 */
export function toLine(text = '', limit: number = QUOTE_LIMIT): string {
  const line = sanitize(text, Number.POSITIVE_INFINITY).replaceAll('\\', '<U+005C>');
  return truncate(line, limit);
}

/** Returns well-formed text on one line, with names such as `<U+200B>` for invisible characters. */
export function showInvisible(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (character) => {
    const hex = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return SHORT_NAMES[character] ?? `<U+${hex}>`;
  });
}

/** Returns the first lines of a text, redacted and sanitized. After a cut, the last one says so. */
export function showLines(text: string, redact: Redact, limit: number, maxLines: number): string[] {
  const redacted = redactStart(text, limit, redact);
  const lines = redacted.slice(0, limit).split(/\r\n|\r|\n/);
  const shown = lines.slice(0, maxLines).map((line) => sanitize(line, limit));
  const isCut = redacted.length > limit || lines.length > maxLines;
  return isCut ? [...shown, `… (${text.length} characters in total)`] : shown;
}

/** Cuts redacted text to `limit` characters, of which the last is `…` if the text was longer. */
export function truncate(text: string, limit: number): string {
  // Do not cut a character in half.
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/\p{Cs}$/u, '')}…`;
}
