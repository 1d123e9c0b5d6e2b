/** Returns the misspelled inputs of the step, each with the inputs that the user probably meant. */
export function findUnknownInputs(env: NodeJS.ProcessEnv, known: readonly string[]) {
  return Object.keys(env)
    .filter((variable) => variable.startsWith('INPUT_'))
    .map((variable) => variable.slice('INPUT_'.length).toLowerCase())
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: known.filter((candidate) => isSimilar(name, candidate)) }))
    .filter(({ meant }) => meant.length > 0);
}

/**
 * Returns whether one name begins with the words of the other, or they differ in at most one typing
 * error.
 */
function isSimilar(name: string, known: string): boolean {
  const words = name.replace(/[^a-z0-9]+/g, '-');
  const isBeginning = `${words}-`.startsWith(`${known}-`) || `${known}-`.startsWith(`${words}-`);
  return isBeginning || isOneTypoApart(words.replaceAll('-', ''), known.replaceAll('-', ''));
}

/**
 * Returns whether one character was inserted, dropped, or replaced, or two neighbors were swapped.
 */
function isOneTypoApart(a: string, b: string): boolean {
  const start = [...a, ''].findIndex((character, index) => character !== b[index]);
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const [first = '', second = ''] = restA;
  const swapped = second + first + restA.slice(2);
  return (
    [restA.slice(1), swapped].includes(restB) || [restA, restA.slice(1)].includes(restB.slice(1))
  );
}
