import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
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
import { begin, jobId, key, link, opened } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'disk-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** A record that is larger than what the disks of these tests hold. */
const large = { padding: 'x'.repeat(20_000) };
const openedLarge: Step = { body: jobRecord({ status: 'completed', prLink: link, ...large }) };

/** A script that starts node in other conditions, to be run instead of it. Other shells drop variables such as `INPUT_API-KEY`. */
function createWrapper(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, ['#!/bin/bash', ...lines, ''].join('\n'), { mode: 0o755 });
  return path;
}

const node = process.env['ACTION_NODE'] ?? process.execPath;

/** No file may be larger. */
function limitFileSize(kilobytes: number): string {
  return createWrapper(`limit-${kilobytes}`, `ulimit -f ${kilobytes}`, `exec '${node}' "$@"`);
}

/** Output and summary are on a disk of this size; what is on it is copied to where the test reads it. */
function mountDisk(bytes: number, fillerBytes: number): string {
  const inside = createWrapper(
    `disk-inside-${bytes}-${fillerBytes}`,
    'disk="$RUNNER_TEMP/disk" output="$GITHUB_OUTPUT" summary="$GITHUB_STEP_SUMMARY"',
    `mkdir "$disk" && mount -t tmpfs -o size=${bytes} none "$disk" || exit 99`,
    'export GITHUB_OUTPUT="$disk/output" GITHUB_STEP_SUMMARY="$disk/summary"',
    `touch "$GITHUB_OUTPUT" "$GITHUB_STEP_SUMMARY"`,
    `head -c ${fillerBytes} /dev/zero >"$disk/filler"`,
    `'${node}' "$@"`,
    'code=$?',
    'cat "$GITHUB_OUTPUT" >"$output"',
    'cat "$GITHUB_STEP_SUMMARY" >"$summary"',
    'exit $code',
  );
  return createWrapper(
    `disk-${bytes}-${fillerBytes}`,
    `exec unshare --user --map-root-user --mount --pid --fork --kill-child '${inside}' "$@"`,
  );
}

const isPosix = actionPlatform !== 'win32';
const canMount =
  isPosix &&
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', folder])
    .status === 0;

/** A title, whether this system has such a disk, and what is run there instead of node. */
type Disk = readonly [title: string, isPossible: boolean, node: string];

const fullDisks: Disk[] = [
  ['no file may have a byte', isPosix, limitFileSize(0)],
  ['the disk is full', canMount, mountDisk(4_096, 4_096)],
];
/** Two pages: one each for the outputs and the summary of a small job. */
const smallDisks: Disk[] = [
  ['files may have 4 KiB', isPosix, limitFileSize(4)],
  ['the disk has 8 KiB', canMount, mountDisk(8_192, 0)],
];

/** Without the helpers of the tests in the process, which write files, too. */
async function runOn(node: string, script: Script, inputs: Record<string, string> = {}) {
  const service = await scriptedService(script);
  const result = await begin(service.url, { inputs, node, isBare: true, timeScale: 1 }).action.ended;
  return { service, result };
}

/** Checks that the job was followed to its end, and that this is said although the outputs are lost. */
function expectFollowed(result: ActionResult, service: ScriptedService): void {
  expectInvariants(result, { key, creates: service.creates, jobs: service.jobs, areOutputsWritten: false });
  expect(result.exitCode).toBe(1);
  expect(service).toMatchObject({ creates: 1, jobs: 1 });
  expect(result.annotations.notices).toEqual([expect.stringContaining(`[docs-agent-job v1 id ${jobId} `)]);
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

describe.concurrent.each(fullDisks)('a disk without room: %s', (_title, isPossible, node) => {
  it.skipIf(!isPossible)('before the create: nothing is sent', async () => {
    const { service, result } = await runOn(node, {});
    expectInvariants(result, { key, creates: 0, jobs: 0, areOutputsWritten: false });
    expect(result.exitCode).toBe(1);
    const unwritable =
      /outputs can't be written \((?:EFBIG|ENOSPC).*No job was started, so nothing was spent/;
    expect(result.annotations.errors[0]).toMatch(unwritable);
    expect(service.connections).toBe(0);
  });
});

describe.concurrent.each(smallDisks)('a disk with little room: %s', (_title, isPossible, node) => {
  const createLarge = [{ body: jobRecord(large) }];

  it.skipIf(!isPossible)('too little for the record of the job: it is followed to its end', async () => {
    const { service, result } = await runOn(node, { create: createLarge, get: [{}, openedLarge] });
    expectFollowed(result, service);
    expect(result.annotations.errors[0]).toMatch(/EFBIG|ENOSPC/);
    expect(parseOutputFile(result.outputText ?? '')).toEqual({ 'job-id': '' });
  });

  it.skipIf(!isPossible)('too little for the outcome: what is known before stays whole', async () => {
    const { service, result } = await runOn(node, { get: [openedLarge] });
    expectFollowed(result, service);
    expect(parseOutputFile(result.outputText ?? '')).toMatchObject({ 'job-id': jobId, status: 'active' });
  });

  it.skipIf(!isPossible)(
    'too little for the first outputs and for the summary: the outcome stands',
    async () => {
      const script = { create: createLarge, get: [opened] };
      const { service, result } = await runOn(node, script, { prompt: 'Write about it. '.repeat(1_000) });
      expectInvariants(result, { key, creates: 1, jobs: service.jobs });
      expect(result.exitCode).toBe(0);
      expect(result.outputs).toMatchObject({ 'job-id': jobId, outcome: 'pull-request-opened' });
      expect(result.annotations.warnings).toEqual([
        expect.stringContaining("Couldn't write the job summary"),
      ]);
    },
  );
});
