/** True for a name that git accepts for a tag (`git check-ref-format`), of at most 255 characters. */
export function isTagName(name: string): boolean {
  return !/^@?$|^.{256}|[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[./-]|[./]$/u.test(name);
}
