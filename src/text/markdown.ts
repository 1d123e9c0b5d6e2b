import { sanitize } from './sanitize.ts';

/**
 * The entities that the runner knows: it also masks a secret in this form (`XmlDataEscape` in
 * ValueEncoder.cs of actions/runner), but not with numbers or backslashes.
 */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/**
 * Returns one line of untrusted text that GitHub renders as plain text. GitHub links bare addresses
 * and names even if they are escaped, and renders text between two `$` as a formula. An element of
 * its own for one character prevents both, and leaves nothing invisible in a copy.
 */
export function escapeMarkdown(text: string, limit?: number): string {
  const line = sanitize(text, limit).replace(/ +/g, ' ');
  const toEntity = (character: string): string => ENTITIES[character] ?? character;
  // Quotes need no escape, but the runner's form of a secret has all entities or none.
  const html = /[&<>]/.test(line) ? line.replace(/[&<>"']/g, toEntity) : line;
  return (
    html
      .replace(/[\\`*[\]#|~]/g, '\\$&')
      // Inside a word, as in most secrets, an underscore has no meaning.
      .replace(/_(?![a-z\d])|(?<![a-z\d])_/gi, '\\_')
      .replace(/(?<=^ ?)[-+=]|(?<=^ ?\d{1,9})[.)]/, '\\$&')
      .replace(/@(?=\S)|:(?=\/)|www(?=\.)|\$/gi, '<span>$&</span>')
  );
}
