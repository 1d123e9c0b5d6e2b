import { expect, it } from 'vitest';
import { Reporter } from '../../../src/report/reporter.ts';
import { createRunner } from '../../../src/runner/commands.ts';
import { RunTracker } from '../../../src/state/run-state.ts';
import { parseCommands } from '../../harness/runner-commands.ts';
import { captureRunner } from '../captured-runner.ts';
import { createGitHubContext, createInputs, createWorld } from '../fixtures.ts';

const captured = captureRunner();

function start(prompt = 'Write it') {
  const request = { kind: 'create', prompt } as const;
  const tracker = new RunTracker(createWorld().clock);
  const runner = createRunner(String);
  const reporter = new Reporter(runner, tracker, { github: createGitHubContext(), redact: String });
  tracker.update({ request });
  reporter.begin(createInputs({ request }));
  return { tracker, reporter };
}

// e2e/ shows the outputs, the annotation, and the exit code of each end.
it('warns about an expression in the prompt, but not in what others wrote', () => {
  const expression = '$'.concat('{{ github.ref_name }}');
  const prompt = `Describe ${expression}`;
  start(prompt);
  const { tracker, reporter } = start();
  tracker.update({ request: { kind: 'create', prompt } });
  reporter.onEvent({ kind: 'request' });
  const warnings = parseCommands(captured.stdout).commands.filter(({ name }) => name === 'warning');
  expect(warnings.map(({ data }) => data)).toEqual([
    expect.stringContaining(`\`${expression}\`, which is sent unchanged`),
  ]);
});
