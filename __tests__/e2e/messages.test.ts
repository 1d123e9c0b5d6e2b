import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActionOptions, ActionResult } from '../../harness/action.ts';
import { parseOutputFile } from '../../harness/output-file.ts';
import { parseCommands } from '../../harness/runner-commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { setUp } from '../helpers/github.ts';
import { faults, jobRecord, type Script, scriptedService } from '../helpers/servers.ts';
import { active, begin, key, opened } from './scenario.ts';

/**
 * Returns the log with its annotations, and the summary. Times, ports, ids, and the number of polls vary, so names replace
 * them.
 */
function show({ stdout, summary = '', exitCode, outputs }: ActionResult): string {
  const { outcome, 'error-code': code } = outputs;
  const text = [
    `exit code ${exitCode}, outcome ${outcome ?? '(none)'}, error-code ${code || '(none)'}`,
    ...['', '=== log', stdout.trimEnd()],
    ...['', '=== summary', summary.trimEnd(), ''],
  ].join('\n');
  return text
    .replaceAll('%0A', '%0A\n    ')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'ID')
    .replace(/(?<=127\.0\.0\.1:)\d+/g, 'PORT')
    .replace(/(?<=Polls: )\d+/g, 'NUMBER')
    .replace(/(?<=fingerprint )[0-9a-f]{32}/g, 'FINGERPRINT')
    .replace(/\b(?:\d+ (?:h|min|s)(?: |\b))+(?<! )/g, 'TIME')
    .replace(/^ +TIME {2}/gm, 'TIME  ');
}

interface Situation {
  readonly script?: Script;
  readonly inputs?: Record<string, string>;
  readonly options?: ActionOptions;
}

// unit/report/messages.test.ts holds the wording of every other ending.
const situations: Record<string, Situation> = {
  'opens a pull request': { script: { get: [active, opened] } },
  fails: { script: { get: [{ body: jobRecord({ status: 'failed' }) }] } },
  'times out': {
    inputs: { 'poll-interval-seconds': '300', 'timeout-minutes': '0.05' },
    // The last poll has less than two seconds, which may be short on a busy machine.
    options: { timeScale: 0.5 },
  },
  'does not know whether a job started': { script: { create: [{ fault: faults.close }] } },
  'starts nothing with wrong inputs': {
    inputs: { prompt: '', 'api-key': 'short', 'timeout-minutes': 'soon', wait: 'maybe' },
  },
};

describe.concurrent('the log and the summary have the approved wording for a run', () => {
  it.for(Object.entries(situations))('that %s', async ([, situation], { expect }) => {
    const { script, inputs = {}, options = {} } = situation;
    const service = await scriptedService(script);
    const result = await begin(service.url, { timeScale: 3, ...options, inputs }).action.ended;
    expect(result.stderr).toBe('');
    expect(show(result)).toMatchSnapshot();
  });

  it('that waits for the job of an earlier attempt', async ({ expect }) => {
    const { finish } = await setUp();
    await finish();
    const result = await finish({}, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(show(result).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE')).toMatchSnapshot();
  });
});

describe('the step that emulates the service', () => {
  /** Returns functions that run a phase of the step, and read its outputs and its state. */
  function setUpStep() {
    const folder = mkdtempSync(join(tmpdir(), 'emulator-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const output = join(folder, 'output');
    const env = {
      ...process.env,
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: output,
      GITHUB_STATE: output,
      SECRET: key,
    };
    const run = (state: Record<string, string> = {}): string =>
      execFileSync(process.execPath, ['dist/emulator/index.js'], {
        env: { ...env, ...state },
        encoding: 'utf8',
      });
    return { folder, run, readOutput: () => parseOutputFile(readFileSync(output, 'utf8')) };
  }

  const isRunning = async (url = ''): Promise<boolean> =>
    await fetch(url).then(
      () => true,
      () => false,
    );

  it('warns that later steps start no real job, and ends in its post phase', async () => {
    const { run, readOutput } = setUpStep();
    const [warning] = parseCommands(run()).commands;
    const { 'base-url': url, folder: state = '' } = readOutput();
    expect(warning?.name).toBe('warning');
    expect(warning?.data).toContain(`${url}) start no real job, cost no credits`);
    expect(await isRunning(url)).toBe(true);
    run({ STATE_folder: state });
    expect(existsSync(state)).toBe(false);
    await eventually(async () => expect(await isRunning(url)).toBe(false));
  });

  it.runIf(process.platform === 'linux')(
    'keeps nothing of its environment, and ends when its folder is deleted',
    async () => {
      const { folder, run, readOutput } = setUpStep();
      run();
      const { 'base-url': url, record = '' } = readOutput();
      const id = readdirSync('/proc').find((name) =>
        readIfPossible(`/proc/${name}/cmdline`).includes(record),
      );
      expect(readIfPossible(`/proc/${id}/environ`)).toMatch(/^(?:NODE_CHANNEL_\w+=\w+\0)*$/);
      rmSync(folder, { recursive: true });
      await eventually(async () => expect(await isRunning(url)).toBe(false));
    },
  );
});

function readIfPossible(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
