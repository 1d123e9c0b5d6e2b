import { expect, it } from 'vitest';
import { renderRows } from '../../../bench/lib/measure.ts';
import { runHere } from '../../helpers/run-here.ts';

const commands = [
  'bench/run.ts',
  ...['generate', 'install-tools', 'pictures', 'test-windows', 'test-workflows'].map(
    (name) => `scripts/${name}.ts`,
  ),
];

it.each(commands)(
  '%s rejects an unknown option, lists its options, and does nothing',
  async (command) => {
    const { exitCode, stdout, stderr } = await runHere(command, '--no-such-option');
    expect(stderr).toMatch(/^error: Unknown option '--no-such-option'\. Options: .*--help\.$/);
    expect(stdout).toBe('');
    expect(exitCode).toBeGreaterThan(0);
  },
);

it.each(commands)('%s explains itself with --help, and does nothing else', async (command) => {
  const { exitCode, stdout, stderr } = await runHere(command, '--help');
  expect(stdout).toMatch(/^[A-Z].*\n\nUsage: npm run [a-z:]+/);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
});

it.each([
  ['emulator/cli.ts', ['--nope'], "Unknown option '--nope'"],
  ['emulator/cli.ts', ['--port', '70000'], '--port must be'],
  ['emulator/cli.ts', ['--speed=-1'], '--speed must be'],
  [
    'scripts/demo/demo.ts',
    ['--project', 'nope'],
    'there is no project "nope". Projects: quick, slow',
  ],
  ['bench/run.ts', ['stat'], 'there is no measure "stat". Measures: start,'],
])('%s %j is rejected', async (command, args, reason) => {
  const { exitCode, stdout, stderr } = await runHere(command, ...args);
  expect(stdout).toBe('');
  expect(stderr).toContain(`error: ${reason}`);
  expect(exitCode).toBeGreaterThan(0);
});

it('bench does not judge targets with --quick', () => {
  const row = { measure: 'start', reference: '–', value: 2, unit: 'ratio', limit: 1 } as const;
  expect(renderRows([row], false)).toContain('| **no** |');
  expect(renderRows([row], true)).toMatch(/≤ 1\.00 × \| –\s+\|$/);
});
