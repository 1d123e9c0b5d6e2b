import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
type Expected = Readonly<Record<string, Readonly<Record<string, string | number>>>>;
interface Received {
  readonly call?: string;
  readonly body: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { outputs: declared } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  outputs: Record<string, unknown>;
};
const steps = JSON.parse(process.env['STEPS'] ?? '{}') as Record<string, Step>;
const expected = parse(process.env['EXPECTED'] ?? '') as Expected;
const prompts = readFileSync(process.env['RECORD'] ?? '', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Received)
  .filter(({ call }) => call === 'create')
  .map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);

console.log(`Node ${process.version}`);
const problems: string[] = [];
let expectedCreates = 0;
for (const [id, { step, prompt, ...outputs }] of Object.entries(expected)) {
  const actual = steps[id];
  if (actual === undefined) {
    problems.push(`${id}: there is no such step`);
    continue;
  }
  compare(id, 'step', step ?? 'success', actual.outcome);
  for (const [name, value] of Object.entries(outputs)) {
    compare(id, name, value, actual.outputs[name] ?? '');
  }
  // A killed step has written only the outputs that it knew by then.
  const isComplete = actual.outputs['job-result'] !== undefined;
  const missing = isComplete
    ? Object.keys(declared).filter((name) => !(name in actual.outputs))
    : [];
  if (missing.length > 0) {
    problems.push(`${id}: no output ${missing.join(', ')}`);
  }
  if (prompt !== undefined) {
    expectedCreates += 1;
    const received = prompts.filter((text) => text === prompt).length;
    if (received !== 1) {
      problems.push(`${id}: ${received} create requests with its prompt, not 1`);
    }
  }
  console.log(
    `${id}: ${actual.outcome} ${actual.outputs['job-result'] ?? ''} ${actual.outputs['job-id'] ?? ''}`,
  );
}
if (prompts.length !== expectedCreates) {
  problems.push(`the emulator received ${prompts.length} create requests, not ${expectedCreates}`);
}
for (const problem of problems) {
  console.log(`::error title=Self-test::${problem}`);
}
process.exitCode = problems.length === 0 ? 0 : 1;

function compare(id: string, name: string, wanted: string | number, actual: string): void {
  const isRight = wanted === '*' ? actual !== '' : actual === String(wanted);
  if (!isRight) {
    problems.push(`${id}: ${name} is "${actual}", not "${wanted}"`);
  }
}
