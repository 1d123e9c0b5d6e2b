const PREFIX = 'INPUT_';
const MAX_DISTANCE = 2;

/** An input that action.yml does not declare, and the one that was probably meant. */
export interface UnknownInput {
  readonly name: string;
  readonly meant: string | undefined;
}

/** Lists the inputs of the step that are not among the known names. The runner sets a variable for each, and only warns. */
export function findUnknownInputs(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): UnknownInput[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(PREFIX))
    .map((variable) => variable.slice(PREFIX.length).toLowerCase())
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: known.find((candidate) => isClose(name, candidate)) }));
}

/** Close enough to be a typing error and nothing else: one in a name of five characters, two in one of ten. */
function isClose(name: string, known: string): boolean {
  const [given, expected] = [simplify(name), simplify(known)];
  const length = Math.min(given.length, expected.length);
  return given === expected || getDistance(given, expected) <= Math.min(MAX_DISTANCE, Math.floor(length / 5));
}

function simplify(name: string): string {
  return name.replace(/[^a-z0-9]/g, '');
}

/** Levenshtein distance. */
function getDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, character] of [...a].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...b].entries()) {
      const [above = 0, left = 0, diagonal = 0] = [row[column + 1], next[column], row[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (character === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
