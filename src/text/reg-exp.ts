/** Escapes text for a regular expression, with or without the flag `u`. Not for a set. */
export function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
