import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Annotation, WorkflowAttempt } from '../../emulator/github-repository.ts';
import { getFingerprint } from '../../src/github/job-annotation.ts';
import type { ActionOptions, ActionResult } from '../helpers/action.ts';
import {
  broken,
  closeGitHub,
  PROMPT,
  RUN_ID,
  setUp,
  tagPush,
  toWorkflowJob,
  type World,
} from '../helpers/github.ts';

vi.setConfig({ maxConcurrency: 4 });

afterAll(closeGitHub);

function attempt(number: number, env: Record<string, string> = {}): ActionOptions {
  return { env: { GITHUB_RUN_ATTEMPT: `${number}`, ...env } };
}

/** A world whose run has attempts that a test fills in while it goes on. */
async function setUpRun(
  api: Parameters<typeof setUp>[1] = {},
): Promise<World & { attempts: WorkflowAttempt[] }> {
  const attempts: WorkflowAttempt[] = [];
  return { ...(await setUp({ runs: { [RUN_ID]: { attempts } } }, api)), attempts };
}

/** An annotation like that of a create, with any id in it. */
function forge(jobId: string, baseUrl: string, level: Annotation['level'] = 'notice'): Annotation {
  const identity = { baseUrl: new URL(baseUrl), projectId: 'quick', prompt: PROMPT, releaseTag: undefined };
  return {
    title: 'Docs agent job started',
    message: `Job ${jobId}, fingerprint ${getFingerprint(identity)}. A re-run of this workflow run waits for it.`,
    level,
  };
}

describe.concurrent('the notice of a create', () => {
  it('is left once, before the wait, and not by an attach or a follow-up', async () => {
    const { finish, emulator } = await setUpRun();
    const created = await finish({ wait: 'false' });
    const jobId = created.outputs['job-id'] ?? '';
    expect(created.annotations.notices.filter((text) => text.includes('fingerprint'))).toEqual([
      expect.stringMatching(new RegExp(`^Job ${jobId}, fingerprint [0-9a-f]{32}\\. `)),
    ]);
    emulator.addJob('quick', 'job_1');
    const others = [
      await finish({ prompt: '', 'job-id': jobId }),
      await finish({ 'job-id': 'job_1', wait: 'false' }),
      await finish({ 'dry-run': 'true' }),
    ];
    for (const { annotations } of others) {
      expect(annotations.notices.join()).not.toContain('fingerprint');
    }
  });

  it('stands in the log before the job is final, so that a killed runner leaves it', async () => {
    const { start } = await setUpRun();
    const action = start({ 'project-id': 'endless' });
    await action.waitForLog(/::notice title=Docs agent job started::Job \S+, fingerprint/);
    action.child.kill('SIGKILL');
    expect((await action.ended).outputs['job-id']).not.toBe('');
  });
});

