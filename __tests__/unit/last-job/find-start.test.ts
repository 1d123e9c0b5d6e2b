import { expect, it } from 'vitest';
import type { GitHubApi } from '../../../src/github/api.ts';
import { createSuccessor, findStart, type Successor } from '../../../src/last-job/find-start.ts';
import { findLastJob } from '../../../src/last-job/search.ts';
import { createRecord } from '../../../src/record/record.ts';
import { getSeries } from '../../../src/record/task.ts';
import type { ApiResult } from '../../../src/service/agent-client.ts';
import type { Stop } from '../../../src/state/outcome.ts';
import { type Run, RunTracker } from '../../../src/state/run-state.ts';
import {
  answerHistory,
  createFakeGitHub,
  createGitHubContext,
  createInputs,
  createResponse,
  createTestJob,
  createWorld,
  silent,
} from '../fixtures.ts';

// property/last-job.test.ts shows that nothing is lost, e2e/last-job.test.ts whole runs.

const inputs = createInputs({ changesSince: 'last job' });
const { series = '' } = getSeries(inputs);
const TASK = { fingerprint: '1'.repeat(32), series, runId: 9 };
const HOUR_MS = 3_600_000;
/** When the statuses of a commit were written: here, those of the newest commit first. */
const toInstant = (number: number): string => `2026-11-24T0${number}:14:07Z`;
const toSha = (number: number): string => number.toString().padStart(40, '0');

function toLink(runId: number, fingerprint = TASK.fingerprint): string {
  const fields = `fingerprint=${fingerprint}&runId=${runId}&series=${TASK.series}`;
  const claim = `nonce=${`${runId}`.padStart(16, '0')}&attempt=1&scope=rerun`;
  return `https://github.com/#docs-agent-job=v7&${fields}&${claim}&state=job&jobId=job_${runId}`;
}

async function find(
  links: Readonly<Record<number, readonly string[]>>,
  getStatus: (jobId: string) => string = () => 'completed',
  count = 3,
  failures = 0,
  getTime: (number: number) => string | undefined = toInstant,
) {
  const sizes: unknown[] = [];
  const answer = answerHistory(() =>
    Array.from({ length: count }, (_, index) => {
      const parents = index + 1 < count ? [toSha(index + 2)] : [];
      return { sha: toSha(index + 1), parents, links: links[index + 1]?.slice(-1) ?? [] };
    }),
  );
  const api: GitHubApi = {
    ...createFakeGitHub((path) => {
      const number = Number(/commits\/(\d+)/.exec(path)?.[1]);
      const created_at = getTime(number);
      const all = links[number] ?? [];
      return path.endsWith('page=1')
        ? all.map((target_url, id) => ({ id, target_url, created_at }))
        : [];
    }),
    now: () => Date.parse(toInstant(3)),
    query: async (text, getVariables, parse) => {
      const retries = sizes.length === 0 ? failures : 0;
      const tried = Array.from({ length: retries + 1 }, (_, count) => getVariables(count));
      sizes.push(...tried.map(({ first }) => first));
      return answer(text, () => tried.at(-1) ?? {}, parse);
    },
  };
  const readJob = async (id: string) => createTestJob({ id, status: getStatus(id) });
  const last = await findLastJob(toSha(1), { ...TASK, api, readJob }).catch(
    ({ message }: Error) => message,
  );
  return { last, sizes };
}

it('the last job is found behind a newer status of the same context', async () => {
  const { last } = await find({ 2: [toLink(5), toLink(9)] });
  expect(last).toMatchObject({ sha: toSha(2) });
});

it("the last job is behind an open claim, whose age is that by GitHub's clock", async () => {
  const [stale, open] = [6, 7].map((run) => toLink(run).replace(/job&.*/, 'starting'));
  const { last } = await find({ 1: [stale ?? ''], 2: [toLink(5)] });
  expect(last).toMatchObject({ sha: toSha(2), openForMs: 2 * HOUR_MS });
  const two = await find({ 1: [stale ?? ''], 2: [open ?? ''], 3: [toLink(5)] });
  expect(two.last).toMatchObject({ sha: toSha(3), openForMs: HOUR_MS });
});

