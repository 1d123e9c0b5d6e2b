import { describe, expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import type { Pull } from '../github/repository.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, repository, setUp } from '../helpers/github.ts';
import { type Step, scriptedService } from '../helpers/servers.ts';
import { active, BUSY_MS, endBy, jobId, opened } from './scenario.ts';

/** The action allows three seconds for the details, which is too short on a busy machine. */
const TIME_SCALE = 0.25;
const HEADING = '## ✅ Rehearsal: Documentation pull request opened';

/** Inputs for a run that reads a job once. */
const once = { 'job-id': jobId, prompt: '', wait: 'false' };
/** The API never answers. */
const silent = broken('dropped');

/** Sets up a docs repository with a pull request, and a service whose job opens it. */
async function setUpPull(api: Partial<GitHubApiOptions> = {}, get: Step[] = [opened]) {
  const file = { path: 'docs/a.mdx', status: 'modified', additions: 10, deletions: 1 } as const;
  const pull: Pull = { title: 'Describe v1.2.0', state: 'open', files: [file] };
  const docs = repository({ pulls: { 128: pull } });
  const world = await setUp({}, { repositories: { 'acme/docs': docs }, ...api }, TIME_SCALE);
  const { url } = await scriptedService({ get });
  return { ...world, once: { ...once, 'base-url': url } };
}

// unit/github/pull-request.test.ts shows other pull requests.
describe.concurrent('details of the pull request', () => {
  it('are in the outputs and the summary, with links to the changes of each file', async () => {
    const { finish } = await setUpPull();
    const { summary, outputs } = await finish({ reuse: 'never' });
    expect(outputs).toMatchObject({
      'pr-repository': 'acme/docs',
      'pr-title': 'Describe v1.2.0',
      'pr-state': 'open',
      'pr-branch': 'docs-agent/update',
      'pr-changed-files': '1',
      'pr-additions': '10',
      'pr-deletions': '1',
    });
    expect(summary).toContain(
      '**[Describe v1.2.0](https://github.com/acme/docs/pull/128)**\nacme/docs\\#128, open, +10 −1 in 1 file\n\n' +
        '- [docs/a.mdx](https://github.com/acme/docs/pull/128/files#diff-',
    );
  });

  it.each([
    ['three seconds, without a close deadline', '30', [], 3_600, 3.1],
    ['the deadline in a run that reads a job once', '0.025', [], 3_600, 2.5],
    // The last poll may take two seconds.
    ['two seconds after the deadline in a run that waits', '0.025', [active], 2_000, 2.5],
  ])('are given up at %s', async (_, minutes, early, delayMs, mostSeconds) => {
    const { start, once } = await setUpPull(silent, [...early, { ...opened, delayMs }]);
    const wait = String(early.length > 0);
    const limits = { 'poll-interval-seconds': '300', 'timeout-minutes': minutes, wait };
    const { outputs, summary, stdout } = await start({ ...once, ...limits }).ended;
    const [, seconds] = /no complete response within ([\d.]+) s/.exec(stdout) ?? [];
    expect(Number(seconds)).toBeLessThan(mostSeconds);
    expect(outputs['job-result']).toBe('pull-request-opened');
    expect(summary).toContain(HEADING);
  });

  it('come after the outputs, and are dropped without changing the outcome when the step is canceled', async () => {
    const { start, github, once } = await setUpPull(silent);
    const action = start(once, { timeScale: 0.1 });
    await eventually(() => expect(github.count(/\/pulls\//)).toBeGreaterThan(0));
    const written = { 'job-result': 'pull-request-opened', 'pr-state': '' };
    expect(action.outputs).toMatchObject(written);
    expect(await endBy(action, 'SIGINT')).toBeLessThan(BUSY_MS);
    const { exitCode, outputs, summary } = await action.ended;
    expect([exitCode, outputs['job-result']]).toEqual([0, 'pull-request-opened']);
    expect(summary).toContain(HEADING);
  });
});
