const PREFIX = 'INPUT_';

/** An input that action.yml does not declare, and the inputs that the user probably meant. */
export interface UnknownInput {
  readonly name: string;
  readonly meant: readonly string[];
}

/** Lists the inputs of the step that are not among the known names. The runner sets a variable for each, and only warns. */
export function findUnknownInputs(env: NodeJS.ProcessEnv, known: readonly string[]): UnknownInput[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(PREFIX))
    .map((variable) => variable.slice(PREFIX.length).toLowerCase())
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: known.filter((candidate) => isNearly(name, candidate)) }));
}

/** True if the names are equal without separators, one begins with the words of the other, or they are one typing error apart. */
function isNearly(name: string, known: string): boolean {
  const given = getBeginnings(name);
  const expected = getBeginnings(known);
  const plainName = given.at(-1) ?? '';
  const plainKnown = expected.at(-1) ?? '';
  const isBeginning = expected.includes(plainName) || given.includes(plainKnown);
  return plainName !== '' && (isBeginning || isOneTypoApart(plainName, plainKnown));
}

/** The first word, the first two words, and so on, without separators. */
function getBeginnings(name: string): string[] {
  const words = name.match(/[a-z0-9]+/g) ?? [];
  return words.map((_, index) => words.slice(0, index + 1).join(''));
}

/** One character inserted, dropped, or replaced, or two neighbors swapped. */
function isOneTypoApart(a: string, b: string): boolean {
  const start = [...a, ''].findIndex((character, index) => character !== b[index]);
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const [first = '', second = ''] = restA;
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    second + first + restA.slice(2) === restB
  );
}
