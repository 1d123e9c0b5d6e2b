import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRunner } from '../../../src/runner/commands.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { parseOutputFile } from '../../harness/output-file.ts';
import { parseCommands } from '../../harness/runner-commands.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { KEY } from '../fixtures.ts';

const HOSTILE = `x\n::set-output name=a::b\r##[add-mask]c\u202e ${KEY} end`;
const SHOWN = 'x\\n: :set-output name=a: :b\\r# #[add-mask]c<U+202E> *** end';
const runner = createRunner(createRedactor(KEY));
const folder = temporaryFolder('runner');
const pathOf = (variable: string): string => join(folder, variable);
let stdout = '';

beforeEach(() => {
  stdout = '';
  for (const variable of ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY']) {
    writeFileSync(pathOf(variable), '');
    vi.stubEnv(variable, pathOf(variable));
  }
  vi.stubEnv('RUNNER_DEBUG', '');
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    stdout += chunk;
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('the log shows untrusted text on one line of at most 1,000 characters, without secrets', () => {
  runner.line(HOSTILE);
  runner.line('x'.repeat(1_001));
  expect(stdout).toBe(`${SHOWN}\n${'x'.repeat(999)}…\n`);
});

it('the log shows debug lines only if debugging is on', () => {
  runner.debug('hidden');
  expect(stdout).toBe('');
  vi.stubEnv('RUNNER_DEBUG', '1');
  runner.debug(HOSTILE);
  expect(parseCommands(stdout).commands).toMatchObject([{ name: 'debug', data: SHOWN }]);
});

it('the log shows the lines of a longer text in a group', () => {
  runner.group(`Prompt ${KEY}`, `a\n::error::${KEY}\nc`, 1_000, 2);
  const { commands, plainLines } = parseCommands(stdout);
  expect(commands).toMatchObject([{ name: 'group', data: 'Prompt ***' }, { name: 'endgroup' }]);
  const rest = expect.stringMatching(/^… \(\d+ characters in total\)$/);
  expect(plainLines).toEqual(['a', ': :error: :***', rest]);
});

it.each(['notice', 'warning', 'error'] as const)(
  'the log writes a %s annotation with several lines',
  (level) => {
    runner.annotate(level, HOSTILE, ['first', HOSTILE]);
    expect(parseCommands(stdout).commands).toMatchObject([
      { name: level, properties: { title: SHOWN }, data: `first\n${SHOWN}` },
    ]);
    expect(parseCommands(stdout).plainLines).toEqual([]);
  },
);

it('setOutputs adds unchanged outputs to earlier ones', () => {
  const b = HOSTILE.replace('\r', '');
  expect(runner.setOutputs({ a: '1', b })).toBeUndefined();
  expect(runner.setOutputs({ a: '2' })).toBeUndefined();
  expect(parseOutputFile(readFileSync(pathOf('GITHUB_OUTPUT'), 'utf8'))).toEqual({ a: '2', b });
});

it('replaceSummary replaces the earlier summary, without secrets', () => {
  writeFileSync(pathOf('GITHUB_STEP_SUMMARY'), 'from an earlier write');
  expect(runner.replaceSummary('## First')).toBeUndefined();
  expect(runner.replaceSummary(`## Second ${KEY}`)).toBeUndefined();
  expect(readFileSync(pathOf('GITHUB_STEP_SUMMARY'), 'utf8').trimEnd()).toBe('## Second ***');
});

describe.each([
  ['outputs', 'GITHUB_OUTPUT', () => runner.setOutputs({ a: '1' })],
  ['the summary', 'GITHUB_STEP_SUMMARY', () => runner.replaceSummary('x')],
] as const)('a file for %s', (_, variable, write) => {
  it.each([
    ['is not set', () => '', `${variable} is not set`],
    ['is a directory', () => folder, /is not a file|EISDIR|EPERM/],
  ])('that %s causes an error with the reason', (_, getPath, problem) => {
    vi.stubEnv(variable, getPath());
    expect(write()).toMatch(problem);
  });
});
