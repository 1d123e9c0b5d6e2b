import { expect, it } from 'vitest';
import { runHere } from '../../helpers/run-here.ts';

it.each(['scripts/bench.ts', 'scripts/generate.ts'])(
  '%s rejects an unknown option, lists its options, and does nothing',
  async (command) => {
    const { exitCode, stdout, stderr } = await runHere(command, '--no-such-option');
    expect(stderr).toMatch(/^error: Unknown option '--no-such-option'\. Options: .*--help\.$/);
    expect(stdout).toBe('');
    expect(exitCode).toBeGreaterThan(0);
  },
);

it.each([
  ['emulator/cli.ts', ['--port', '70000'], 'options.port should be'],
  ['emulator/cli.ts', ['--speed=-1'], '--speed must be'],
  ['scripts/demo.ts', ['--project', 'nope'], 'there is no project "nope". Projects: quick, slow'],
])('%s %j is rejected', async (command, args, reason) => {
  const { exitCode, stdout, stderr } = await runHere(command, ...args);
  expect(stdout).toBe('');
  expect(stderr).toContain(`error: ${reason}`);
  expect(exitCode).toBeGreaterThan(0);
});
