import { afterEach, describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { GitHubError } from '../../../src/github/client.ts';
import { getFingerprint } from '../../../src/github/job-annotation.ts';
import type { OpenRunReader } from '../../../src/github/run-reader.ts';
import { Problem, parsePaths } from '../../../src/inputs/parsers.ts';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import type { AgentApi } from '../../../src/job/agent-client.ts';
import { resolveRequest } from '../../../src/reuse/resolve-request.ts';
import { type Message, toPlainText } from '../../../src/text/message.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { createVirtualClock } from '../../helpers/virtual-clock.ts';
import { createResponse, createTestJob, KEY } from '../fixtures.ts';
import { createFakeReader, type FakeRuns, startedJob } from '../github/fake-runs.ts';
import { closeRestApis, startRestApi } from '../github/rest-api.ts';

const create = { kind: 'create', prompt: 'Write it' } as const;
const attach = { kind: 'attach', jobId: 'job_1' } as const;
const followUp = { kind: 'follow-up', jobId: 'job_1', prompt: 'More' } as const;
const release = { tag: 'v1.1.0', isNamed: true };
const given: Inputs = {
  request: create,
  projectId: 'docs',
  apiKey: KEY,
  baseUrl: new URL('https://api.example.com'),
  wait: true,
  dryRun: false,
  release: undefined,
  releaseContext: false,
  reuse: 'rerun',
  paths: undefined,
  timeoutMs: 60_000,
  pollIntervalMs: 10_000,
  notes: [],
};
const identity = { baseUrl: given.baseUrl, projectId: 'docs', prompt: 'Write it', tag: undefined };
const fingerprint = getFingerprint(identity);

afterEach(closeRestApis);

interface World {
  readonly runAttempt?: number;
  readonly runs?: FakeRuns;
  /** False if the tags of the repository can't be read. */
  readonly hasTags?: boolean;
  readonly tags?: readonly string[];
  /** Commits since the previous tag that the tag does not have. */
  readonly behindBy?: number;
  readonly files?: readonly string[];
  readonly timeoutMs?: number;
  readonly isCanceled?: boolean;
}

/** Resolves inputs against a repository with tags, notes and changed files, and runs that left records. */
async function resolve(changes: Partial<Inputs>, world: World = {}) {
  const { runAttempt = 1, runs = {}, hasTags = true, tags = ['v1.0.0', 'v1.1.0'], behindBy = 0 } = world;
  const files = (world.files ?? ['src/a.ts']).map((filename) => ({
    filename,
    status: 'modified',
    additions: 1,
    deletions: 0,
  }));
  const api = await startRestApi(
    (path) => {
      if (path.includes('/matching-refs/')) {
        const refs = tags.map((tag) => ({
          ref: `refs/tags/${tag}`,
          object: { type: 'commit', sha: 'a'.repeat(40) },
        }));
        return hasTags ? { body: refs } : undefined;
      }
      if (path.includes('/compare/')) {
        return { body: { behind_by: behindBy, total_commits: 0, commits: [], files } };
      }
      return path.endsWith(`/releases/tags/${release.tag}`)
        ? { body: { body: `Notes with ${KEY}` } }
        : undefined;
    },
    {
      GITHUB_RUN_ATTEMPT: String(runAttempt),
      GITHUB_JOB: 'docs',
      GITHUB_WORKFLOW_REF: 'acme/app/.github/workflows/docs.yml@x',
    },
  );
  const { openReader, calls } = createFakeReader(runs);
  // The fake has a fingerprint of its own.
  const open: OpenRunReader = async (context, limits) => {
    const reader = await openReader(context, limits);
    return {
      ...reader,
      listNotices: async (id, page) => {
        const { items, pages } = await reader.listNotices(id, page);
        return { items: items.map((text) => text.replace(/[0-9a-f]{32}\]$/, `${expected}]`)), pages };
      },
    };
  };
  const inputs = { ...given, ...changes };
  const expected = getFingerprint({ ...identity, tag: inputs.release?.tag });
  const clock = createVirtualClock();
  const notes: string[] = [];
  const warnings: string[] = [];
  const never = new AbortController().signal;
  const getJob = async () => createResponse(200, { job: createTestJob() });
  const resolved = await resolveRequest(
    inputs,
    {
      agent: { getJob } as unknown as AgentApi,
      github: api.context,
      loadRunReader: async () => ({ openRunReader: open }),
      redact: createRedactor(KEY),
      onNote: (note: Message) => notes.push(toPlainText(note)),
      onWarning: (warning: Message) => warnings.push(toPlainText(warning)),
    },
    {
      clock,
      random: () => 0,
      deadline: clock.now() + (world.timeoutMs ?? 60_000),
      cancel: world.isCanceled === true ? AbortSignal.abort() : never,
      forceCancel: never,
    },
  );
  return { resolved, notes, warnings, calls, requests: api.requests.length };
}

