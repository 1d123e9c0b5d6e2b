import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import { Reporter } from '../../../src/report/reporter.ts';
import { createRunner } from '../../../src/runner/commands.ts';
import type { Outcome } from '../../../src/state/outcome.ts';
import { RunTracker } from '../../../src/state/run-state.ts';
import { parseOutputFile } from '../../harness/output-file.ts';
import { parseCommands } from '../../harness/runner-commands.ts';
import { captureRunner } from '../captured-runner.ts';
import {
  createGitHubContext,
  createInputs,
  createTestJob,
  createWorld,
  PULL_REQUEST,
} from '../fixtures.ts';

const captured = captureRunner();

/** Starts a reporter of a run that sends its request next. */
function start(changes: Partial<Inputs> = {}) {
  const { clock } = createWorld();
  const tracker = new RunTracker(clock);
  const redact = (text: string): string => text;
  const reporter = new Reporter({
    runner: createRunner(redact),
    tracker,
    // The action does not read a pull request of another host.
    github: createGitHubContext({ serverUrl: 'https://git.test' }),
    redact,
  });
  const baseUrl = new URL('https://api.example.com/v1/');
  const inputs = createInputs({ baseUrl, ...changes });
  tracker.update({ request: inputs.request });
  reporter.begin(inputs);
  return { clock, tracker, reporter };
}

/** Publishes an outcome, and returns whether the step passes. */
function conclude(reporter: Reporter, outcome: Outcome): boolean {
  return reporter.conclude(outcome, reporter.setOutputs(outcome), undefined);
}

const readOutputs = (): Record<string, string> => parseOutputFile(captured.read('GITHUB_OUTPUT'));
const readCommands = (kind = '') =>
  parseCommands(captured.stdout)
    .commands.map(({ name, data }) => `${name}: ${data}`)
    .filter((command) => command.startsWith(kind));

describe('Reporter', () => {
  it('writes the job as soon as it is known, and the outcome at the end', () => {
    const { clock, tracker, reporter } = start();
    tracker.update({ claim: { kind: 'settled' } });
    reporter.onEvent({ kind: 'request' });
    clock.pass(2_000);
    tracker.setJob(createTestJob());
    reporter.onEvent({ kind: 'job' });
    expect(readOutputs()).toMatchObject({ 'job-id': 'job_1', status: 'active' });
    clock.pass(88_000);
    tracker.setJob(createTestJob({ status: 'completed', prLink: PULL_REQUEST }));
    expect(conclude(reporter, { result: 'pull-request-opened' })).toBe(true);
    const group = ['group: Prompt (length: 8)', 'endgroup: '];
    expect(readCommands()).toEqual([...group, `notice: ${PULL_REQUEST}`]);
    const last = { 'job-result': 'pull-request-opened', 'elapsed-seconds': '90' };
    expect(readOutputs()).toMatchObject(last);
  });

  it('warns about an expression in the prompt, but not in what others wrote', () => {
    const expression = '$'.concat('{{ github.ref_name }}');
    const request = { kind: 'create', prompt: `Describe ${expression}` } as const;
    start({ request });
    expect(readCommands('warning')[0]).toContain(`\`${expression}\`, which is sent unchanged`);
    const others = start();
    others.tracker.update({ request });
    others.reporter.onEvent({ kind: 'request' });
    expect(readCommands('warning')).toHaveLength(1);
  });

  it.each<[Outcome, boolean, readonly string[]]>([
    [{ result: 'dry-run' }, true, []],
    [{ result: 'cancelled', code: 'cancelled' }, false, []],
    [{ result: 'failed', code: 'job-failed' }, false, ['error']],
    [{ result: 'archived' }, true, ['warning']],
  ])('passes or fails the step for %o', (outcome, passes, levels) => {
    const { reporter } = start();
    expect(conclude(reporter, outcome)).toBe(passes);
    const names = readCommands().map((command) => command.split(':')[0]);
    expect(names).toEqual(['group', 'endgroup', ...levels]);
    expect(readOutputs()['job-result']).toBe(outcome.result);
    expect(captured.read('GITHUB_STEP_SUMMARY')).toMatch(/^## /);
  });

  it('continues without an output file, and fails the step at the end', () => {
    const { reporter, tracker } = start();
    rmSync(captured.pathOf('GITHUB_OUTPUT'));
    tracker.setJob(createTestJob({ status: 'completed' }));
    reporter.onEvent({ kind: 'job' });
    expect(conclude(reporter, { result: 'no-pull-request' })).toBe(false);
    const last = readCommands().at(-1);
    expect(last).toMatch(/^error: .* The outputs can't be written: ENOENT/);
    // Nobody can get the id from the outputs.
    expect(last).toContain('Job: `job_1`');
  });
});
