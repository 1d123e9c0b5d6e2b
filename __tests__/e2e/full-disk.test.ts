import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { actionPlatform } from '../../harness/action-environment.ts';
import { parseOutputFile } from '../../harness/output-file.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { jobRecord, type Script, type Step, scriptedService } from '../helpers/servers.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { begin, jobId, key, link, opened, play, success } from './scenario.ts';

const folder = temporaryFolder('disk');

const isPosix = actionPlatform !== 'win32';
/** Room for the outputs and the summary of a small job. */
const KILOBYTES = 4;

/** Makes a record larger than the limit. */
const large = { padding: 'x'.repeat(20_000) };
const createLarge: Step[] = [{ body: jobRecord(large) }];
const openedLarge: Step = { body: jobRecord({ status: 'completed', prLink: link, ...large }) };

/** The script of `limitFileSize`. A system can't run a script that is being written again. */
let limitedNode: string | undefined;

/**
 * Returns a script to run in place of node, which limits the size of every file that node writes.
 */
function limitFileSize(): string {
  limitedNode ??= writeLimitedNode();
  return limitedNode;
}

function writeLimitedNode(): string {
  const path = join(folder, 'limited-node');
  const node = process.env['ACTION_NODE'] ?? process.execPath;
  // Other shells drop variables such as `INPUT_API-KEY`.
  const lines = ['#!/bin/bash', `ulimit -f ${KILOBYTES}`, `exec '${node}' "$@"`, ''];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
  return path;
}

/**
 * Runs the action with the limit, without the helpers of the tests in its process, which write
 * files, too. Checks that it follows its job to the end.
 */
async function runLimited(script: Script, areOutputsWritten: boolean, prompt = 'Write it.') {
  const service = await scriptedService(script);
  const inputs = { prompt };
  const options = { inputs, node: limitFileSize(), isBare: true, timeScale: 1 };
  const result = await begin(service.url, options).action.ended;
  expectInvariants(result, {
    key,
    creates: service.creates,
    jobs: service.jobs,
    areOutputsWritten,
  });
  expect(service).toMatchObject({ creates: 1, jobs: 1 });
  return result;
}

describe.skipIf(!isPosix)('a full disk', { concurrent: true }, () => {
  it.each<[string, Script, Record<string, string>]>([
    ['during the wait', { create: createLarge, get: [{}, openedLarge] }, { 'job-id': '' }],
    ['at the end', { get: [openedLarge] }, { 'job-id': jobId, status: 'active' }],
  ])('%s fails the step, which still shows the job and its link', async (_, script, written) => {
    const { exitCode, annotations, summary, outputText } = await runLimited(script, false);
    expect(exitCode).toBe(1);
    for (const text of [link, jobId, 'EFBIG', "couldn't be written", '`unwritable-output`']) {
      expect(annotations.errors[0]).toContain(text);
    }
    expect(summary).toContain(
      '## ❌ Rehearsal: Documentation pull request opened, but the outputs were not written\n',
    );
    expect(summary).toContain(link);
    expect(summary).toContain(jobId);
    // The outputs written earlier are intact.
    expect(parseOutputFile(outputText ?? '')).toMatchObject(written);
  });
});

it.skipIf(!isPosix)('a pipe in place of the summary does not block the run', async () => {
  const { result } = await play({ get: [opened] }, success, { summaryFile: 'pipe' });
  expect(result.annotations.warnings).toEqual([
    expect.stringContaining('GITHUB_STEP_SUMMARY is not a file'),
  ]);
});