function parse(text: string): NonNullable<Inputs['paths']> {
  const patterns = parsePaths(text);
  return patterns instanceof Problem ? [] : patterns;
}

const recorded = (runId = 7): FakeRuns => ({
  attempts: { [`${runId}/1`]: [{ id: 1, markers: [startedJob('job_9', 1)] }] },
  runs: [{ id: 6, newestAttempt: 1, createdAt: 0, branch: release.tag }],
});
const unknown = (runId = 7): FakeRuns => ({
  attempts: { [`${runId}/1`]: [{ id: 1, markers: [{ kind: 'unknown' }] }] },
  runs: [{ id: 6, newestAttempt: 1, createdAt: 0, branch: release.tag }],
});

describe('a request that needs nothing', () => {
  it.each<[string, Partial<Inputs>, object]>([
    ['a create', {}, { request: create, fingerprint, reuse: undefined }],
    ['an attach', { request: attach }, { request: attach, fingerprint: undefined, reuse: undefined }],
    ['a follow-up', { request: followUp }, { request: followUp, fingerprint: undefined, reuse: undefined }],
  ])('stays as it is, without a look at GitHub: %s', async (_, changes, resolved) => {
    for (const runAttempt of changes.request === undefined ? [1] : [1, 2]) {
      expect(await resolve(changes, { runAttempt, runs: recorded() })).toEqual({
        resolved,
        notes: [],
        warnings: [],
        calls: [],
        requests: 0,
      });
    }
  });
});

