import { INVISIBLE, type Redact } from './redact.ts';

/** Longest piece of untrusted text that a log line, an annotation or a table cell shows. */
const QUOTE_LIMIT = 500;

/** All invisible characters but the one that turns the character before it into an emoji. */
const HIDDEN = new RegExp(`(?!(?<=\\p{Extended_Pictographic})\\ufe0f)[${INVISIBLE}]`, 'gu');

const SHORT_NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': ' ' };

/**
 * Returns untrusted text as one line that the runner reads as plain text: invisible characters become visible, `::` and
 * `##[` are broken up (actions/runner: ActionCommand.cs), and the result has at most `limit` characters. Sanitizing twice
 * changes nothing. Redact the whole text first: a cut or a `<U+200B>` can hide a secret.
 */
export function sanitize(text: string, limit: number = QUOTE_LIMIT): string {
  const visible = showInvisible(text)
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '# #');
  return truncate(visible, limit);
}

/** Returns well-formed text on one line, with a visible name for each invisible character. */
export function showInvisible(text: string): string {
  return text.toWellFormed().replace(HIDDEN, showCharacter);
}

/** Returns redacted text for the middle of a sentence: trimmed, sanitized, and without the backticks that mark code. */
export function quote(text: string, limit: number): string {
  return sanitize(text.trim(), limit).replaceAll('`', "'");
}

/**
 * Returns the lines of a longer text to show: redacted as a whole, cut to `limit` characters and `maxLines` lines, and
 * sanitized, in this order. If the text was cut, one more line gives its length.
 */
export function showLines(text: string, redact: Redact, limit: number, maxLines: number): string[] {
  const redacted = redact(text);
  const lines = redacted.slice(0, limit).split(/\r\n|\r|\n/);
  const shown = lines.slice(0, maxLines).map((line) => sanitize(line, limit));
  const isCut = redacted.length > limit || lines.length > maxLines;
  return isCut ? [...shown, `… (${text.length} characters in all)`] : shown;
}

/** Returns redacted text of at most `limit` characters, with `…` as the last one if it was longer. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const head = text.slice(0, limit - 1);
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`;
}

function showCharacter(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return SHORT_NAMES[character] ?? `<U+${hex}>`;
}
