/**
 * A path pattern in the syntax of `on.push.paths`. If it begins with `!`, it is negative, and its
 * glob is the rest.
 */
export type PathPattern = Readonly<NonNullable<ReturnType<typeof parsePathPattern>>>;

/** Matches a part of a path, such as one character. */
interface Step {
  readonly part: RegExp;
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
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

/** Parses a pattern. Undefined if no path can match it. */
export function parsePathPattern(text: string) {
  const isNegative = text.startsWith('!');
  const glob = text.slice(isNegative ? 1 : 0);
  const plain = glob.replace(SINGLE, (single) => (hasReversedRange(single) ? '[' : 'x'));
  const isMistake = MISTAKES.some((mistake) => mistake.test(plain));
  return isMistake ? undefined : { isNegative, glob, steps: getSteps(glob) };
}

function hasReversedRange(set: string): boolean {
  return (set.match(/[\w-]-[\w-]/g) ?? []).some(([from = '', , to = '']) => from > to);
}

/** Returns whether the last pattern that matches the path includes it. Takes linear time. */
export function matchesPatterns(path: string, patterns: readonly PathPattern[]): boolean {
  return patterns.findLast(({ steps }) => matches(path, steps))?.isNegative === false;
}

/**
 * Returns whether any path can match. Tries each pattern as a path, with and without folders in
 * place of `**`.
 */
export function canMatch(patterns: readonly PathPattern[]): boolean {
  return patterns.some(({ glob, isNegative }) => {
    const examples = ['', '*/*/'].map((folders) =>
      glob.replaceAll('**/', folders).replaceAll('**', `${folders}*`),
    );
    // Sets, repetitions, and escaped characters would need other examples.
    return (
      !isNegative &&
      (/[[\\?+]/.test(glob) || examples.some((path) => matchesPatterns(path, patterns)))
    );
  });
}

/**
 * Tracks all positions that a step can reach at once, so that no part of the path is read twice.
 */
function matches(path: string, steps: readonly Step[]): boolean {
  let reached = new Set([0]);
  for (const { part, isOptional, isRepeated } of steps) {
    const next = new Set(isOptional ? reached : []);
    // The loop also visits the positions that it adds.
    for (const index of reached) {
      part.lastIndex = index;
      if (part.test(path)) {
        next.add(part.lastIndex);
        if (isRepeated) {
          reached.add(part.lastIndex);
        }
      }
    }
    reached = next;
  }
  return reached.has(path.length);
}

/** What each wildcard repeats. */
const WILDCARDS: Readonly<Record<string, string>> = { '**/': '[^/]*/', '**': '.', '*': '[^/]' };

/**
 * Parses the steps of a pattern. GitHub's rules differ from those of glob libraries: `?` and `+`
 * repeat a character.
 */
function getSteps(glob: string): Step[] {
  const tokens = glob.matchAll(/((?<![^/])\*\*\/|\*\*|\*|\[[^\]]+\]|\\?.)([?+]?)/gsu);
  return [...tokens].map(([, token = '', repeat]) => {
    const wildcard = WILDCARDS[token];
    // Sets and escaped characters mean the same in a regular expression.
    const single = token.length > 1 ? token : token.replace(/\W/, '\\$&');
    return {
      part: new RegExp(wildcard ?? single, 'sy'),
      isOptional: wildcard !== undefined || repeat === '?',
      isRepeated: wildcard !== undefined || repeat === '+',
    };
  });
}