describe.concurrent('reuse-on-rerun', () => {
  it('waits for the job of the earlier attempt, and says so in log and summary', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    attempts.push([toWorkflowJob(11, 'docs', first)]);
    const second = await finish({}, attempt(2));
    expect(emulator.counts().creates).toBe(1);
    expect(second.outputs).toMatchObject({
      outcome: 'pull-request-opened',
      'job-id': first.outputs['job-id'],
    });
    expect(second.stdout).toContain(
      `re-run: attempt 1 started job ${first.outputs['job-id']}, which this attempt waits for`,
    );
    expect(second.summary).toContain(
      '| Re-run | waits for the job that [attempt 1](https://github.com/acme/widgets/actions/runs/1234567890/attempts/1) started; no other job was started |',
    );
  });

  it('finds it in the attempt before the last, when the last one only waited', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(11, 'docs', await finish({ wait: 'false' }))]);
    attempts.push([toWorkflowJob(12, 'docs', await finish({}, attempt(2)))]);
    const third = await finish({}, attempt(3));
    expect(emulator.counts().creates).toBe(1);
    expect(third.summary).toContain('[attempt 1](');
  });

  it('keeps the jobs of a matrix apart by their prompts', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const prompts = ['Write in English', 'Write in German', 'Write in Greek'];
    const firsts: { prompt: string; result: ActionResult }[] = [];
    for (const prompt of prompts) {
      firsts.push({ prompt, result: await finish({ prompt, wait: 'false' }) });
    }
    attempts.push(
      firsts.map(({ prompt, result }, index) => toWorkflowJob(20 + index, `docs (${prompt})`, result)),
    );
    for (const { prompt, result } of firsts) {
      const again = await finish({ prompt }, attempt(2));
      expect(again.outputs['job-id']).toBe(result.outputs['job-id']);
    }
    const other = await finish({ prompt: 'Write in Welsh' }, attempt(2));
    expect(other.summary).toContain('| Re-run | a new job, because no earlier attempt started it |');
    expect(emulator.counts().creates).toBe(4);
  });

  it('keeps another project and another release apart', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(11, 'docs', await finish({ wait: 'false' }))]);
    await finish({ 'project-id': 'no-change' }, attempt(2));
    const release = { 'release-context': 'true' };
    await finish(release, attempt(2, tagPush('v1.0.0').env));
    expect(emulator.counts().creates).toBe(3);
  });

  it('starts a new job where the earlier one failed or is gone', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const failed = await finish({ 'project-id': 'failing' });
    expect(failed.outputs['outcome']).toBe('failed');
    attempts.push([toWorkflowJob(11, 'docs', failed)]);
    const second = await finish({ 'project-id': 'failing' }, attempt(2));
    expect(second.summary).toContain('a new job, because the job of attempt 1 failed');
    expect(emulator.counts('failing').creates).toBe(2);

    attempts[0] = [{ id: 12, name: 'docs', annotations: [forge('job_gone', emulatorUrl(second.stdout))] }];
    const third = await finish({}, attempt(2));
    expect(third.summary).toContain('a new job, because the job of attempt 1 is gone');
    expect(emulator.counts('quick').creates).toBe(1);
  });

  it('waits rather than pays where the service can say nothing of the earlier job just now', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(11, 'docs', await finish({ 'project-id': 'flaky', wait: 'false' }))]);
    const second = await finish({ 'project-id': 'flaky' }, attempt(2));
    expect(emulator.counts('flaky').creates).toBe(1);
    expect(second.exitCode).toBe(0);
  });

  it('is not changed by annotations that someone else wrote', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    const url = emulatorUrl(first.stdout);
    emulator.addJob('no-change', 'job_of_another_project');
    const forged = ['../x', '..', '%2e%2e', 'a/b', 'job_of_another_project', 'job_unknown'].map((id) =>
      forge(id, url),
    );
    attempts.push([
      toWorkflowJob(11, 'docs', first),
      {
        id: 12,
        name: 'docs',
        startedAt: '2099-01-01T00:00:00Z',
        annotations: [...forged, forge('job_in_a_warning', url, 'warning')],
      },
    ]);
    const second = await finish({}, attempt(2));
    expect(second.outputs['job-id']).toBe(first.outputs['job-id']);
    expect(emulator.counts().creates).toBe(1);
    const paths = emulator.requests.map(({ path }) => path);
    expect(paths).toContain('/v2/agent/quick/job/job_of_another_project');
    expect(paths.filter((path) => !/^\/v2\/agent\/quick\/job(?:\/[\w-]+)?$/.test(path))).toEqual([]);
  });

  it('looks only on a re-run of a create, and only if it may', async () => {
    const { finish, emulator, github, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(11, 'docs', await finish({ wait: 'false' }))]);
    await finish({ wait: 'false', 'reuse-on-rerun': 'false' }, attempt(2));
    emulator.addJob('quick', 'job_1');
    await finish({ 'job-id': 'job_1', prompt: '' }, attempt(2));
    await finish({ 'dry-run': 'true' }, attempt(2));
    expect(github.requests.filter(({ path }) => path.includes('/attempts/'))).toEqual([]);
    expect(emulator.counts().creates).toBe(2);
  });

  it('looks through the workflow jobs of the same name first, and through 250 of them', async () => {
    const { finish, emulator, github, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    const others = Array.from({ length: 249 }, (_, index) => ({
      id: 100 + index,
      name: `build (${index})`,
      annotations: [],
    }));
    attempts.push([...others, toWorkflowJob(11, 'docs (en)', first)]);
    await finish({}, attempt(2));
    expect(emulator.counts().creates).toBe(1);
    expect(github.requests.filter(({ path }) => path.includes('/annotations')).length).toBeLessThan(10);
  });
});

describe.concurrent('reuse-on-rerun without an answer of GitHub', () => {
  it.each([
    [
      'no permission for workflow jobs',
      { permissions: ['checks' as const] },
      /HTTP 403: Resource not accessible/,
    ],
    [
      'no permission for annotations',
      { permissions: ['actions' as const] },
      /HTTP 403: Resource not accessible/,
    ],
    ['a rate limit', broken({ kind: 'error', status: 429, message: 'Slow down' }), /HTTP 429: Slow down/],
    ['no such run', broken({ kind: 'error', status: 404 }), /HTTP 404: Not Found/],
    ['nonsense', broken({ kind: 'written', body: 'null' }), /could not be searched/],
  ])('says so in one line and starts a new job: %s', async (_, api, line) => {
    const { finish, emulator, attempts } = await setUpRun(api);
    attempts.push([toWorkflowJob(11, 'docs', await finish({ wait: 'false' }))]);
    const second = await finish({}, attempt(2));
    expect(second.exitCode).toBe(0);
    expect(emulator.counts().creates).toBe(2);
    expect(second.stdout.match(/could not be searched/g)).toHaveLength(1);
    expect(second.stdout).toMatch(line);
    expect(second.summary).toMatch(/\| Re-run \| a new job, because earlier attempts could not be searched/);
  });

  it('says so without a token or a run, too', async () => {
    const { finish, emulator, github } = await setUpRun();
    const tokenless = await finish({ 'github-token': '' }, attempt(2));
    const nowhere = await finish({}, attempt(2, { GITHUB_RUN_ID: '' }));
    expect(tokenless.stdout).toContain('could not be searched (`github-token` is empty)');
    expect(nowhere.stdout).toContain('could not be searched (GITHUB_REPOSITORY or GITHUB_RUN_ID is not set)');
    expect(emulator.counts().creates).toBe(2);
    expect(github.requests.filter(({ path }) => path.includes('/attempts/'))).toEqual([]);
  });

  it.sequential('starts nothing when it is cancelled meanwhile', async () => {
    const { start, emulator, github } = await setUpRun(broken({ kind: 'slow', delayMs: 60_000 }));
    const action = start({}, attempt(2));
    await expect.poll(() => github.requests.length).toBeGreaterThan(0);
    action.signal('SIGTERM');
    const result = await action.ended;
    expect(result.outputs).toMatchObject({ outcome: 'cancelled', 'job-id': '' });
    expect(emulator.requests).toEqual([]);
  });
});

/** The base URL that a run named in its first line. */
function emulatorUrl(stdout: string): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
}
