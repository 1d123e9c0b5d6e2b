/** Longest piece of untrusted text that a log line, an annotation or a table cell shows. */
export const QUOTE_LIMIT = 500;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;

/**
 * Returns untrusted text as one line that the runner reads as plain text: control, bidirectional, and
 * zero-width characters become visible, `::` and `##[` are broken up (actions/runner: ActionCommand.cs), and
 * the result has at most `limit` characters. Sanitizing twice changes nothing.
 */
export function sanitize(text: string, limit: number = QUOTE_LIMIT): string {
  const visible = showInvisible(text)
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '# #');
  return truncate(visible, limit);
}

/** Returns well-formed text on one line, in which control, bidirectional, and zero-width characters are visible. */
export function showInvisible(text: string): string {
  return text.toWellFormed().replace(INVISIBLE, showCharacter);
}

/** Returns untrusted text for the middle of a sentence: trimmed, sanitized, and without the backticks that mark code. */
export function quote(text: string, limit: number): string {
  return sanitize(text.trim(), limit).replaceAll('`', "'");
}

/** Returns the sanitized lines of a longer text: at most `limit` characters and `maxLines` lines, then one that says how much there is. */
export function sanitizeLines(text: string, limit: number, maxLines: number): string[] {
  const lines = text.slice(0, limit).split(/\r\n|\r|\n/);
  const shown = lines.slice(0, maxLines).map((line) => sanitize(line, limit));
  const isCut = text.length > limit || lines.length > maxLines;
  return isCut ? [...shown, `… (${text.length} characters in all)`] : shown;
}

/** Returns text of at most `limit` characters, with `…` as the last one if it was longer. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const head = text.slice(0, limit - 1);
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`;
}

function showCharacter(character: string): string {
  switch (character) {
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return ' ';
    default: {
      const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return `<U+${hex}>`;
    }
  }
}
