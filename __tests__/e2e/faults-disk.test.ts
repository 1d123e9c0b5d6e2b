import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ActionOptions, ActionResult } from '../helpers/action.ts';
import { actionPlatform } from '../helpers/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { parseOutputFile } from '../helpers/output-file.ts';
import {
  createGate,
  jobRecord,
  type ScriptedService,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import { begin, jobId, key, link, opened } from './faults-scenario.ts';

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

interface Disk {
  readonly title: string;
  readonly isPossible: boolean;
  /** What is run instead of node. */
  readonly node: string;
}

const fullDisks: Disk[] = [
  { title: 'no file may have a byte', isPossible: isPosix, node: limitFileSize(0) },
  { title: 'the disk is full', isPossible: canMount, node: mountDisk(4_096, 4_096) },
];
/** Two pages: one each for the outputs and the summary of a small job. */
const smallDisks: Disk[] = [
  { title: 'files may have 4 KiB', isPossible: isPosix, node: limitFileSize(4) },
  { title: 'the disk has 8 KiB', isPossible: canMount, node: mountDisk(8_192, 0) },
];

/** Without the helpers of the tests in the process, which write files, too. */
function runOn(disk: Disk, service: ScriptedService, options: ActionOptions = {}): Promise<ActionResult> {
  return begin(service.url, { ...options, node: disk.node, isBare: true, timeScale: 1 }).action.ended;
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
    '## ❌ Documentation pull request opened, but the outputs were not written\n',
  );
  expect(result.summary).toContain(link);
  expect(result.summary).toContain(jobId);
}

describe.concurrent('a disk without room', () => {
  it.for(fullDisks)('before the create: nothing is sent ($title)', async (disk, { skip }) => {
    skip(!disk.isPossible, 'this system has no such disk');
    const service = await scriptedService();
    const result = await runOn(disk, service);
    expectInvariants(result, { key, creates: 0, jobs: 0, areOutputsWritten: false });
    expect(result.exitCode).toBe(1);
    expect(result.annotations.errors[0]).toMatch(
      /outputs can't be written, so nothing was sent \((EFBIG|ENOSPC)/,
    );
    expect(service.connections).toBe(0);
  });

  it.for(smallDisks)(
    'for the record of the job: it is followed to its end ($title)',
    async (disk, { skip }) => {
      skip(!disk.isPossible, 'this system has no such disk');
      const service = await scriptedService({ create: [{ body: jobRecord(large) }], get: [{}, openedLarge] });
      const result = await runOn(disk, service);
      expectFollowed(result, service);
      expect(result.annotations.errors[0]).toMatch(/EFBIG|ENOSPC/);
      expect(parseOutputFile(result.outputText ?? '')).toEqual({ 'job-id': '' });
    },
  );

  it.for(smallDisks)('for the outcome: what is known before stays whole ($title)', async (disk, { skip }) => {
    skip(!disk.isPossible, 'this system has no such disk');
    const service = await scriptedService({ get: [openedLarge] });
    const result = await runOn(disk, service);
    expectFollowed(result, service);
    expect(parseOutputFile(result.outputText ?? '')).toMatchObject({ 'job-id': jobId, status: 'active' });
  });

  it.for(smallDisks)('for the first outputs, and then with room again ($title)', async (disk, { skip }) => {
    skip(!disk.isPossible, 'this system has no such disk');
    const service = await scriptedService({ create: [{ body: jobRecord(large) }], get: [opened] });
    const result = await runOn(disk, service);
    expectInvariants(result, { key, creates: 1, jobs: service.jobs });
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, outcome: 'pull-request-opened' });
    expect(result.stdout).toContain("couldn't write the outputs");
  });

  it.for(smallDisks)(
    'for the summary: a warning, and the outcome stands ($title)',
    async (disk, { skip }) => {
      skip(!disk.isPossible, 'this system has no such disk');
      const service = await scriptedService({ get: [opened] });
      const prompt = 'Write about it. '.repeat(1_000);
      const result = await runOn(disk, service, { inputs: { prompt } });
      expectInvariants(result, { key, creates: 1, jobs: service.jobs });
      expect(result.exitCode).toBe(0);
      expect(result.outputs).toMatchObject({ 'job-id': jobId, outcome: 'pull-request-opened' });
      expect(result.annotations.warnings).toEqual([
        expect.stringContaining("Couldn't write the job summary"),
      ]);
    },
  );
});

describe.concurrent('an output file that changes', () => {
  const isSuperuser = process.getuid?.() === 0;
  const changes: [string, boolean, (path: string) => void][] = [
    ['is removed', true, (path) => rmSync(path)],
    [
      'becomes a directory',
      true,
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    // The superuser may write everywhere.
    ['becomes read-only', !isSuperuser, (path) => chmodSync(path, 0o444)],
  ];
  const moments = ['create', 'get'] as const;
  const cases = changes.flatMap(([title, isPossible, change]) =>
    moments.map((moment) => ({ title, isPossible, change, moment })),
  );

  it.for(cases)(
    '$title during the $moment: the job is followed to its end',
    async ({ isPossible, change, moment }, { skip }) => {
      skip(!isPossible, 'the superuser may write everywhere');
      const gate = createGate();
      const service = await scriptedService({
        create: [moment === 'create' ? { until: gate.opened } : {}],
        get: [moment === 'get' ? { ...opened, until: gate.opened } : opened],
      });
      const { action } = begin(service.url);
      await eventually(() => expect(service.seen(moment).length).toBe(1));
      change(action.files['GITHUB_OUTPUT'] ?? '');
      gate.open();
      expectFollowed(await action.ended, service);
    },
  );

  it('does not hide that the job failed', async () => {
    const gate = createGate();
    const failed: Step = { body: jobRecord({ status: 'failed' }), until: gate.opened };
    const service = await scriptedService({ get: [failed] });
    const { action } = begin(service.url);
    await eventually(() => expect(service.seen('get').length).toBe(1));
    rmSync(action.files['GITHUB_OUTPUT'] ?? '');
    gate.open();
    const { annotations, summary, exitCode } = await action.ended;
    expect(exitCode).toBe(1);
    expect(annotations.errors[0]).toMatch(new RegExp(`${jobId}.* failed\\..*couldn't be written`));
    expect(summary).toContain('## ❌ Documentation job failed\n');
  });
});
