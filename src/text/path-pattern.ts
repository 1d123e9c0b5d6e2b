import { code, type Message, message } from './message.ts';

/** A path pattern in the syntax of `on.push.paths`; `isNegative` if it begins with `!`. */
export interface PathPattern {
  readonly isNegative: boolean;
  /** Its text without the `!`. */
  readonly glob: string;
  readonly steps: readonly Step[];
}

/** One step through a path: zero or more matches of `goesOn`, then one match of `ends`. */
interface Step {
  readonly goesOn: RegExp;
  readonly ends: RegExp;
  readonly isOptional: boolean;
}

/**
 * A bracket expression, or a character that needs a backslash to be part of a name. A `*` doesn't: `docs\*.md` is a path
 * of Windows more often than a name, which `docs*.md` matches, too.
 */
const SINGLE = /\\[?+![\]#,;|"'`\s]|\[[\w-]+\]/gu;
/** Patterns that match no path or don't mean what they seem to, with each `SINGLE` as an `x`, and the remedy. */
const MISTAKES: readonly (readonly [RegExp, Message])[] = [
  [/^['"`]|['"`]$/, message`leave out the quotes`],
  [/^[-*+]\s/, message`leave out the list marker`],
  [/^#|\s#/, message`leave out the comment`],
  [
    /[\s,;|"\p{C}]/u,
    message`write one pattern per line, and ${code('\\')} before a space or comma that belongs to a name`,
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
  return remedy === undefined ? { isNegative, glob, steps: getSteps(glob) } : { remedy };
}

function hasReversedRange(bracket: string): boolean {
  return (bracket.match(/[\w-]-[\w-]/g) ?? []).some(([from = '', , to = '']) => from > to);
}

/** True if the last pattern that matches the path is not a negative one. Takes time in proportion to the path. */
export function matchesPatterns(path: string, patterns: readonly PathPattern[]): boolean {
  return patterns.findLast(({ steps }) => matches(path, steps))?.isNegative === false;
}

/** True if the patterns match a path. Tries examples of what each includes, in few folders and many, with both ends of a range. */
export function canMatch(patterns: readonly PathPattern[]): boolean {
  const toExample = (glob: string, folders: string, end: number): string => {
    const parts: Record<string, string> = { '**/': folders, '**': `${folders}~`, '*': '~', '?': '', '+': '' };
    return glob.replace(
      /\\.|\*\*\/|\*\*|\*|\[[^\]]+\]|[?+]/gu,
      (part) => parts[part] ?? part.at(part.length === 2 ? 1 : end) ?? '',
    );
  };
  return patterns.some(({ glob }) =>
    ['', '~/~/'].some((folders) =>
      [1, -2].some((end) => matchesPatterns(toExample(glob, folders, end), patterns)),
    ),
  );
}

/** Finds all places where a step can end before the next one begins, so that no way through the path is tried twice. */
function matches(path: string, steps: readonly Step[]): boolean {
  const characters = [...path];
  let reached = new Set([0]);
  for (const { goesOn, ends, isOptional } of steps) {
    const next = new Set(isOptional ? reached : []);
    // The loop also visits the places that it adds.
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

/**
 * Returns the steps of a pattern. No glob library has GitHub's rules: `?` and `+` apply to the character before them,
 * and `**` crosses slashes anywhere (workflow syntax, filter patterns).
 */
function getSteps(glob: string): Step[] {
  const tokens = glob.matchAll(/((?<![^/])\*\*\/|\*\*|\*|\[[^\]]+\]|\\?.)([?+]?)/gsu);
  return [...tokens].map(([, token = '', repeat]) => WILDCARDS[token] ?? toStep(token, repeat));
}

/** The step of a character, an escaped one, or a bracket expression. The last two mean the same in a regular expression. */
function toStep(token: string, repeat: string | undefined): Step {
  const ends = new RegExp(token.length > 1 ? token : token.replace(/\W/, '\\$&'));
  return { ends, goesOn: repeat === '+' ? ends : NEVER, isOptional: repeat === '?' };
}
