import { describe, expect, it } from 'vitest';
import type { GitHubApi } from '../../../src/github/api.ts';
import { GitHubError } from '../../../src/github/api.ts';
import { findLastJob } from '../../../src/record/last-job.ts';
import { createFakeGitHub, createTestJob } from '../fixtures.ts';

// property/last-job.test.ts shows that nothing is lost, e2e/last-job.test.ts whole runs.

const TASK = { fingerprint: '1'.repeat(32), series: 'a'.repeat(32), runId: 9 };
const HOUR_MS = 3_600_000;
const created_at = '2026-11-24T02:14:07Z';
const toSha = (number: number): string => number.toString().padStart(40, '0');

/** Returns the link of the job of a run, which a task has started. */
function toLink(runId: number, fingerprint = TASK.fingerprint): string {
  const fields = `fingerprint=${fingerprint}&runId=${runId}&series=${TASK.series}`;
  const claim = `nonce=${`${runId}`.padStart(16, '0')}&attempt=1&scope=rerun`;
  return `https://github.com/#docs-agent-job=v6&${fields}&${claim}&state=job&jobId=job_${runId}`;
}

/** Finds the last job in a history with these links, by the number of the commit. */
async function find(
  links: Readonly<Record<number, readonly string[]>>,
  getStatus: (jobId: string) => string = () => 'completed',
  count = 3,
  failures: readonly string[] = [],
) {
  const sizes: unknown[] = [];
  const api: GitHubApi = {
    ...createFakeGitHub((path) => {
      const all = links[Number(/commits\/(\d+)/.exec(path)?.[1])] ?? [];
      return path.endsWith('page=1')
        ? all.map((target_url, id) => ({ id, target_url, created_at }))
        : [];
    }),
    query: async (_, { first, after = 0 }, parse) => {
      sizes.push(first);
      const failure = failures[sizes.length - 1];
      if (failure !== undefined) {
        throw new GitHubError(failure);
      }
      const end = Math.min(count, Number(after) + Number(first));
      const nodes = Array.from({ length: end - Number(after) }, (__, index) => {
        const number = Number(after) + index + 1;
        const contexts = (links[number] ?? []).slice(-1).map((targetUrl) => ({ targetUrl }));
        return { oid: toSha(number), status: contexts.length === 0 ? null : { contexts } };
      });
      const pageInfo = { hasNextPage: end < count, endCursor: `${end}` };
      const answer = parse({ repository: { object: { history: { nodes, pageInfo } } } });
      if (answer instanceof GitHubError) {
        throw answer;
      }
      return answer;
    },
  };
  const readJob = async (id: string) => createTestJob({ id, status: getStatus(id) });
  const task = { ...TASK, readJob, now: () => Date.parse(created_at) + HOUR_MS };
  const last = await findLastJob(api, toSha(1), task).catch(({ message }: Error) => message);
  return { last, sizes };
}

describe('the last job', () => {
  it('is found behind a newer status of the same context', async () => {
    const { last } = await find({ 2: [toLink(5), toLink(9)] });
    expect(last).toMatchObject({ sha: toSha(2) });
  });

  it("is behind an open claim, whose age is that by GitHub's clock", async () => {
    const open = toLink(6).replace('job&jobId=job_6', 'starting');
    const { last } = await find({ 1: [open], 2: [toLink(5)] });
    expect(last).toMatchObject({ sha: toSha(2), openForMs: HOUR_MS });
  });

  it('ends the questions to the service', async () => {
    const asked: string[] = [];
    await find({ 2: [toLink(5), toLink(6)] }, (jobId) => {
      asked.push(jobId);
      return 'completed';
    });
    expect(asked).toEqual(['job_6']);
  });

  it('is one of another task only if the task has none', async () => {
    const links = { 1: [toLink(5, '2'.repeat(32))], 2: [toLink(6)] };
    expect((await find(links)).last).toMatchObject({ sha: toSha(2), isOfOtherTask: false });
    const { last } = await find({ 1: links[1] });
    expect(last).toMatchObject({ sha: toSha(1), isOfOtherTask: true });
  });

  it('is unknown, not missing, if the only one is at work', async () => {
    const { last } = await find({ 2: [toLink(5)] }, () => 'active');
    expect(last).toBe('job job_5 is at work, and there is none before it');
    const older = await find({ 2: [toLink(5)], 3: [toLink(6)] }, (jobId) =>
      jobId === 'job_5' ? 'active' : 'completed',
    );
    const undone = [{ jobId: 'job_5', state: 'at-work' }];
    expect(older.last).toMatchObject({ sha: toSha(3), undone });
  });

  it('is looked for in 1,000 commits', async () => {
    const { last, sizes } = await find({ 1001: [toLink(5)] }, undefined, 1_300);
    expect([last, sizes]).toEqual([
      expect.objectContaining({ sha: undefined }),
      Array(10).fill(100),
    ]);
    expect((await find({ 1000: [toLink(5)] }, undefined, 1_300)).last).toMatchObject({
      sha: toSha(1_000),
    });
  });

  it('is looked for in half a page once GitHub gave up on a whole one', async () => {
    const { last, sizes } = await find({ 3: [toLink(5)] }, undefined, 70, ['HTTP 502']);
    expect([last, sizes]).toEqual([expect.objectContaining({ sha: toSha(3) }), [100, 50]]);
    expect((await find({}, undefined, 70, ['HTTP 502', 'HTTP 502'])).last).toBe('HTTP 502');
  });
});
