import { undefinedIfThrown } from '../errors.ts';
import { type Message, message } from '../text/message.ts';

/** A pattern in the syntax of `on.push.paths`. If it begins with `!`, it excludes files. */
export type PathPattern = Readonly<ReturnType<typeof toPathPattern>>;

/** A part of a pattern. It matches one character, unless it is optional or repeated. */
interface Token {
  readonly matches: (character: string) => boolean;
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
  /** True if the last character that it matches must be a slash. */
  readonly endsWithSlash: boolean;
}

/** A set, or an escaped character. Not `\*`: `docs\*.md` is usually a Windows path. */
const SINGLE = /\[[\w-]+\]|\\[?+![\]#,;|"'`\s]/gu;
/** Signs that a pattern can't match any path, after each `SINGLE` is replaced with `x`. */
const MISTAKES: readonly (readonly [RegExp, Message])[] = [
  [/^['"`#]|['"`]$|^[-*+]\s|\s#/, message`leave out quotes, list markers, and comments`],
  [
    /[\s,;|"\p{C}]/u,
    message`write one pattern per line, and {\\} before a space or comma in a name`,
  ],
  [/\\/, message`separate folders with {/}`],
  [/^(?:[A-Za-z]:)?\.{0,2}(?:\/|$)/, message`begin at the root ({src/**}, not {./src/**})`],
  [/\/\.{0,2}(?:\/|$)/, message`put a name or {**} after each {/}`],
  [/\[/, message`put letters, digits, or ranges such as {a-z} between {[} and {]}`],
  [/(?:^|[?+*/])[?+]/, message`put the character to repeat before {?} or {+}`],
];
const TOKEN = /(?<![^/])\*\*\/|\*+|(?:\[[\w-]+\]|\\?.)[?+]?/gsu;

/** Returns how to correct a pattern that no path can match, or undefined if nothing is wrong. */
export function findMistake(text: string): Message | undefined {
  const { glob } = splitSign(text);
  const hasReversedRange = (glob.match(SINGLE) ?? []).some(
    (single) => undefinedIfThrown(() => toMatcher(single)) === undefined,
  );
  if (hasReversedRange) {
    return message`begin a range with its lower end ({a-z})`;
  }
  const plain = glob.replace(SINGLE, 'x');
  return MISTAKES.find(([sign]) => sign.test(plain))?.[1];
}

/** Returns a pattern without mistakes in a form that can be matched. */
export function toPathPattern(text: string) {
  const { isNegative, glob } = splitSign(text);
  return { isNegative, glob, tokens: (glob.match(TOKEN) ?? []).map(toToken) };
}

/** The glob is what follows the `!`. */
function splitSign(text: string) {
  const isNegative = text.startsWith('!');
  return { isNegative, glob: text.slice(isNegative ? 1 : 0).normalize() };
}

/** By GitHub's rules, unlike those of glob libraries: `?` and `+` repeat the character before. */
function toToken(text: string): Token {
  if (text.startsWith('*')) {
    const matches = (character: string): boolean => text !== '*' || character !== '/';
    return { matches, isOptional: true, isRepeated: true, endsWithSlash: text === '**/' };
  }
  const [, unit = '', repetition] = /^(\[[\w-]+\]|\\?.)([?+]?)$/su.exec(text) ?? [];
  const isOptional = repetition === '?';
  const isRepeated = repetition === '+';
  return { matches: toMatcher(unit), isOptional, isRepeated, endsWithSlash: false };
}

/** Throws for a reversed range such as `[z-a]`. */
function toMatcher(unit: string): Token['matches'] {
  if (unit.length > 1 && unit.startsWith('[')) {
    const set = new RegExp(unit, 'u');
    return (character) => set.test(character);
  }
  const literal = unit.replace('\\', '');
  return (character) => character === literal;
}

/** Returns whether the last pattern that matches the path includes it. */
export function matchesPatterns(path: string, patterns: readonly PathPattern[]): boolean {
  // Some systems store accented letters as two characters.
  const characters = [...path.normalize()];
  const last = patterns.findLast(({ tokens }) => findEnds(tokens, characters).at(-1) === 1);
  return last?.isNegative === false;
}

/**
 * Returns the first pattern that matches a folder of the path: it can't match what is in there, if
 * its last name is without a `*`.
 */
export function findFolderPattern(
  path: string,
  patterns: readonly PathPattern[],
): string | undefined {
  const characters = [...path.normalize()];
  const found = patterns.find(({ glob, tokens }) => {
    const endsWithName = !/\*[^/]*$/.test(glob);
    return (
      endsWithName &&
      findEnds(tokens, characters).some((end, at) => end === 1 && characters[at] === '/')
    );
  });
  return found?.glob;
}

/**
 * Returns a 1 for each number of characters that the tokens can match from the start of a path.
 * Takes no more steps than the characters of the path times the tokens.
 */
function findEnds(tokens: readonly Token[], path: readonly string[]): Uint8Array {
  let ends: Uint8Array = new Uint8Array(path.length + 1).fill(1, 0, 1);
  for (const token of tokens) {
    if (!ends.includes(1)) {
      break;
    }
    ends = moveEnds(token, ends, path);
  }
  return ends;
}

/** Returns where a token can end, given where it can start. */
function moveEnds(token: Token, starts: Uint8Array, path: readonly string[]): Uint8Array {
  const { matches, isOptional, isRepeated, endsWithSlash } = token;
  const ends = new Uint8Array(starts.length);
  let isRunning = false;
  for (let at = starts.indexOf(1); at < starts.length; at += 1) {
    const isStart = starts[at] === 1;
    if (isStart && isOptional) {
      ends[at] = 1;
    }
    const character = path[at];
    isRunning =
      (isStart || (isRunning && isRepeated)) && character !== undefined && matches(character);
    if (isRunning && (!endsWithSlash || character === '/')) {
      ends[at + 1] = 1;
    }
  }
  return ends;
}
