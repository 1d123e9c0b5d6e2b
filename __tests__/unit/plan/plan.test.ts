import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { createGitHubClient } from '../../../src/github/client.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import type { AgentApi } from '../../../src/job/agent-client.ts';
import { formatMarker, getFingerprint, type JobMarker } from '../../../src/plan/job-marker.ts';
import { makePlan } from '../../../src/plan/plan.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  attach,
  create,
  createInputs,
  createJobRecord,
  createResponse,
  createTestJob,
  createWorld,
  followUp,
  KEY,
} from '../fixtures.ts';
import { type Answer, startRestApi } from '../github/rest-api.ts';
import { startedJob } from './fake-github.ts';

const tag = 'v1.0.0';
const named = { tag, isNamed: true };
const identity = { baseUrl: createInputs().baseUrl, projectId: 'docs', prompt: 'Write it', tag: undefined };

const refs = (...tags: string[]): Answer => ({
  body: tags.map((name) => ({ ref: `refs/tags/${name}`, object: { type: 'commit', sha: `${name} sha` } })),
});
const comparison = (files: object[], behind = 0): Answer => ({
  body: { total_commits: 0, behind_by: behind, commits: [], files },
});
const gateway: Answer = { status: 404 };
const none: Answer = {
  status: 404,
  body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' },
};
const changed = (...paths: string[]) => paths.map((filename) => ({ filename, status: 'modified' }));

/** GitHub's answers for paths that contain a text: a release with notes, and a workflow job in every attempt. */
const known: Readonly<Record<string, Answer>> = {
  '/matching-refs/': refs('v0.9.0', tag),
  '/releases/': { body: { body: `Notes with ${KEY}` } },
  '/compare/': comparison(changed('src/a.ts', 'docs/a.md')),
  '/attempts/': {
    body: { total_count: 1, jobs: [{ id: 1, name: 'x', completed_at: '2026-11-20T18:30:00Z' }] },
  },
  '/workflows/docs.yml/runs': {
    body: {
      total_count: 1,
      workflow_runs: [{ id: 6, run_attempt: 1, head_branch: tag, status: 'completed' }],
    },
  },
};

interface Scene {
  readonly runAttempt?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers that add to `known` or replace it. */
  readonly github?: Readonly<Record<string, Answer>>;
  /** The record of an earlier attempt, and of another run. */
  readonly marker?: JobMarker;
  /** The status of that job, or the HTTP status of an error. */
  readonly job?: string | number;
  readonly timeoutMs?: number;
  readonly canceledAt?: 'start' | 'look';
}

/** Resolves inputs in the second attempt of run 7. */
async function resolve(changes: Partial<Inputs>, scene: Scene = {}) {
  const { runAttempt = 2, marker = startedJob('job_9', 1), job = 'active', timeoutMs = 60_000 } = scene;
  const inputs = createInputs(changes);
  const message = formatMarker(marker, getFingerprint({ ...identity, tag: inputs.release?.tag }));
  const notices = [{ annotation_level: 'notice', message }];
  const answers = Object.entries({ ...known, '/annotations': { body: notices }, ...scene.github });
  const api = await startRestApi((path) => answers.find(([part]) => path.includes(part))?.[1], {
    GITHUB_RUN_ATTEMPT: String(runAttempt),
    GITHUB_WORKFLOW_REF: 'acme/app/.github/workflows/docs.yml@refs/tags/v1.0.0',
    ...scene.env,
  });
  const world = createWorld({ timeoutMs });
  if (scene.canceledAt === 'start') world.cancel.abort();
  const getJob: AgentApi['getJob'] = async (id) => {
    if (scene.canceledAt === 'look') world.cancel.abort();
    return typeof job === 'string'
      ? createResponse(200, { job: createTestJob({ id, status: job }) })
      : createResponse(job, { hasErrorBody: true });
  };
  const notes: string[] = [];
  const warnings: string[] = [];
  const resolved = await makePlan(
    inputs,
    {
      agent: { getJob } as AgentApi,
      github: api.context,
      openGitHub: async (limits) => createGitHubClient(api.context, api.context.repository, limits),
      redact: createRedactor(KEY),
      reporter: {
        onNote: (note) => notes.push(toPlainText(note)),
        onWarning: (warning) => warnings.push(toPlainText(warning)),
      },
    },
    world.context,
  );
  return { resolved, notes, warnings, requests: api.requests.length };
}

describe('makePlan', () => {
  it.each<[string, Partial<Inputs>, number]>([
    ['a create', {}, 1],
    ['a create that reuses nothing', { reuse: 'never' }, 2],
    ['a job to wait for', { request: attach, reuse: 'release' }, 2],
    ['a follow-up', { request: followUp, reuse: 'release' }, 2],
    ['a create with a tag that needs no facts', { release: named }, 1],
  ])('reads nothing from GitHub for %s', async (_, changes, runAttempt) => {
    const { request, release } = createInputs(changes);
    const own = request.kind === 'create' ? getFingerprint({ ...identity, tag: release?.tag }) : undefined;
    expect(await resolve(changes, { runAttempt })).toEqual({
      resolved: { request, fingerprint: own, earlierJob: undefined },
      notes: [],
      warnings: [],
      requests: 0,
    });
  });
});