it.each([
  ['no time', undefined],
  ['no readable time', 'today'],
])('an open claim with %s may be new', async (_, time) => {
  const open = toLink(6).replace(/job&.*/, 'starting');
  const { last } = await find({ 1: [open], 2: [toLink(5)] }, undefined, 3, 0, () => time);
  expect(last).toMatchObject({ sha: toSha(2), openForMs: 0 });
  const { last: closed } = await find({ 2: [toLink(5)] }, undefined, 3, 0, () => time);
  expect(closed).toMatchObject({ openForMs: Number.POSITIVE_INFINITY });
});

it('the last job ends the questions to the service', async () => {
  const asked: string[] = [];
  await find({ 2: [toLink(5), toLink(6)] }, (jobId) => {
    asked.push(jobId);
    return 'completed';
  });
  expect(asked).toEqual(['job_6']);
});

it('the last job is one of another task only if the task has none', async () => {
  const links = { 1: [toLink(5, '2'.repeat(32))], 2: [toLink(6)] };
  expect((await find(links)).last).toMatchObject({ sha: toSha(2), record: 'own' });
  const { last } = await find({ 1: links[1] });
  expect(last).toMatchObject({ sha: toSha(1), record: 'other' });
});

it('the last job is unknown, not missing, if the only one is at work', async () => {
  const { last } = await find({ 2: [toLink(5)] }, () => 'active');
  expect(last).toBe('job job_5 is at work, and there is none before it');
  const older = await find({ 2: [toLink(5)], 3: [toLink(6)] }, (jobId) =>
    jobId === 'job_5' ? 'active' : 'completed',
  );
  const undone = [{ jobId: 'job_5', state: 'at-work' }];
  expect(older.last).toMatchObject({ sha: toSha(3), undone });
});

it('the last job is looked for in 1,000 commits', async () => {
  const { last, sizes } = await find({ 1001: [toLink(5)] }, undefined, 1_300);
  expect([last, sizes]).toMatchObject([{ record: 'none', sha: undefined }, Array(10).fill(100)]);
  const { last: found } = await find({ 1000: [toLink(5)] }, undefined, 1_300);
  expect(found).toMatchObject({ sha: toSha(1_000) });
});

it('the last job is looked for in ever smaller pages while GitHub gives up on them', async () => {
  const { last, sizes } = await find({ 3: [toLink(5)] }, undefined, 70, 1);
  expect([last, sizes]).toMatchObject([{ sha: toSha(3) }, [100, 50]]);
  const { last: same, sizes: small } = await find({ 15: [toLink(5)] }, undefined, 70, 5);
  expect([same, small]).toMatchObject([{ sha: toSha(15) }, [100, 50, 25, 12, 10, 10, 10]]);
});

/** Finds the last job if run 5 started one, and the service replies like this, in order. */
async function findAmong(replies: readonly ApiResult[], timeoutMs?: number) {
  const github = createGitHubContext();
  const { sha = '' } = github;
  const api: GitHubApi = {
    ...createFakeGitHub(() => [{ id: 1, target_url: toLink(5) }]),
    query: answerHistory(() => [{ sha, links: [toLink(5)] }]),
  };
  const { clock, timing } = createWorld({ ...(timeoutMs && { timeoutMs }) });
  const startedAt = clock.now();
  let reads = 0;
  const getJob = async () => replies[reads++] ?? (replies.at(-1) as ApiResult);
  const run: Run = {
    inputs,
    ...timing,
    agent: { getJob, send: () => Promise.reject(new Error('nothing is sent')) },
    github,
    openGitHub: () => api,
    openPullRequests: () => api,
    tracker: new RunTracker(clock),
    emit: () => {},
    redact: String,
  };
  const found = await findStart(createSuccessor(createRecord(run), run) as Successor).then(
    ({ start, last }) => {
      const end = start.kind === 'known' && start.ref === sha ? 'start' : last?.undone[0]?.state;
      return start.kind === 'unknown' ? start.detail : end;
    },
    (error: Stop) => error.outcome.code,
  );
  return [found, (clock.now() - startedAt) / 1_000];
}

