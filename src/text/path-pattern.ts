import { code, type Message, message } from './message.ts';

/** A path pattern in the syntax of `on.push.paths`; `isNegative` if it begins with `!`. */
export interface PathPattern {
  readonly isNegative: boolean;
  readonly steps: readonly Step[];
}

/** A state of the automaton that reads a path. It ends behind the last step. */
interface Step {
  /** True for a character that leads to the next step. */
  accepts(character: string): boolean;
  /** True if that character also leads to this step again. */
  readonly repeats: boolean;
  /** Distances of the steps that are reached without a character as soon as this one is. */
  readonly skips: readonly number[];
}

/** A character that a backslash makes part of a name, or a bracket expression. */
const SINGLE = /\\[^A-Za-z0-9./]|\[[\w-]+\]/gu;
/** Patterns that match no path or were meant differently, once each `SINGLE` is an `x`, and the remedy. */
const MISTAKES: readonly (readonly [RegExp, Message])[] = [
  [/^['"`]|['"`]$/, message`leave out the quotes`],
  [/^[-*+]\s/, message`leave out the list marker`],
  [/^#|\s#/, message`leave out the comment`],
  [
    /[\s,;|"\p{C}]/u,
    message`write one pattern a line, and ${code('\\')} before a space or comma that belongs to a name`,
  ],
  [/\\/, message`separate folders by ${code('/')}`],
  [/\[/, message`put letters, digits, or ranges such as ${code('a-z')} between brackets`],
  [/(?:^|[?+*/])[?+]/, message`put ${code('?')} and ${code('+')} after the character that they change`],
  [
    // A segment of a path is neither empty nor `.` nor `..`.
    /(?:^|\/)\.{0,2}(?:\/|$)/,
    message`begin at the root of the repository, without ${code('/')} or ${code('./')}, and end a folder in ${code('/**')}`,
  ],
];

/** Parses a pattern. Returns the remedy, as the end of a sentence, for one that no path can match. */
export function parsePathPattern(text: string): PathPattern | { readonly remedy: Message } {
  const isNegative = text.startsWith('!');
  const glob = text.slice(isNegative ? 1 : 0);
  const plain = glob.replace(SINGLE, (single) => (hasReversedRange(single) ? '[' : 'x'));
  const [, remedy] = MISTAKES.find(([mistake]) => mistake.test(plain)) ?? [];
  return remedy === undefined ? { isNegative, steps: getSteps(glob) } : { remedy };
}

function hasReversedRange(bracket: string): boolean {
  return (bracket.match(/\w-\w/g) ?? []).some(([from = '', , to = '']) => from > to);
}

/** True if the last pattern that matches the path is not a negative one. Takes time in proportion to the path. */
export function matchesPatterns(path: string, patterns: readonly PathPattern[]): boolean {
  return patterns.findLast(({ steps }) => matches(path, steps))?.isNegative === false;
}

/** Follows all ways through the steps at once, so nothing is ever read again. */
function matches(path: string, steps: readonly Step[]): boolean {
  let reached = addSkipped(new Set([0]), steps);
  for (const character of path) {
    const next = new Set<number>();
    for (const index of reached) {
      const step = steps[index];
      if (step?.accepts(character)) {
        next.add(step.repeats ? index : index + 1).add(index + 1);
      }
    }
    reached = addSkipped(next, steps);
  }
  return reached.has(steps.length);
}

function addSkipped(reached: Set<number>, steps: readonly Step[]): Set<number> {
  // The loop also visits what it adds.
  for (const index of reached) {
    for (const distance of steps[index]?.skips ?? []) {
      reached.add(index + distance);
    }
  }
  return reached;
}

const ANY: Step = { accepts: () => true, repeats: true, skips: [1] };
const IN_SEGMENT: Step = { ...ANY, accepts: (character) => character !== '/' };
const FORK: Step = { accepts: () => false, repeats: false, skips: [1, 3] };

/**
 * Returns the steps of a pattern. Written here because no glob library has GitHub's rules: `?` and `+` repeat the
 * character before them, and `**` crosses slashes wherever it stands (workflow syntax, filter patterns).
 */
function getSteps(glob: string): Step[] {
  const steps: Step[] = [];
  for (const [token] of glob.matchAll(/(?<![^/])\*\*\/|\*\*|\*|\[[^\]]+\]|\\?./gsu)) {
    const last = steps.at(-1);
    if (token === '**/') {
      steps.push(FORK, ANY, toStep('/'));
    } else if (token === '**' || token === '*') {
      steps.push(token === '*' ? IN_SEGMENT : ANY);
    } else if ((token === '?' || token === '+') && last !== undefined) {
      steps[steps.length - 1] = token === '?' ? { ...last, skips: [1] } : { ...last, repeats: true };
    } else {
      steps.push(toStep(token));
    }
  }
  return steps;
}

/** The step of a character, an escaped one, or a bracket expression. */
function toStep(token: string): Step {
  const isBracket = token.length > 2 && token.startsWith('[');
  const ranges = isBracket ? token.slice(1, -1).match(/.-.|./g) : null;
  const character = token.startsWith('\\') ? token.slice(1) : token;
  return {
    accepts: (read) =>
      ranges === null
        ? read === character
        : ranges.some((range) => range.charAt(0) <= read && read <= range.slice(-1)),
    repeats: false,
    skips: [],
  };
}
