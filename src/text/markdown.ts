import { sanitize } from './sanitize.ts';

/** Escapes text for HTML, attributes in double quotes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const WORD_JOINER = '\u2060';

/**
 * Returns one line of untrusted text for Markdown that GitHub renders as text and nothing else. Characters that
 * begin a construct anywhere are escaped anywhere; those that only do at the start of a line (lists, rules) are
 * escaped there. GitHub also links bare addresses after it has undone escapes, so an invisible character keeps
 * those apart, and it reads `$…$` as mathematics unless each dollar sign has its own element.
 */
export function escapeMarkdown(text: string): string {
  return sanitize(text)
    .replace(/ +/g, ' ')
    .replace(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replace(/(?<=^ ?)[-+=]|(?<=^ ?\d{1,9})[.)]/, '\\$&')
    .replace(/@(?=\S)|:(?=\/)|www(?=\.)/gi, `$&${WORD_JOINER}`)
    .replaceAll('$', '<span>$</span>');
}
