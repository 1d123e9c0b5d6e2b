import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseOutputFile } from '../harness/output-file.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { jobRecord, type Step, scriptedService } from '../helpers/servers.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { begin, jobId, key, link, opened, play, success } from './scenario.ts';

const folder = temporaryFolder('disk');

const isPosix = process.platform !== 'win32';
/** Room for the outputs and the summary of a small job. */
const KILOBYTES = 4;

/** Makes a record larger than the limit. */
const large = { padding: 'x'.repeat(20_000) };
const openedLarge: Step = { body: jobRecord({ status: 'completed', prLink: link, ...large }) };

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
    const service = await scriptedService({ get: [openedLarge] });
    // Without the helpers of the tests in the process, which write files, too.
    const options = { node: writeLimitedNode(), isBare: true, timeScale: 1 };
    const result = await begin(service.url, options).action.ended;
    expect(service).toMatchObject({ creates: 1, jobs: 1 });
    expectInvariants(result, { key, creates: 1, jobs: 1, areOutputsWritten: false });
    const { exitCode, annotations, summary, outputText = '' } = result;
    expect(exitCode).toBe(1);
    for (const text of [link, jobId, 'EFBIG', "can't be written"]) {
      expect(annotations.errors[0]).toContain(text);
    }
    for (const text of [link, jobId, ', outputs not written\n']) {
      expect(summary).toContain(text);
    }
    // The outputs written earlier are intact.
    expect(parseOutputFile(outputText)).toMatchObject({ 'job-id': jobId, status: 'active' });
  },
);

it.skipIf(!isPosix)('a pipe in place of the summary does not block the run', async () => {
  const { result } = await play({ get: [opened] }, success, { summaryFile: 'pipe' });
  expect(result.stdout).toContain("couldn't write the job summary (GITHUB_STEP_SUMMARY is not a");
});
