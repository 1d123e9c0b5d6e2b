// Names of branches, tags, and commits, as Git writes them.

// The rules of `git check-ref-format`.
const INVALID_REF = /[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[./-]|[./]$|^@?$/u;

/** Returns whether Git takes a text as the name of a branch or tag. */
export function isRefName(name = ''): boolean {
  return name.length <= 255 && !INVALID_REF.test(name);
}

/** Returns the name of a branch or tag without the beginning of its full ref. */
export function toRefName(text: string): string {
  return text.replace(/^refs\/(?:heads|tags)\//, '');
}

/** True for the id of no commit. */
export function isZeros(text: string): boolean {
  return /^0{40,64}$/.test(text);
}
