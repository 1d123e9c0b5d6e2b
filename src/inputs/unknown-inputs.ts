/**
 * Returns the unknown inputs of the step that resemble an input, each with the inputs that the user
 * probably meant. The runner only warns about unknown inputs, and `dryrun: true` would start a job.
 */
export function findUnknownInputs(env: NodeJS.ProcessEnv, known: readonly string[]) {
  return Object.keys(env)
    .filter((variable) => variable.startsWith('INPUT_'))
    .map((variable) => variable.slice('INPUT_'.length).toLowerCase())
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: known.filter((candidate) => isSimilar(name, candidate)) }))
    .filter(({ meant }) => meant.length > 0);
}

/** True if one name begins with the words of the other, or only separators or a plural differ. */
function isSimilar(name: string, known: string): boolean {
  const words = name.replace(/[^a-z0-9]+/g, '-');
  const isBeginning = `${words}-`.startsWith(`${known}-`) || `${known}-`.startsWith(`${words}-`);
  return isBeginning || simplify(words) === simplify(known);
}

function simplify(name: string): string {
  return name.replaceAll('-', '').replace(/s$/, '');
}