describe('the release context', () => {
  const described = { release: named, releaseContext: true, reuse: 'never' } as const;

  it.each([create, followUp])('is added to the prompt of %o without the key', async (request) => {
    const { resolved, notes } = await resolve({ ...described, request });
    const section = /^\n\n---\nFacts about the release\.[\s\S]*Tag: v1\.0\.0\n[\s\S]*> Notes with \*\*\*/;
    const { prompt = '' } = 'request' in resolved && 'prompt' in resolved.request ? resolved.request : {};
    expect(prompt.startsWith(request.prompt)).toBe(true);
    expect(prompt.slice(request.prompt.length)).toMatch(section);
    expect(notes).toEqual([]);
  });

  const all = 'previous tag, commits and changed files, release notes';
  it.each<[string, Scene]>([
    // Without a permission, GitHub may not show releases, either.
    [`${all} (HTTP 404: Not Found)`, { github: { '/matching-refs/': none, '/releases/': none } }],
    ['previous tag, commits and changed files (HTTP 404)', { github: { '/matching-refs/': gateway } }],
    ['commits and changed files (HTTP 404)', { github: { '/compare/': gateway } }],
    ['release notes (HTTP 404)', { github: { '/releases/': gateway } }],
    ['release notes (the response lacks a documented field)', { github: { '/releases/': { body: {} } } }],
    ['everything but the tag (GITHUB_REPOSITORY is not set)', { env: { GITHUB_REPOSITORY: '' } }],
  ])('lacks %s, and the log says so', async (missing, scene) => {
    const { resolved, notes } = await resolve({ ...described, release: { tag, isNamed: false } }, scene);
    const prompt = expect.stringContaining('Tag: v1.0.0\n');
    expect(resolved).toMatchObject({ request: { prompt } });
    expect(notes).toEqual([`couldn't read some of the release context: ${missing}`]);
  });

  it('reports missing release notes only if GitHub confirms it', async () => {
    const { resolved, notes } = await resolve(described, { github: { '/releases/': none } });
    const prompt = expect.stringContaining('Release notes: none\n');
    expect([resolved, notes]).toMatchObject([{ request: { prompt } }, []]);
  });

  it('requires the tag in `release-tag` to exist', async () => {
    const release = { tag: 'v2.0.0', isNamed: true };
    const error = await resolve({ ...described, release }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect(error instanceof InputError && error.problems.map(toPlainText)).toEqual([
      '`release-tag` is wrong: acme/app has no tag of this name.',
    ]);
  });
});

describe('`paths`', () => {
  const changes = { paths: parsePaths('docs/**') as Inputs['paths'], release: named };
  const renamed = { filename: 'lib/a.ts', previous_filename: 'docs/a.md', status: 'renamed' };
  const others = { '/compare/': comparison(changed('src/a.ts', 'src/b.ts')) };
  const many = changed(...Array.from({ length: 300 }, (_, index) => `src/${index}.ts`));
  const event = (name: string) => ({ tag: name, isNamed: false });
  const matches = 'has changed since v0.9.0 and matches `paths`';
  const compared = (body: unknown): Record<string, Answer> => ({ '/compare/': { body } });
  const whole = { total_commits: 0, behind_by: 0, commits: [], files: [] };
  const ignored = (why: string) => `\`paths\` ignored (${why}); starting the job`;
  const unread = ignored('the response lacks a documented field');

  it.each<[string, Record<string, Answer>, Inputs['release']?]>([
    [`docs/a.md ${matches}`, {}],
    [`docs/a.md ${matches}`, { '/compare/': comparison([{ filename: 'docs/a.md', status: 'removed' }]) }],
    [`lib/a.ts ${matches}`, { '/compare/': comparison([renamed]) }],
    [ignored('this is the first final version with this prefix'), { '/matching-refs/': refs(tag) }],
    [ignored('acme/app has no tag of this name'), {}, event('v1.1.0')],
    [
      ignored('the tag does not end in a semantic version'),
      { '/matching-refs/': refs('nightly') },
      event('nightly'),
    ],
    [ignored('v0.9.0 is not an ancestor of v1.0.0'), { '/compare/': comparison([], 1) }],
    [ignored('GitHub lists no more than 300 changed files'), { '/compare/': comparison(many) }],
    [ignored('HTTP 404'), { '/compare/': gateway }],
    [ignored('HTTP 404: Not Found'), { '/matching-refs/': none }],
    [ignored('HTTP 202'), { '/compare/': { status: 202, body: whole } }],
    [ignored('HTTP 204'), { '/compare/': { status: 204, body: '' } }],
    ...[{}, '<html>', { message: 'Not Found' }, { ...whole, files: undefined }].map(
      (body): [string, Record<string, Answer>] => [unread, compared(body)],
    ),
    [unread, compared({ ...whole, behind_by: undefined })],
    [unread, compared({ ...whole, total_commits: '0' })],
    [unread, compared({ ...whole, files: {} })],
    [unread, compared({ ...whole, files: [{}] })],
    [unread, compared({ ...whole, files: [{ filename: 'a', status: 'renamed' }] })],
    [unread, { '/matching-refs/': { body: {} } }],
  ])('starts the job with the note "%s" for %j', async (note, github, release = named) => {
    const expected = { resolved: { request: create }, notes: [note] };
    expect(await resolve({ ...changes, release }, { runAttempt: 1, github })).toMatchObject(expected);
  });

  it('is read with the release context', async () => {
    const { resolved, notes } = await resolve({ ...changes, releaseContext: true }, { runAttempt: 1 });
    expect(resolved).toMatchObject({ request: { prompt: expect.stringContaining('Tag: v1.0.0\n') } });
    expect(notes).toEqual([`docs/a.md ${matches}`]);
  });

  it('skips the job if no file matches, unless it is a dry run', async () => {
    const scene = { runAttempt: 1, github: others };
    const skipped = { outcome: 'skipped', previousTag: 'v0.9.0' };
    const resolved = { ...skipped, files: 2 };
    expect(await resolve(changes, scene)).toMatchObject({ resolved, notes: [] });
    const same = { runAttempt: 1, github: { '/compare/': comparison([]) } };
    expect(await resolve(changes, same)).toMatchObject({ resolved: { ...skipped, files: 0 } });
    expect(await resolve({ ...changes, dryRun: true }, scene)).toMatchObject({
      resolved: { request: create },
      notes: ['no file that changed since v0.9.0 matches `paths`: a real run would be skipped'],
    });
  });

  it('is ignored if the run waits for a job', async () => {
    const waiting = { resolved: { request: { kind: 'attach', jobId: 'job_9' } } };
    // The jobs of the attempt, and the annotations of one.
    expect(await resolve(changes)).toMatchObject({ ...waiting, requests: 2 });
    const { resolved } = await resolve({ ...changes, dryRun: true }, { github: others });
    expect(resolved).toMatchObject({ request: create, earlierJob: { kind: 'found' } });
  });
});

describe('an earlier job', () => {
  const waiting = (runId: number, attempt: number) => ({
    request: { kind: 'attach', jobId: 'job_9' },
    earlierJob: { kind: 'found', record: createJobRecord('job_9', runId, attempt) },
  });
  const starting = { request: create, earlierJob: { kind: 'none', mayBeSecond: false } };
  const release = { reuse: 'release', release: named } as const;
  const dry = { dryRun: true };
  const gone = { job: 410, timeoutMs: 600_000 };
  const noRuns = { github: { '/workflows/docs.yml/runs': { body: {} } } };
  const page = 'https://github.com/acme/app/actions/runs/6/attempts';
  const wait = 'waiting for job job_9, which attempt';
  const none = 'no job to wait for:';
  const would = 'a real run would';

  it.each<[string, Partial<Inputs>, Scene, object]>([
    [`${wait} 1 started`, {}, {}, { ...waiting(7, 1), fingerprint: getFingerprint(identity) }],
    // If the step is canceled during the look at the job, the outputs still have its id.
    [`${wait} 1 started`, {}, { canceledAt: 'look' }, waiting(7, 1)],
    [
      `${wait} 3 of another run (${page}/3) started`,
      {},
      { marker: startedJob('job_9', 3, 6) },
      waiting(6, 3),
    ],
    [`${wait} 1 of another run (${page}/1) started`, release, { runAttempt: 1 }, waiting(6, 1)],
    [`${none} no earlier job was recorded`, { projectId: 'other', release: named }, noRuns, starting],
    [`${none} job job_9, which attempt 1 started, failed`, {}, { job: 'failed' }, starting],
    [
      `${would} wait for job job_9, which attempt 1 started`,
      dry,
      {},
      { request: create, earlierJob: waiting(7, 1).earlierJob },
    ],
    [`${would} start a new job: job job_9, which attempt 1 started, is gone`, dry, gone, starting],
  ])('is reported as "%s"', async (note, changes, scene, resolved) => {
    const { notes, ...plan } = await resolve(changes, scene);
    expect([plan, notes.at(-1)]).toMatchObject([{ resolved, warnings: [] }, note]);
  });

  const detail = 'the response lacks a documented field';
  it.each<[string, Partial<Inputs>, Scene, object]>([
    ['the step is canceled', {}, { canceledAt: 'start' }, { outcome: 'cancelled', code: 'cancelled' }],
    [
      'another run may have started a job',
      release,
      { marker: 'unknown', runAttempt: 1 },
      { outcome: 'start-unknown', code: 'start-unknown', record: createJobRecord(undefined, 6, 1) },
    ],
    [
      'earlier jobs cannot be read, in a dry run, too',
      dry,
      { github: { '/attempts/': { body: {} } } },
      { outcome: 'not-started', code: 'reuse-unknown', failure: 'incomplete', detail },
    ],
  ])('stops the run if %s', async (_, changes, scene, resolved) => {
    expect(await resolve(changes, scene)).toMatchObject({ resolved, notes: [], warnings: [] });
  });
});
