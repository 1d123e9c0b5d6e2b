import { afterEach, describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { formatMarker, getFingerprint, type JobMarker } from '../../../src/github/job-annotation.ts';
import type { Inputs } from '../../../src/inputs/read-inputs.ts';
import type { AgentApi } from '../../../src/job/agent-client.ts';
import { resolveRequest } from '../../../src/reuse/resolve-request.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { createVirtualClock } from '../../helpers/virtual-clock.ts';
import { createResponse, createTestJob, KEY } from '../fixtures.ts';
import { closeRestApis, startRestApi } from '../github/rest-api.ts';

const create = { kind: 'create', prompt: 'Write it' } as const;
const attach = { kind: 'attach', jobId: 'job_1' } as const;
const followUp = { kind: 'follow-up', jobId: 'job_1', prompt: 'More' } as const;
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
const tag = 'v1.0.0';
const described = { release: { tag, isNamed: true }, releaseContext: true };
const sha = 'a'.repeat(40);
const identity = { baseUrl: given.baseUrl, projectId: 'docs', prompt: 'Write it', tag: undefined };
const fingerprint = getFingerprint(identity);

afterEach(closeRestApis);

const recorded: JobMarker = { kind: 'id', jobId: 'job_9', startedBy: { runId: undefined, attempt: 1 } };

/** Resolves inputs against an API that knows one tag with notes, and one job of an earlier attempt. */
async function resolve(
  changes: Partial<Inputs>,
  {
    runAttempt = '1',
    hasRefs = true,
    canRead = true,
    timeoutMs = 60_000,
    marker = recorded,
    cancel = new AbortController().signal,
  } = {},
) {
  const api = await startRestApi(
    (path) => {
      if (path.includes('/matching-refs/')) {
        return hasRefs ? { body: [{ ref: `refs/tags/${tag}`, object: { type: 'commit', sha } }] } : undefined;
      }
      if (path.endsWith(`/releases/tags/${tag}`)) {
        return { body: { body: `Notes with ${KEY}` } };
      }
      if (path.includes('/attempts/')) {
        return canRead
          ? { body: { total_count: 1, jobs: [{ id: 1, name: 'x', started_at: '' }] } }
          : { status: 403, body: { message: 'No' } };
      }
      return path.includes('/annotations')
        ? { body: [{ annotation_level: 'notice', message: formatMarker(marker, fingerprint) }] }
        : undefined;
    },
    { GITHUB_RUN_ATTEMPT: runAttempt },
  );
  const clock = createVirtualClock();
  const notes: string[] = [];
  const warnings: string[] = [];
  const agent = { getJob: async () => createResponse(200, { job: createTestJob({ id: 'job_9' }) }) };
  const resolved = await resolveRequest(
    { ...given, ...changes },
    {
      agent: agent as unknown as AgentApi,
      github: api.context,
      loadRunReader: () => import('../../../src/github/run-reader.ts'),
      redact: createRedactor(KEY),
      onNote: (note) => notes.push(toPlainText(note)),
      onWarning: (warning) => warnings.push(toPlainText(warning)),
    },
    { clock, random: () => 0, deadline: clock.now() + timeoutMs, cancel, forceCancel: cancel },
  );
  return { resolved, notes, warnings, requests: api.requests.length };
}

describe('resolveRequest', () => {
  it('leaves a request that needs nothing as it is, without a look at GitHub', async () => {
    expect(await resolve({})).toEqual({
      resolved: { request: create, fingerprint, reuse: undefined },
      notes: [],
      warnings: [],
      requests: 0,
    });
    for (const request of [attach, followUp]) {
      expect(await resolve({ request }, { runAttempt: '2' })).toEqual({
        resolved: { request, fingerprint: undefined, reuse: undefined },
        notes: [],
        warnings: [],
        requests: 0,
      });
    }
  });

  it('appends the release context to the prompt of a create and of a follow-up, without the key', async () => {
    for (const request of [create, followUp]) {
      const { resolved, notes } = await resolve({ ...described, request });
      expect(resolved).toMatchObject({
        request: {
          ...request,
          prompt: expect.stringMatching(
            /^(?:Write it|More)\n\n---\nFacts about the release\.[\s\S]*Tag: v1\.0\.0\n[\s\S]*> Notes with \*\*\*/,
          ),
        },
      });
      expect(notes).toEqual([]);
    }
  });

  it('identifies the job by the prompt of the inputs and the tag', async () => {
    const { resolved } = await resolve({ release: { tag, isNamed: true } });
    expect(resolved).toMatchObject({ fingerprint: getFingerprint({ ...identity, tag }) });
  });

  it('notes which parts of the release context are missing', async () => {
    const { resolved, notes } = await resolve(
      { ...described, release: { tag, isNamed: false } },
      { hasRefs: false },
    );
    expect(resolved).toMatchObject({ request: { prompt: expect.stringContaining('Notes with ***') } });
    expect(notes).toEqual([
      "couldn't read some of the release context: previous tag, commits and changed files (HTTP 404)",
    ]);
  });

  it('refuses a named tag that does not exist', async () => {
    const error = await resolve({ ...described, release: { tag: 'v2.0.0', isNamed: true } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(error instanceof InputError && error.problems.map(toPlainText)).toEqual([
      '`release-tag` is wrong: acme/app has no tag of this name.',
    ]);
  });

  it('gives GitHub half of the time that is left', async () => {
    const { notes } = await resolve(described, { timeoutMs: 0 });
    expect(notes).toEqual([expect.stringContaining('there was not enough time')]);
  });

  it('waits on a re-run for the job of an earlier attempt instead', async () => {
    const { resolved, notes, warnings } = await resolve({}, { runAttempt: '2' });
    expect(resolved).toEqual({
      request: { kind: 'attach', jobId: 'job_9' },
      fingerprint,
      reuse: {
        kind: 'reused',
        isOtherRun: false,
        record: {
          jobId: 'job_9',
          runId: 7,
          attempt: 1,
          page: 'https://github.com/acme/app/actions/runs/7/attempts/1',
          leftBy: { runId: 7, attempt: 1 },
        },
      },
    });
    expect([notes, warnings]).toEqual([['waiting for job job_9, which attempt 1 started'], []]);
  });

  it('names the run that started the job if it is another one', async () => {
    const marker: JobMarker = { ...recorded, startedBy: { runId: 6, attempt: 3 } };
    const { resolved, notes } = await resolve({}, { runAttempt: '2', marker });
    expect(resolved).toMatchObject({ reuse: { isOtherRun: true, record: { runId: 6, attempt: 3 } } });
    expect(notes).toEqual([
      'waiting for job job_9, which attempt 3 of another run (https://github.com/acme/app/actions/runs/6/attempts/3) started',
    ]);
  });

  it('says in a dry run what would happen', async () => {
    const { notes } = await resolve({ dryRun: true }, { runAttempt: '2' });
    expect(notes).toEqual(['a real run would wait for job job_9, which attempt 1 started']);
  });

  it('starts a new job on a re-run if none was recorded', async () => {
    const { resolved, notes, warnings } = await resolve({ projectId: 'other' }, { runAttempt: '2' });
    expect(resolved).toMatchObject({ request: create, reuse: { kind: 'new-job' } });
    expect([notes, warnings]).toEqual([['no job to wait for: no earlier job was recorded'], []]);
  });

  it('warns on a re-run if a start stayed unknown, or records cannot be read', async () => {
    const unknown = await resolve({}, { runAttempt: '2', marker: { kind: 'unknown' } });
    expect(unknown.notes).toEqual([
      'no job to wait for: attempt 1 may have started one, but its response was lost',
    ]);
    expect(unknown.warnings).toEqual([
      'Attempt 1 may have started an agent job: its request was sent, but the response was lost. This attempt does not wait for that job.',
    ]);
    const unread = await resolve({}, { runAttempt: '2', canRead: false });
    expect(unread.notes).toEqual([
      "no job to wait for: jobs of earlier attempts can't be read (HTTP 403: No)",
    ]);
    expect(unread.warnings).toEqual([
      "An earlier attempt may have started an agent job, but its record can't be read (HTTP 403: No). That needs the permissions `actions: read` and `checks: read`.",
    ]);
  });

  it('starts nothing if the step is canceled during the search', async () => {
    const { resolved } = await resolve({}, { runAttempt: '2', cancel: AbortSignal.abort() });
    expect(resolved).toEqual({ outcome: 'cancelled', code: 'cancelled' });
  });

  it('does not look for earlier jobs with reuse: never', async () => {
    const { resolved, requests } = await resolve({ reuse: 'never' }, { runAttempt: '2' });
    expect([resolved, requests]).toEqual([{ request: create, fingerprint, reuse: undefined }, 0]);
  });
});
