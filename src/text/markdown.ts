import { sanitize } from './sanitize.ts';

const WORD_JOINER = '\u2060';

/** Escapes text for HTML, including attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Returns one line of untrusted text that GitHub renders as plain text. GitHub links bare addresses
 * even if they are escaped, so an invisible character interrupts them. It renders `$…$` as a
 * formula unless each dollar sign has its own element.
 */
export function escapeMarkdown(text: string, limit?: number): string {
  return sanitize(text, limit)
    .replace(/ +/g, ' ')
    .replace(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replace(/(?<=^ ?)[-+=]|(?<=^ ?\d{1,9})[.)]/, '\\$&')
    .replace(/@(?=\S)|:(?=\/)|www(?=\.)/gi, `$&${WORD_JOINER}`)
    .replaceAll('$', '<span>$</span>');
}