const missing = createResponse(404, { hasErrorBody: true });
const reply = (status: string) => createResponse(200, { job: createTestJob({ status }) });
const limit = createResponse(429, { retryAfterMs: 5_000 });
const refusedKey = createResponse(403, { hasErrorBody: true });
const longLimit = createResponse(429, { retryAfterMs: 3_600_000 });
const silence = "job job_5 can't be read: HTTP 404";
const atWork = 'job job_5 is at work, and there is none before it';

it.each<[string, ApiResult[], string, number, number?]>([
  ['that completed is the last one', [reply('completed')], 'start', 0],
  ['that was archived is the last one', [reply('archived')], 'start', 0],
  ['that failed is none', [reply('failed')], 'failed', 10],
  ['that failed is none sooner in a short run', [reply('failed')], 'failed', 1.5, 6_000],
  ['at work may become the last one', [reply('active')], atWork, 0],
  ['that the service no longer finds is the last one, after a minute', [missing], 'start', 60],
  ['that the service does not find yet is looked for', [missing, reply('failed')], 'failed', 12],
  ['is read again after HTTP 503', [createResponse(503), reply('completed')], 'start', 2],
  ['is read again after a limit', [limit, reply('completed')], 'start', 5],
  ['behind a page with a 404 stops the run', [createResponse(404)], silence, 60],
  ['that is not found only at last stops the run', [createResponse(503), missing], silence, 60],
  ['is the last one sooner in a short run', [missing], 'start', 14, 60_000],
  ['is not doubted enough in a shorter one', [missing], silence, 2, 6_000],
  ['behind a limit that lasts too long stops the run', [longLimit], 'rate-limited', 0],
  ['that cannot be read stops the run', [silent], "job job_5 can't be read: reset", 60],
  ['that the key may not read stops the run', [refusedKey], 'forbidden', 0],
])('a job %s', async (_, replies, expected, seconds, timeoutMs) => {
  expect(await findAmong(replies, timeoutMs)).toEqual([expected, seconds]);
});

const DAY_MS = 86_400_000;
const days = (count: number): string =>
  new Date(Date.parse(toInstant(3)) - count * DAY_MS).toISOString();
const mark = (fields: string): string =>
  `https://github.com/#docs-agent-job=v7&fingerprint=${TASK.fingerprint}&runId=6&series=${TASK.series}&state=mark${fields}`;
const since = (number: number): string => `&since=${toSha(number)}`;

it.each<
  [string, Readonly<Record<number, string[]>>, (number: number) => string | undefined, number]
>([
  ['that of its job', { 2: [toLink(5)] }, () => days(50), 50],
  [
    'that of a mark that keeps this start',
    { 1: [mark(since(2))], 2: [toLink(5)] },
    (one) => days(one * 10),
    10,
  ],
  [
    'not that of a mark that keeps another',
    { 1: [mark(since(3))], 2: [toLink(5)] },
    (one) => days(one * 10),
    20,
  ],
  ['nothing without a time', { 2: [toLink(5)] }, () => undefined, 0],
])('the age of the last job is %s', async (_, links, getTime, expected) => {
  const { last } = await find(links, undefined, 3, 0, getTime);
  expect(last).toMatchObject({ sha: toSha(2), ageMs: expected * DAY_MS });
});

const GUESS = '&guess=yes';
it.each<[string, Readonly<Record<number, string[]>>, number]>([
  ['a guess only without a record', { 1: [mark(GUESS)], 3: [toLink(5)] }, 3],
  ['the oldest of several guesses', { 1: [mark(GUESS)], 2: [mark(GUESS)] }, 2],
  ['the start of a job that began at a guess, if it failed', { 1: [toGuess(7, 2)] }, 2],
  ['a job that began at a guess, if it ended', { 1: [toGuess(5, 2)] }, 1],
  ['a guess before the one of a job', { 1: [toGuess(5, 2)], 3: [mark(GUESS)] }, 3],
  ['what a failed job had', { 1: [toLink(7) + since(2)] }, 2],
])('changes begin at %s', async (_, links, expected) => {
  const { last } = await find(links, (jobId) => (jobId === 'job_7' ? 'failed' : 'completed'));
  expect(last).toMatchObject({ sha: toSha(expected) });
});

function toGuess(runId: number, number: number): string {
  return `${toLink(runId)}${since(number)}${GUESS}`;
}
