import { afterEach, describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { formatMarker, getFingerprint } from '../../../src/github/job-annotation.ts';
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
  reuseOnRerun: true,
  timeoutMs: 60_000,
  pollIntervalMs: 10_000,
  notes: [],
};
const tag = 'v1.0.0';
const sha = 'a'.repeat(40);
const identity = { baseUrl: given.baseUrl, projectId: 'docs', prompt: 'Write it', releaseTag: undefined };
const fingerprint = getFingerprint(identity);

afterEach(closeRestApis);

/** Resolves inputs against an API that knows one tag with notes, and one job of an earlier attempt. */
async function resolve(
  changes: Partial<Inputs>,
  { runAttempt = '1', hasRefs = true, timeoutMs = 60_000 } = {},
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
        return { body: { jobs: [{ name: 'x', check_run_url: 'https://x/check-runs/1', started_at: '' }] } };
      }
      return path.includes('/annotations')
        ? { body: [{ annotation_level: 'notice', message: formatMarker('job_9', fingerprint) }] }
        : undefined;
    },
    { GITHUB_RUN_ATTEMPT: runAttempt },
  );
  const clock = createVirtualClock();
  const notes: string[] = [];
  const never = new AbortController().signal;
  const agent = { getJob: async () => createResponse(200, { job: createTestJob({ id: 'job_9' }) }) };
  const resolved = await resolveRequest(
    { ...given, ...changes },
    {
      agent: agent as unknown as AgentApi,
      github: api.context,
      redact: createRedactor(KEY),
      onNote: (note) => notes.push(toPlainText(note)),
    },
    { clock, random: () => 0, deadline: clock.now() + timeoutMs, cancel: never, forceCancel: never },
  );
  return { resolved, notes, requests: api.requests.length };
}

describe('resolveRequest', () => {
  it('leaves a request that needs nothing as it is, without a look at GitHub', async () => {
    expect(await resolve({})).toEqual({
      resolved: { request: create, fingerprint, reuse: undefined },
      notes: [],
      requests: 0,
    });
    for (const request of [attach, followUp]) {
      expect(await resolve({ request }, { runAttempt: '2' })).toEqual({
        resolved: { request, fingerprint: undefined, reuse: undefined },
        notes: [],
        requests: 0,
      });
    }
  });

  it('appends the release context to the prompt of a create and of a follow-up, without the key', async () => {
    for (const request of [create, followUp]) {
      const { resolved, notes } = await resolve({ request, release: { tag, isNamed: true } });
      expect(resolved.request).toMatchObject({
        ...request,
        prompt: expect.stringMatching(
          /^(?:Write it|More)\n\n---\nFacts about the release\.[\s\S]*Tag: v1\.0\.0\n[\s\S]*> Notes with \*\*\*/,
        ),
      });
      expect(notes).toEqual([]);
    }
  });

  it('identifies the job by the prompt of the inputs and the tag', async () => {
    const { resolved } = await resolve({ release: { tag, isNamed: true } });
    expect(resolved.fingerprint).toBe(getFingerprint({ ...identity, releaseTag: tag }));
  });

  it('notes which parts of the release context are missing', async () => {
    const { resolved, notes } = await resolve({ release: { tag, isNamed: false } }, { hasRefs: false });
    expect(resolved.request).toMatchObject({ prompt: expect.stringContaining('Notes with ***') });
    expect(notes).toEqual([
      "couldn't read some of the release context: previous tag, commits and changed files (HTTP 404)",
    ]);
  });

  it('refuses a named tag that does not exist', async () => {
    const error = await resolve({ release: { tag: 'v2.0.0', isNamed: true } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(error instanceof InputError && error.problems.map(toPlainText)).toEqual([
      '`release-tag` is wrong: acme/app has no tag of this name.',
    ]);
  });

  it('gives GitHub half of the time that is left', async () => {
    const { notes } = await resolve({ release: { tag, isNamed: true } }, { timeoutMs: 0 });
    expect(notes).toEqual([expect.stringContaining('there was not enough time')]);
  });

  it('waits on a re-run for the job of an earlier attempt instead', async () => {
    const { resolved, notes } = await resolve({ release: undefined }, { runAttempt: '2' });
    expect(resolved).toEqual({
      request: { kind: 'attach', jobId: 'job_9' },
      fingerprint,
      reuse: {
        kind: 'reused',
        jobId: 'job_9',
        attempt: 1,
        page: 'https://github.com/acme/app/actions/runs/7/attempts/1',
      },
    });
    expect(notes).toEqual(['re-run: waiting for job job_9, which attempt 1 started']);
  });

  it('starts a new job on a re-run if none was recorded', async () => {
    const { resolved, notes } = await resolve({ projectId: 'other' }, { runAttempt: '2' });
    expect(resolved).toMatchObject({
      request: create,
      reuse: { kind: 'new-job', reason: 'no earlier attempt recorded one' },
    });
    expect(notes).toEqual(['re-run: starting a new job, because no earlier attempt recorded one']);
  });

  it.each<[string, Partial<Inputs>]>([
    ['`reuse-on-rerun` is false', { reuseOnRerun: false }],
    ['it is a dry run', { dryRun: true }],
  ])('does not look for earlier jobs if %s', async (_, changes) => {
    const { resolved, requests } = await resolve(changes, { runAttempt: '2' });
    expect([resolved.request, resolved.reuse, requests]).toEqual([create, undefined, 0]);
  });
});
