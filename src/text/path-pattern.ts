import { escapeForRegExp } from './reg-exp.ts';

/** A pattern in the syntax of `on.push.paths`. If it begins with `!`, it excludes files. */
export interface PathPattern {
  readonly isNegative: boolean;
  /** Without the `!`. */
  readonly glob: string;
  readonly regExp: RegExp;
}

/**
 * A set in brackets, or an escaped character. `\*` is not allowed, because `docs\*.md` is usually a
 * Windows path.
 */
const SINGLE = /\\[?+![\]#,;|"'`\s]|\[[\w-]+\]/gu;
/** Signs that a pattern can't match any path, after each `SINGLE` is replaced with `x`. */
const MISTAKES = [
  // Quotes, list markers, comments, several patterns on a line.
  /^['"`#]|['"`]$|^[-*+]\s|[\s,;|"\p{C}]/u,
  // Empty or unknown sets, and repetitions of nothing.
  /\[|(?:^|[?+*/])[?+]/,
  // Backslashes, and segments that are empty, `.`, or `..`.
  /\\|(?:^|\/)\.{0,2}(?:\/|$)/,
];
const TOKEN = /(?<![^/])\*\*\/|\*+|\[[\w-]+\]|\\?./gsu;

/** Parses a pattern. Undefined if no path can match it. */
export function parsePathPattern(text: string): PathPattern | undefined {
  const isNegative = text.startsWith('!');
  const glob = text.slice(isNegative ? 1 : 0).normalize();
  const plain = glob.replace(SINGLE, 'x');
  if (MISTAKES.some((mistake) => mistake.test(plain))) {
    return undefined;
  }
  try {
    return { isNegative, glob, regExp: new RegExp(`^${glob.replace(TOKEN, translate)}$`, 'su') };
  } catch {
    // A reversed range such as `[z-a]`.
    return undefined;
  }
}

/**
 * Translates a token by GitHub's rules, which differ from those of glob libraries: `?` and `+`
 * repeat the character before them.
 */
function translate(token: string): string {
  switch (token) {
    case '**/':
      return '(?:.*/)?';
    case '*':
      return '[^/]*';
    case '?':
    case '+':
      return token;
  }
  if (token.startsWith('**')) {
    return '.*';
  }
  const isSet = token.length > 1 && token.startsWith('[');
  return isSet ? token : escapeForRegExp(token.replace('\\', ''));
}

/** Returns whether the last pattern that matches the path includes it. */
export function matchesPatterns(path: string, patterns: readonly PathPattern[]): boolean {
  // Some systems store accented letters as two characters.
  const normalized = path.normalize();
  return patterns.findLast(({ regExp }) => regExp.test(normalized))?.isNegative === false;
}

/** Returns whether any path can match. True if that is hard to tell. */
export function canMatch(patterns: readonly PathPattern[]): boolean {
  const included = patterns.filter(({ isNegative }) => !isNegative);
  return included.some(({ glob }) => {
    const isHardToTell = /[[\\?+]/.test(glob);
    return isHardToTell || getExamples(glob).some((path) => matchesPatterns(path, patterns));
  });
}

/** Returns two paths that match: with no folder and with two folders in place of each `**`. */
function getExamples(glob: string): string[] {
  return ['', 'a/b/'].map((folders) =>
    glob.replaceAll('**/', folders).replaceAll('**', `${folders}*`),
  );
}
