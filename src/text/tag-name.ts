/** True for a name that git accepts for a tag (`git check-ref-format`), of at most 255 characters. */
export function isTagName(name: string): boolean {
  return (
    name.length <= 255 && !/^@?$|[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[./-]|[./]$/u.test(name)
  );
}
