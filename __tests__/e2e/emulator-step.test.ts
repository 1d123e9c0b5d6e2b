import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseOutputFile } from '../harness/output-file.ts';
import { parseCommands } from '../harness/runner-commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { listProcesses, readIfPossible } from '../helpers/leave-nothing.ts';
import { key } from './scenario.ts';

describe('the step that emulates the service', () => {
  /** Returns functions that run a phase of the step, and read its outputs and its state. */
  function setUpStep() {
    const folder = mkdtempSync(join(tmpdir(), 'emulator-'));
    onTestFinished(async () => {
      rmSync(folder, { recursive: true, force: true });
      // It looks twice a second whether its folder is gone.
      await eventually(() => expect(listProcesses(folder)).toEqual([]));
    });
    const output = join(folder, 'output');
    const files = { RUNNER_TEMP: folder, GITHUB_OUTPUT: output, GITHUB_STATE: output };
    const run = (state: Record<string, string> = {}): void => {
      const env = { ...process.env, ...files, SECRET: key, ...state };
      execFileSync(process.execPath, ['dist/emulator/index.js'], { env });
    };
    return { folder, run, readOutput: () => parseOutputFile(readFileSync(output, 'utf8')) };
  }

  it('writes a record of requests that a later step may print', async () => {
    const { run, readOutput } = setUpStep();
    run();
    const { 'base-url': url, 'api-key': secret, folder: state = '', record = '' } = readOutput();
    const prompt = '##[add-mask]x\n::error::x\n#\u200b#[error]x';
    const response = await fetch(`${url}/v2/agent/quick/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt }),
    });
    const text = readFileSync(record, 'utf8');
    run({ STATE_folder: state });
    expect(response.status).toBe(201);
    expect(JSON.parse(JSON.parse(text).body)).toEqual({ prompt });
    expect(parseCommands(text).commands).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'keeps nothing of its environment, and ends when its folder is deleted',
    async () => {
      const { folder, run, readOutput } = setUpStep();
      run();
      const { record = 'none' } = readOutput();
      const id = readdirSync('/proc').find((name) =>
        readIfPossible(`/proc/${name}/cmdline`).includes(record),
      );
      expect(readIfPossible(`/proc/${id}/environ`)).toMatch(/^(?:NODE_CHANNEL_\w+=\w+\0)+$/);
      expect(listProcesses(folder)).toHaveLength(1);
      rmSync(folder, { recursive: true });
      await eventually(() => expect(listProcesses(folder)).toEqual([]));
    },
  );
});
