import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ActionResult } from '../../harness/action.ts';
import { actionPlatform } from '../../harness/action-environment.ts';
import { parseOutputFile } from '../../harness/output-file.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import {
  jobRecord,
  type Script,
  type ScriptedService,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { begin, jobId, key, link, opened, play, success } from './scenario.ts';

const folder = temporaryFolder('disk');

/** Makes a record larger than the limit. */
const large = { padding: 'x'.repeat(20_000) };
const openedLarge: Step = { body: jobRecord({ status: 'completed', prLink: link, ...large }) };

const isPosix = actionPlatform !== 'win32';

/**
 * Returns a script to run in place of node, which limits the size of every file that node writes.
 */
function limitFileSize(kilobytes: number): string {
  const path = join(folder, `limit-${kilobytes}`);
  const node = process.env['ACTION_NODE'] ?? process.execPath;
  // Other shells drop variables such as `INPUT_API-KEY`.
  const lines = ['#!/bin/bash', `ulimit -f ${kilobytes}`, `exec '${node}' "$@"`, ''];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
  return path;
}

/** Room for the outputs and the summary of a small job. */
const SMALL_KILOBYTES = 4;

/**
 * Runs the action with this limit, without the helpers of the tests in its process, which write
 * files, too.
 */
async function runWith(kilobytes: number, script: Script, inputs: Record<string, string> = {}) {
  const node = limitFileSize(kilobytes);
  const service = await scriptedService(script);
  const result = await begin(service.url, { inputs, node, isBare: true, timeScale: 1 }).action
    .ended;
  return { service, result };
}

/**
 * Checks that the run followed the job to its end, and reports it in spite of the missing outputs.
 */
function expectFollowed(result: ActionResult, service: ScriptedService): void {
  expectInvariants(result, {
    key,
    creates: service.creates,
    jobs: service.jobs,
    areOutputsWritten: false,
  });
  expect(result.exitCode).toBe(1);
  expect(service).toMatchObject({ creates: 1, jobs: 1 });
  expect(result.annotations.notices).toEqual([expect.stringContaining(jobId)]);
  const [error] = result.annotations.errors;
  for (const text of [link, jobId, "couldn't be written", '`unwritable-output`']) {
    expect(error).toContain(text);
  }
  expect(result.summary).toContain(
    '## ❌ Rehearsal: Documentation pull request opened, but the outputs were not written\n',
  );
  expect(result.summary).toContain(link);
  expect(result.summary).toContain(jobId);
}

describe.skipIf(!isPosix)('a full disk', { concurrent: true }, () => {
  const createLarge = [{ body: jobRecord(large) }];

  it('during the wait fails the step once the job has ended', async () => {
    const { service, result } = await runWith(SMALL_KILOBYTES, {
      create: createLarge,
      get: [{}, openedLarge],
    });
    expectFollowed(result, service);
    expect(result.annotations.errors[0]).toContain('EFBIG');
    expect(parseOutputFile(result.outputText ?? '')).toEqual({ 'job-id': '' });
  });

  it('at the end leaves the earlier outputs intact', async () => {
    const { service, result } = await runWith(SMALL_KILOBYTES, { get: [openedLarge] });
    expectFollowed(result, service);
    expect(parseOutputFile(result.outputText ?? '')).toMatchObject({
      'job-id': jobId,
      status: 'active',
    });
  });

  it('at the start does not fail the step if there is room at the end', async () => {
    const script = { create: createLarge, get: [opened] };
    const { service, result } = await runWith(SMALL_KILOBYTES, script, {
      prompt: 'Write about it. '.repeat(1_000),
    });
    expectInvariants(result, { key, creates: 1, jobs: service.jobs });
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, outcome: 'pull-request-opened' });
    expect(result.annotations.warnings).toEqual([
      expect.stringContaining("Couldn't write the job summary"),
    ]);
  });
});

it.skipIf(!isPosix)('a pipe in place of the summary does not block the run', async () => {
  const { result } = await play({ get: [opened] }, success, { summaryFile: 'pipe' });
  expect(result.annotations.warnings).toEqual([
    expect.stringContaining('GITHUB_STEP_SUMMARY is not a file'),
  ]);
});
