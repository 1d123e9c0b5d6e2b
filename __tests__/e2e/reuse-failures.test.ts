import { describe, expect, it } from 'vitest';
import type { Fault } from '../../emulator/github/faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken } from '../helpers/github.ts';
import { attempt, setUpRun } from '../helpers/reuse.ts';

const started = { wait: 'false' };

describe.concurrent('a re-run without the permissions to read records', () => {
  it('starts a new job, with one warning that names the permissions', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun({ permissions: ['actions'] });
    attempts.push([earlier()]);
    const second = await finish({}, attempt(2));
    expect(second.exitCode).toBe(0);
    expect(emulator.counts().creates).toBe(1);
    expect(second.annotations.warnings).toEqual([
      expect.stringMatching(
        /^An earlier attempt may have started an agent job, but its record can't be read without `actions: read` and `checks: read` \(HTTP 403: Resource not accessible by integration\)\.\nIf there are two jobs, both cost credits/,
      ),
    ]);
    expect(second.summary).toMatch(/^## ⚠️ Rehearsal: .* \(perhaps a second job\)\n/);
    expect(second.summary).toMatch(
      /\| Reuse \| new job: jobs of earlier attempts can't be read without `actions: read`/,
    );
  });

  it('starts a new job without a token, and names no permissions', async () => {
    const { finish, emulator, github } = await setUpRun();
    const { annotations } = await finish({ ...started, 'github-token': '' }, attempt(2));
    expect(annotations.warnings).toEqual([expect.stringContaining("'github-token' is empty")]);
    expect(annotations.warnings[0]).not.toContain('actions: read');
    expect(emulator.counts().creates).toBe(1);
    expect(github.requests).toEqual([]);
  });
});

describe.concurrent('a re-run that cannot read every record', () => {
  // unit/github/client.test.ts and unit/plan/earlier-job.test.ts show every other failure.
  it.each<[string, Fault, string, string]>([
    [
      'a firewall sends its page',
      { kind: 'written', status: 403, body: '<html>' },
      '(HTTP 403)',
      'Run this again later.',
    ],
    [
      'a list is cut',
      { kind: 'written', body: '{"total_count":1,"jobs":[]}' },
      '(GitHub lists 0 of 1 items)',
      'Run this again later.',
    ],
    ['an answer is truncated', { kind: 'dropped', by: 'cut' }, '(', 'Run this again later.'],
    [
      'the token is not valid',
      { kind: 'error', status: 401 },
      '(HTTP 401: Bad credentials)',
      'Check `github-token`. Then run this again.',
    ],
  ])('starts no job and says why when %s', async (_, fault, detail, remedy) => {
    // Repeating a read takes seconds.
    const { finish, emulator, attempts, earlier } = await setUpRun(broken(fault), 2);
    attempts.push([earlier()]);
    const second = await finish({}, attempt(2));
    expect(second.outputs).toMatchObject({
      outcome: 'not-started',
      'error-code': 'reuse-unknown',
      'job-id': '',
    });
    const error = second.annotations.errors.join();
    expect(error).toContain('To avoid paying twice, this run started no job.');
    expect(error).toContain(detail);
    expect(error).toContain(remedy);
    expect(error).toContain('If you know that there is no other job, set `reuse` to `never`.');
    expect(error).not.toContain('actions: read');
    expect(emulator.requests).toEqual([]);
  });

  it('starts no job if GitHub lists one attempt, but not another', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier()], [{ id: 12, name: 'docs', state: 'killed' }]);
    github.addFault({ path: /attempts\/1\/jobs/, fault: { kind: 'error', status: 404 } });
    const { outputs, annotations } = await finish({}, attempt(3));
    expect(outputs['error-code']).toBe('reuse-unknown');
    expect(annotations.errors.join()).not.toContain('actions: read');
    expect(emulator.requests).toEqual([]);
  });

  // The runner masks annotations, too, so any secret may stand in a record.
  it.each(['docs', '1'])('starts no job if the secret "%s" masks the record', async (secret) => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    const { annotations = [], ...job } = earlier();
    const mask = (text: string) => text.replaceAll(secret, '***');
    const masked = annotations.map(({ title, message }) => ({ title: mask(title), message: mask(message) }));
    attempts.push([{ ...job, annotations: masked }]);
    const result = await finish({}, attempt(2));
    expect(result.outputs).toMatchObject({ outcome: 'not-started', 'error-code': 'reuse-unknown' });
    expect(result.annotations.errors.join()).toContain('attempt 1, is masked or broken');
    expect(emulator.requests).toEqual([]);
  });

  it('ends at once when the step is canceled while it waits for the end of a rate limit', async () => {
    // It waits only while the search has time left, so time runs slowly.
    const fault = { kind: 'secondary-rate-limit', retryAfterSeconds: 15 } as const;
    const { start, emulator, github } = await setUpRun(broken(fault), 0.2);
    const action = start({}, attempt(2));
    await eventually(() => expect(github.requests.length).toBeGreaterThan(0));
    action.signal('SIGTERM');
    const { outputs, durationMs } = await action.ended;
    expect(outputs).toMatchObject({ outcome: 'cancelled', 'job-id': '' });
    expect(durationMs).toBeLessThan(40_000);
    expect(emulator.requests).toEqual([]);
  });
});