describe('the release context', () => {
  it('is appended to the prompt of a create and of a follow-up, without the key', async () => {
    for (const request of [create, followUp]) {
      const { resolved, notes } = await resolve({ request, release, releaseContext: true });
      expect(resolved).toMatchObject({
        request: {
          ...request,
          prompt: expect.stringMatching(
            /^(?:Write it|More)\n\n---\nFacts about the release\.[\s\S]*Tag: v1\.1\.0\n[\s\S]*> Notes with \*\*\*/,
          ),
        },
      });
      expect(notes).toEqual([]);
    }
  });

  it('is left out unless it is wanted, although the tag identifies the job', async () => {
    const { resolved, requests } = await resolve({ release });
    expect(resolved).toEqual({
      request: create,
      fingerprint: getFingerprint({ ...identity, tag: release.tag }),
      reuse: undefined,
    });
    expect(requests).toBe(0);
  });

  it('is appended as far as it can be read, with a note of the rest', async () => {
    const { resolved, notes } = await resolve(
      { release: { ...release, isNamed: false }, releaseContext: true },
      { hasTags: false },
    );
    expect(resolved).toMatchObject({ request: { prompt: expect.stringContaining('Notes with ***') } });
    expect(notes).toEqual([
      "couldn't read some of the release context: previous tag, commits and changed files (HTTP 404)",
    ]);
  });

  it('is refused for a named tag that does not exist', async () => {
    const missing = { tag: 'v9.0.0', isNamed: true };
    const error = await resolve({ release: missing, releaseContext: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error instanceof InputError && error.problems.map(toPlainText)).toEqual([
      '`release-tag` is wrong: acme/app has no tag of this name.',
    ]);
  });

  it('takes at most half of the time that is left', async () => {
    const { notes } = await resolve({ release, releaseContext: true }, { timeoutMs: 0 });
    expect(notes).toEqual([expect.stringContaining('there was not enough time')]);
  });
});

describe('reuse', () => {
  it.each<[string, Partial<Inputs>, World, string[], string]>([
    [
      'an earlier attempt',
      {},
      { runAttempt: 2, runs: recorded() },
      ['waiting for job job_9, which attempt 1 started'],
      '7',
    ],
    [
      'another run',
      { reuse: 'release', release },
      { runs: recorded(6) },
      [
        'waiting for job job_9, which attempt 1 of another run (https://github.com/acme/app/actions/runs/6/attempts/1) started',
      ],
      '6',
    ],
    [
      'an earlier attempt, in a dry run',
      { dryRun: true },
      { runAttempt: 2, runs: recorded() },
      ['a real run would wait for job job_9, which attempt 1 started'],
      '7',
    ],
  ])('waits for the job of %s', async (_, changes, world, notes, runId) => {
    const result = await resolve(changes, world);
    expect(result.resolved).toMatchObject({
      request: { kind: 'attach', jobId: 'job_9' },
      fingerprint: expect.any(String),
      reuse: { kind: 'reused', record: { jobId: 'job_9', runId: Number(runId) }, isOtherRun: runId === '6' },
    });
    expect([result.notes, result.warnings]).toEqual([notes, []]);
  });

  it.each<[string, Partial<Inputs>, World]>([
    ['with `never`', { reuse: 'never' }, { runAttempt: 2 }],
    ['on a first attempt with `rerun`', { reuse: 'rerun' }, { runAttempt: 1 }],
  ])('does not look %s', async (_, changes, world) => {
    const { calls, resolved } = await resolve(changes, { ...world, runs: recorded() });
    expect([calls, resolved]).toEqual([[], { request: create, fingerprint, reuse: undefined }]);
  });

  it.each<[string, FakeRuns, string, string[]]>([
    ['none was recorded', {}, 'no earlier job was recorded', []],
    [
      'the earlier create is unknown',
      unknown(),
      'attempt 1 may have started one, but its response was lost',
      [
        'Attempt 1 may have started an agent job: its request was sent, but the response was lost. This attempt does not wait for that job.',
      ],
    ],
    [
      'records are kept from it',
      { fail: () => new GitHubError('HTTP 403', 403) },
      "jobs of earlier attempts can't be read (HTTP 403)",
      [
        "An earlier attempt may have started an agent job, but its record can't be read (HTTP 403). That needs the permissions `actions: read` and `checks: read`.",
      ],
    ],
  ])('starts a job on a re-run if %s', async (_, runs, reason, warnings) => {
    const result = await resolve({}, { runAttempt: 2, runs });
    expect(result.resolved).toMatchObject({ request: create, reuse: { kind: 'new-job' } });
    expect(result.notes).toEqual([`no job to wait for: ${reason}`]);
    expect(result.warnings).toEqual(warnings);
  });

  it.each<[string, Partial<Inputs>, World, object]>([
    [
      'the create of another run is unknown',
      { reuse: 'release', release },
      { runs: unknown(6) },
      { outcome: 'start-unknown', code: 'start-unknown', record: { runId: 6 } },
    ],
    [
      'the search is incomplete',
      {},
      { runAttempt: 2, runs: { fail: () => new GitHubError('HTTP 502', 502) } },
      { outcome: 'not-started', code: 'reuse-unknown', failure: 'incomplete', detail: 'HTTP 502' },
    ],
    ['it is canceled', {}, { runAttempt: 2, isCanceled: true }, { outcome: 'cancelled', code: 'cancelled' }],
  ])('sends nothing if %s', async (_, changes, world, outcome) => {
    expect((await resolve(changes, world)).resolved).toMatchObject(outcome);
  });
});

describe('paths', () => {
  const inputs = { release, paths: parse('docs/**\n!docs/internal/**') };

  it('skip a release in which nothing that matters changed', async () => {
    const files = ['src/a.ts', 'docs/internal/a.md'];
    const { resolved, notes } = await resolve(inputs, { files });
    expect(resolved).toEqual({ outcome: 'skipped', previousTag: 'v1.0.0', files: 2 });
    expect(notes).toEqual([]);
    const dry = await resolve({ ...inputs, dryRun: true }, { files });
    expect(dry.resolved).toMatchObject({ request: create });
    expect(dry.notes).toEqual([
      'no file that changed since v1.0.0 matches `paths`: a real run would be skipped',
    ]);
  });

  it.each<[string, World, string]>([
    ['a file matches', { files: ['docs/a.md'] }, 'docs/a.md has changed since v1.0.0 and matches `paths`'],
    [
      'it is the first release',
      { tags: ['v1.1.0'] },
      "`paths` can't decide whether to skip: This is the first final version with this prefix.",
    ],
    [
      'the tags have diverged',
      { behindBy: 1 },
      "`paths` can't decide whether to skip: v1.0.0 is not an ancestor of v1.1.0.",
    ],
    [
      'too many files changed',
      { files: Array(300).fill('a') },
      "`paths` can't decide whether to skip: GitHub lists no more than 300 changed files.",
    ],
  ])('start a job if %s', async (_, world, note) => {
    const { resolved, notes } = await resolve(inputs, world);
    expect(resolved).toMatchObject({ request: create });
    expect(notes).toEqual([note]);
  });

  it('start a job if the files cannot be read', async () => {
    const { resolved, notes } = await resolve(
      { ...inputs, release: { ...release, isNamed: false } },
      { hasTags: false },
    );
    expect(resolved).toMatchObject({ request: create });
    expect(notes).toEqual(["`paths` can't decide whether to skip: HTTP 404."]);
  });
});
