import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileState } from '../harness/action-environment.ts';
import { parseOutputFile } from '../harness/output-file.ts';
import { eventually } from '../helpers/eventually.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { createGate, jobRecord, scriptedService } from '../helpers/servers.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { begin, failInside, jobId, key, link, none, opened, play, success } from './scenario.ts';

const folder = temporaryFolder('disk');
const isPosix = process.platform !== 'win32';
/** Room for the outputs and the summary of a small job. */
const KILOBYTES = 4;

/** A record that is larger than the limit. */
const large = jobRecord({ status: 'completed', prLink: link, padding: 'x'.repeat(20_000) });

/** Returns a script to run in place of node, which limits the size of every file that it writes. */
function writeLimitedNode(): string {
  const path = join(folder, 'limited-node');
  const node = process.env['ACTION_NODE'] ?? process.execPath;
  // Other shells drop variables such as `INPUT_API-KEY`.
  const lines = ['#!/bin/bash', `ulimit -f ${KILOBYTES}`, `exec '${node}' "$@"`, ''];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
  return path;
}

it.skipIf(!isPosix)(
  'a full disk fails the step, which still follows its job and shows its link',
  async () => {
    const service = await scriptedService({ get: [{ body: large }] });
    // Without the helpers of the tests in the process, which write files, too.
    const options = { node: writeLimitedNode(), isBare: true, timeScale: 1 };
    const result = await begin(service.url, options).action.ended;
    expect(service).toMatchObject({ creates: 1, jobs: 1 });
    expectInvariants(result, { key, creates: 1, jobs: 1, areOutputsWritten: false });
    const { exitCode, annotations, summary, outputText = '' } = result;
    expect(exitCode).toBe(1);
    const [error = ''] = annotations.errors;
    const texts = [link, jobId, 'EFBIG', "can't be written"];
    expect(texts.filter((text) => !error.includes(text))).toEqual([]);
    const shown = [link, jobId, ', outputs not written\n'];
    expect(shown.filter((text) => !summary?.includes(text))).toEqual([]);
    // The outputs written earlier are intact.
    expect(parseOutputFile(outputText)).toMatchObject({ 'job-id': jobId, status: 'active' });
  },
);

it.skipIf(!isPosix)('a pipe in place of the summary does not block the run', async () => {
  const { result } = await play({ get: [opened] }, success, { summaryFile: 'pipe' });
  expect(result.stdout).toContain("couldn't write the job summary (GITHUB_STEP_SUMMARY is not a");
});

// unit/runner/commands.test.ts shows no file, a missing file, and a directory. Only Linux has a
// device that is always full.
const states: FileState[] = process.platform === 'linux' ? ['read-only', 'full'] : ['read-only'];

it.each(states)('an output file that is %s prevents any request', async (outputFile) => {
  const service = await scriptedService();
  const result = await begin(service.url, { outputFile }).action.ended;
  expectInvariants(result, { key, ...none, areOutputsWritten: false });
  expect(result.exitCode).toBe(1);
  expect(result.annotations.errors[0]).toContain('Check disk space');
  expect(result.summary).toMatch(/^## ❌ /);
  expect(service.connections).toBe(0);
});

describe.concurrent('a log that nobody reads', () => {
  // Not known for the pipes of Windows.
  it.skipIf(!isPosix)('does not end the wait for the job', async () => {
    const gate = createGate();
    const service = await scriptedService({ get: [{ until: gate.opened, status: 500 }, opened] });
    const { action, end } = begin(service.url);
    await eventually(() => expect(service.seen('get')).toHaveLength(1));
    action.child.stdout?.destroy();
    gate.open();
    const { summary } = await end(service, success);
    expect(summary).toContain(link);
  });

  it('does not delay the end of the process', async () => {
    const { action } = begin('http://127.0.0.1:9', {
      ...failInside('full-log'),
      inputs: { 'timeout-minutes': '0.05' },
    });
    const { killedLate, exitCode, outputs } = await action.ended;
    const ending = { killedLate, exitCode, code: outputs['error-code'] };
    expect(ending).toEqual({ killedLate: false, exitCode: 1, code: 'connect-failed' });
  });
});
