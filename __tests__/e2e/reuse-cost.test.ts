import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../harness/action-environment.ts';
import { matrix } from '../helpers/github.ts';
import { attempt, runningJob, setUpRun, tagAttempt } from '../helpers/reuse.ts';

const started = { wait: 'false' };
const reads = /\/(?:actions|check-runs)\//;

describe.concurrent('the search for an earlier job', () => {
  it('reads nothing from GitHub and loads no other file on a first attempt', async () => {
    const { finish, github } = await setUpRun();
    const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    try {
      const entry = join(folder, 'index.js');
      cpSync(join(projectRoot, 'dist', 'index.js'), entry);
      const result = await finish({ 'project-id': 'no-change' }, { entry });
      expect(result.outputs).toMatchObject({ outcome: 'no-pull-request', reused: 'false' });
      expect(github.count()).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('takes four requests in a job of a matrix of 200', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    const jobs = matrix(1_000, 'docs', 200);
    attempts.push(jobs.with(137, earlier({ id: 1_137, name: 'docs (137)' })), matrix(2_000, 'docs', 200));
    const second = await finish({ ...started, 'check-run-id': '2137' }, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
    expect(github.count(reads)).toBe(4);
  });

  it('takes two requests in the first run of a release', async () => {
    const { finish, github, runs } = await setUpRun();
    const { job, inputs } = runningJob(21, 'docs');
    runs['77'] = { headBranch: 'v1.0.0', attempts: [[job]] };
    const first = await finish({ ...started, ...inputs, reuse: 'release' }, tagAttempt(1, 'v1.0.0', '77'));
    expect(first.outputs['outcome']).toBe('started');
    expect(github.count(reads)).toBe(2);
  });
});
