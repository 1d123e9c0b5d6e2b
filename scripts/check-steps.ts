import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * Compares the results and outputs of the steps of a workflow job with the expected ones, and fails
 * if they differ. STEPS is `toJSON(steps)`. EXPECTED is YAML. For each step id, `step` is `success`
 * (the default) or `failure`, `prompt` is a prompt that the emulator received in exactly one create
 * request, and everything else is an output (`*` for any text). RECORD is the file in which the
 * emulator records its requests.
 */
interface Step {
  readonly outcome: string;
  readonly outputs: Readonly<Record<string, string>>;
}
type Expected = Readonly<Record<string, string | number>>;

const { STEPS = '{}', EXPECTED = '', RECORD = '' } = process.env;
const action = readFileSync(new URL('../action.yml', import.meta.url), 'utf8');
const { outputs: declared } = parse(action) as { outputs: Record<string, unknown> };
const steps = JSON.parse(STEPS) as Record<string, Step>;
const expected = parse(EXPECTED) as Record<string, Expected>;
const prompts = readFileSync(RECORD, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { call?: string; body: string })
  .filter(({ call }) => call === 'create')
  .map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);

function findProblems(id: string, { step = 'success', prompt, ...outputs }: Expected): string[] {
  const actual = steps[id];
  if (actual === undefined) {
    return [`${id}: there is no such step`];
  }
  console.log(`${id}: ${actual.outcome} ${actual.outputs['job-result'] ?? ''}`);
  const wanted = Object.entries({ step, ...outputs });
  const wrong = wanted.flatMap(([name, value]) => {
    const found = name === 'step' ? actual.outcome : (actual.outputs[name] ?? '');
    const isRight = value === '*' ? found !== '' : found === String(value);
    return isRight ? [] : [`${id}: ${name} is "${found}", not "${value}"`];
  });
  // A killed step has written only the outputs that it knew by then.
  const isComplete = actual.outputs['job-result'] !== undefined;
  const missing = Object.keys(declared).filter((name) => isComplete && !(name in actual.outputs));
  const creates = prompts.filter((text) => text === prompt).length;
  return [
    ...wrong,
    ...missing.map((name) => `${id}: no output ${name}`),
    ...(prompt === undefined || creates === 1
      ? []
      : [`${id}: ${creates} create requests with its prompt, not 1`]),
  ];
}

console.log(`Node ${process.version}`);
const problems = Object.entries(expected).flatMap(([id, step]) => findProblems(id, step));
const creates = Object.values(expected).filter(({ prompt }) => prompt !== undefined).length;
if (prompts.length !== creates) {
  problems.push(`the emulator received ${prompts.length} create requests, not ${creates}`);
}
for (const problem of problems) {
  console.log(`::error title=Self-test::${problem}`);
}
process.exitCode = problems.length === 0 ? 0 : 1;
