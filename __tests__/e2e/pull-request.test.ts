import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ActionOptions, ActionResult } from '../../harness/action.ts';
import { projectRoot } from '../../harness/action-environment.ts';
import type { GitHubApiOptions } from '../github/api.ts';
import type { FileChange, Pull } from '../github/repository.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, repository, setUp } from '../helpers/github.ts';
import { scriptedService } from '../helpers/servers.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { active, BUSY_MS, endBy, jobId, opened } from './scenario.ts';

/** The action allows three seconds for the details, which is too short on a busy machine. */
const TIME_SCALE = 0.5;
/** How long the last poll takes in one of the tests. Its limit is 1.8 s. */
const LAST_POLL_MS = 1_800;

function toFile(path: string, additions = 2): FileChange {
  return { path, status: 'modified', additions, deletions: 1 };
}

const slowDetails: Partial<GitHubApiOptions> = {
  faults: [{ path: /\/pulls\//, fault: { kind: 'slow', delayMs: 60_000 } }],
};

/** Inputs for a run that reads a job once. */
const once = { 'job-id': jobId, prompt: '', wait: 'false' };

const pull: Pull = {
  title: 'Describe v1.2.0',
  state: 'open',
  files: [toFile('docs/a.mdx', 10), toFile('docs/b.mdx')],
};

/** Sets up a docs repository with this pull request. The project `quick` opens it. */
async function setUpPull(change: Partial<Pull> = {}, api: Partial<GitHubApiOptions> = {}) {
  const docs = repository({ pulls: { 128: { ...pull, ...change } } });
  const world = await setUp({}, { repositories: { 'acme/docs': docs }, ...api }, TIME_SCALE);
  /** Runs the action to read a final job with this link once, without a wait. */
  const look = async (options: ActionOptions = {}): Promise<ActionResult> => {
    const service = await scriptedService({ get: [opened] });
    return await world.finish({ ...once, 'base-url': service.url, ...options.inputs }, options);
  };
  return { ...world, look };
}

describe.concurrent('pull request details', () => {
  it('are in the summary, with links to the changes of each file', async () => {
    const { finish } = await setUpPull();
    const { summary } = await finish();
    expect(summary).toContain(
      '**[Describe v1.2.0](https://github.com/acme/docs/pull/128)**\nacme/docs\\#128, open, +12 −2 in 2 files\n\n' +
        '- [docs/a.mdx](https://github.com/acme/docs/pull/128/files#diff-',
    );
    // The anchor that the host gives a file: SHA-256 of its path.
    expect(summary).toContain(
      '#diff-8c9ac4f4a8e77047f155420c5d9bda631dfac3b7843a6f13ffeb4e3eeb5d424f) +10 −1',
    );
  });

  it("are left out with one line in the log if the repository can't be read", async () => {
    const { look } = await setUpPull({}, { repositories: {} });
    const { summary, exitCode, stdout, annotations } = await look();
    expect(exitCode).toBe(0);
    expect(annotations.warnings).toEqual([]);
    const lines = stdout.split('\n').filter((text) => text.includes('details of the pull request'));
    expect(lines.map((text) => text.replace(/^.* s {2}/, ''))).toEqual([
      "couldn't read details of the pull request (HTTP 404: Not Found; check that `github-token` can read pull requests there)",
    ]);
    expect(summary).toContain(
      '**[acme/docs\\#128](https://github.com/acme/docs/pull/128)**\n\n| Job |',
    );
  });

  it('are left out silently without a token', async () => {
    const { look, github } = await setUpPull();
    const { stdout } = await look({ inputs: { 'github-token': '' } });
    expect(stdout).not.toContain('details of the pull request');
    expect(github.requests).toEqual([]);
  });

  // Without these limits, the details would have three seconds after the last poll.
  it.each([
    ['at the deadline in a run that reads a job once', once, []],
    ['two seconds after the deadline in a run that waits', { ...once, wait: 'true' }, [active]],
  ])('are abandoned %s', async (_, inputs, early) => {
    const { start } = await setUpPull({}, broken({ kind: 'slow', delayMs: 600_000 }));
    const last = { ...opened, delayMs: LAST_POLL_MS };
    const service = await scriptedService({ get: [...early, last] });
    const limits = { 'poll-interval-seconds': '300', 'timeout-minutes': '0.025' };
    const action = start({ ...inputs, ...limits, 'base-url': service.url });
    const { outputs, summary, stdout } = await action.ended;
    const [, seconds = '0'] = /no complete response within ([\d.]+) s/.exec(stdout) ?? [];
    expect(Number(seconds)).toBeLessThan(2.5);
    expect(outputs['outcome']).toBe('pull-request-opened');
    expect(summary).toContain('## ✅ Rehearsal: Documentation pull request opened');
  });

  it('delay the end by a few seconds at most', async () => {
    const { finish } = await setUpPull({}, slowDetails);
    const { exitCode, durationMs } = await finish({}, { timeScale: 1 });
    expect(durationMs).toBeLessThan(3_000 + BUSY_MS);
    expect(exitCode).toBe(0);
  });

  it('come after the outputs, and are dropped without changing the outcome when the step is canceled', async () => {
    const { start, github } = await setUpPull({}, slowDetails);
    const timeScale = 0.2;
    const action = start({}, { timeScale });
    await eventually(() => expect(github.count(/\/pulls\//)).toBeGreaterThan(0));
    expect(action.outputs['outcome']).toBe('pull-request-opened');
    expect(await endBy(action, 'SIGINT')).toBeLessThan(3_000 / timeScale);
    const { exitCode, outputs, summary } = await action.ended;
    expect([exitCode, outputs['outcome']]).toEqual([0, 'pull-request-opened']);
    expect(summary).toContain('## ✅ Rehearsal: Documentation pull request opened');
  });
});

describe('a lazy chunk', () => {
  const copy = temporaryFolder('dist');

  // As if the folder of the action were removed while the agent works.
  it('is not needed by a run without a release, and only for details at the end', async () => {
    cpSync(join(projectRoot, 'dist'), copy, { recursive: true });
    const chunks = readdirSync(copy).filter((name) => /^\d+\.index\.js$/.test(name));
    expect(chunks).not.toEqual([]);
    for (const name of chunks) rmSync(join(copy, name));
    const { look, finish } = await setUpPull();
    const entry = join(copy, 'index.js');
    const started = await finish({ wait: 'false' }, { entry });
    expect([started.exitCode, started.outputs['outcome']]).toEqual([0, 'started']);
    expect(started.stdout).not.toContain('Cannot find module');
    const { exitCode, stdout, summary } = await look({ entry });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("couldn't read details of the pull request (Cannot find module");
    expect(summary).toContain('## ✅ Rehearsal: Documentation pull request opened');
  });
});
