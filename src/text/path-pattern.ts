/** A path pattern in the syntax of `on.push.paths`. If it begins with `!`, it is negative, and its glob is the rest. */
export type PathPattern = Readonly<NonNullable<ReturnType<typeof parsePathPattern>>>;

/** Matches zero or more characters with `goesOn`, then one with `ends`. */
interface Step {
  readonly goesOn: RegExp;
  readonly ends: RegExp;
  readonly isOptional: boolean;
}

/** A set in brackets, or an escaped character. `\*` is not allowed, because `docs\*.md` is usually a Windows path. */
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

/** Returns whether any path can match. Tries each pattern as a path, with and without folders in place of `**`. */
export function canMatch(patterns: readonly PathPattern[]): boolean {
  return patterns.some(({ glob, isNegative }) => {
    const examples = ['', '*/*/'].map((folders) =>
      glob.replaceAll('**/', folders).replaceAll('**', `${folders}*`),
    );
    // Sets, repetitions, and escaped characters would need other examples.
    return !isNegative && (/[[\\?+]/.test(glob) || examples.some((path) => matchesPatterns(path, patterns)));
  });
}

/** Tracks all positions that a step can reach at once, so that no part of the path is read twice. */
function matches(path: string, steps: readonly Step[]): boolean {
  const characters = [...path];
  let reached = new Set([0]);
  for (const { goesOn, ends, isOptional } of steps) {
    const next = new Set(isOptional ? reached : []);
    // The loop also visits the positions that it adds.
    for (const index of reached) {
      const character = characters[index] ?? '';
      if (ends.test(character)) {
        next.add(index + 1);
      }
      if (goesOn.test(character)) {
        reached.add(index + 1);
      }
    }
    reached = next;
  }
  return reached.has(characters.length);
}

const ANY = /./su;
const IN_SEGMENT = /[^/]/u;
const NEVER = /(?!)/u;
const WILDCARDS: Readonly<Record<string, Step>> = {
  '**/': { goesOn: ANY, ends: /\//u, isOptional: true },
  '**': { goesOn: ANY, ends: ANY, isOptional: true },
  '*': { goesOn: IN_SEGMENT, ends: IN_SEGMENT, isOptional: true },
};

/** Parses the steps of a pattern. GitHub's rules differ from those of glob libraries: `?` and `+` repeat a character. */
function getSteps(glob: string): Step[] {
  const tokens = glob.matchAll(/((?<![^/])\*\*\/|\*\*|\*|\[[^\]]+\]|\\?.)([?+]?)/gsu);
  return [...tokens].map(([, token = '', repeat]) => {
    // Sets and escaped characters mean the same in a regular expression.
    const source = token.length > 1 ? token : token.replace(/\W/, '\\$&');
    return WILDCARDS[token] ?? toStep(new RegExp(source), repeat);
  });
}

function toStep(ends: RegExp, repeat: string | undefined): Step {
  return { ends, goesOn: repeat === '+' ? ends : NEVER, isOptional: repeat === '?' };
}
