/** A path pattern in the syntax of `on.push.paths`; `isNegative` if it begins with `!`. */
export interface PathPattern {
  readonly isNegative: boolean;
  readonly pattern: RegExp;
}

/** Parses a pattern, or returns undefined if it is not valid. */
export function parsePathPattern(text: string): PathPattern | undefined {
  const isNegative = text.startsWith('!');
  try {
    return { isNegative, pattern: new RegExp(`^${getSource(text.slice(isNegative ? 1 : 0))}$`, 'su') };
  } catch {
    return undefined;
  }
}

/** True if the last pattern that matches the path is not a negative one. */
export function matchesPatterns(path: string, patterns: readonly PathPattern[]): boolean {
  return patterns.findLast(({ pattern }) => pattern.test(path))?.isNegative === false;
}

/**
 * Returns the source of a regular expression. Written here because no glob library has GitHub's rules: `?` and `+`
 * repeat the character before them, and `**` crosses slashes wherever it stands (workflow syntax, filter patterns).
 */
function getSource(glob: string): string {
  return glob.replace(/(?<![^/])\*\*\/|\*\*|\*|\[[^\]\\^]+\]|\\?./gsu, (token) => {
    switch (token) {
      case '**/':
        return '(?:.*/)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
      case '+':
      case '[':
        // An unclosed bracket makes the expression invalid, as it makes the pattern.
        return token;
      default:
        return token.length > 1 && token.startsWith('[') ? token : escapeCharacter(token);
    }
  });
}

function escapeCharacter(token: string): string {
  const character = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
  return character.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&');
}
