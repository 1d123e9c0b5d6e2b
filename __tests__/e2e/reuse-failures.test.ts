import { describe, expect, it } from 'vitest';
import type { Fault } from '../../emulator/github-faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, matrix } from '../helpers/github.ts';
import { attempt, failsAtOnce, type RunWorld, runningJob, setUpRun } from '../helpers/reuse.ts';

const needs = 'That needs the permissions `actions: read` and `checks: read`.';
const started = { wait: 'false' };

describe.concurrent('a re-run that may not read records', () => {
  it.each<[string, Parameters<typeof setUpRun>[0], RegExp]>([
    ['no permission for runs', { permissions: ['checks'] }, /HTTP 403: Resource not accessible/],
    ['no permission for annotations', { permissions: ['actions'] }, /HTTP 403: Resource not accessible/],
    ['an API without runs', broken({ kind: 'error', status: 404 }), /HTTP 404: Not Found/],
  ])('starts a new job, with one warning that names the permissions: %s', async (_, api, detail) => {
    const { finish, emulator, attempts, earlier } = await setUpRun(api);
    attempts.push([earlier()]);
    const second = await finish({}, attempt(2));
    expect(second.exitCode).toBe(0);
    expect(emulator.counts().creates).toBe(1);
    expect(second.annotations.warnings).toHaveLength(1);
    expect(second.annotations.warnings[0]).toMatch(detail);
    expect(second.annotations.warnings[0]).toContain(needs);
    expect(second.summary).toMatch(/\| Reuse \| new job: jobs of earlier attempts can't be read \(HTTP/);
  });

  it('starts a new job without a token or a run, and names no permission', async () => {
    const { finish, emulator, github } = await setUpRun();
    const tokenless = await finish({ ...started, 'github-token': '' }, attempt(2));
    const nowhere = await finish(started, attempt(2, { GITHUB_RUN_ID: '' }));
    const insecure = await finish(started, attempt(2, { GITHUB_API_URL: 'http://github.example' }));
    expect(tokenless.annotations.warnings.join()).toContain("'github-token' is empty");
    expect(nowhere.annotations.warnings.join()).toContain('GITHUB_RUN_ID is not set');
    expect(insecure.annotations.warnings.join()).toContain('GITHUB_API_URL is not an https address');
    for (const { annotations } of [tokenless, nowhere, insecure]) {
      expect(annotations.warnings).toHaveLength(1);
      expect(annotations.warnings.join()).not.toContain('actions: read');
    }
    expect(emulator.counts().creates).toBe(3);
    expect(github.count(/attempts/)).toBe(0);
  });
});

/** In real time, what is tried again and again takes seconds. */
const setUpTwiceAsFast = (api: Parameters<typeof setUpRun>[0] = {}): Promise<RunWorld> =>
  setUpRun(api, {}, 2);

describe.concurrent('a re-run that cannot read everything', () => {
  it.each<[string, Fault, RegExp, string]>([
    ['a server error', { kind: 'error', status: 502 }, /HTTP 502: Server Error/, 'Run this again later.'],
    ['no connection', { kind: 'dropped', by: 'reset' }, /\(.+\)/, 'Run this again later.'],
    ['a truncated answer', { kind: 'dropped', by: 'cut' }, /\(.+\)/, 'Run this again later.'],
    ...['null', '{}', '[]', '"x"', '{"total_count":1,"jobs":{}}', '<html>'].map(
      (body): [string, Fault, RegExp, string] => [
        `${body} instead of a list`,
        { kind: 'written', body },
        /\(the response is not as the API describes it\)/,
        'Run this again later.',
      ],
    ),
    [
      'a primary rate limit',
      { kind: 'primary-rate-limit', resetInSeconds: 600 },
      /HTTP 403: rate limit exceeded/,
      'Run this again later.',
    ],
    [
      'a primary rate limit with 429',
      { kind: 'primary-rate-limit', resetInSeconds: 600, status: 429 },
      /HTTP 429: rate limit exceeded/,
      'Run this again later.',
    ],
    [
      'a secondary rate limit',
      { kind: 'secondary-rate-limit', retryAfterSeconds: 60 },
      /HTTP 403: rate limit exceeded/,
      'Run this again later.',
    ],
    [
      'a secondary rate limit that only its message shows',
      { kind: 'error', status: 403, message: 'You have exceeded a secondary rate limit. Please wait.' },
      /HTTP 403: rate limit exceeded/,
      'Run this again later.',
    ],
    ['a rate limit without a sign', { kind: 'error', status: 429 }, /HTTP 429/, 'Run this again later.'],
    [
      'a token that is not valid',
      { kind: 'error', status: 401 },
      /HTTP 401: Bad credentials/,
      'Check `github-token`. Then run this again.',
    ],
  ])('starts nothing and says why: %s', async (_, fault, detail, remedy) => {
    const { finish, emulator, attempts, earlier } = await setUpTwiceAsFast(broken(fault));
    attempts.push([earlier()]);
    const second = await finish({}, attempt(2));
    expect(second.outputs).toMatchObject({
      outcome: 'not-started',
      'error-code': 'reuse-unknown',
      'job-id': '',
    });
    const error = second.annotations.errors.join();
    expect(error).toContain('No job was started, because it could be a second one.');
    expect(error).toMatch(detail);
    expect(error).toContain(remedy);
    expect(error).toContain('If you know that there is no other job, set `reuse` to `never`.');
    expect(error).not.toContain('actions: read');
    expect(emulator.requests).toEqual([]);
  });

  it('asks no more once a rate limit is exceeded that ends too late', async () => {
    const { finish, github, attempts } = await setUpTwiceAsFast(
      broken({ kind: 'primary-rate-limit', resetInSeconds: 600 }),
    );
    for (let number = 1; number <= 9; number += 1) attempts.push([{ id: number, name: 'docs' }]);
    await finish({}, attempt(10));
    expect(github.count()).toBe(1);
  });

  it.each<[string, Fault]>([
    ['retry-after', { kind: 'secondary-rate-limit', retryAfterSeconds: 2 }],
    ['retry-after with 429', { kind: 'secondary-rate-limit', retryAfterSeconds: 2, status: 429 }],
    ['x-ratelimit-reset', { kind: 'primary-rate-limit', resetInSeconds: 2 }],
  ])('waits for a rate limit that ends soon: %s', async (_, fault) => {
    const { finish, emulator, github, attempts, earlier } = await setUpTwiceAsFast();
    attempts.push([earlier()]);
    github.addFault({ path: /annotations/, fault, calls: [1, 2] });
    const second = await finish(started, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
    expect(github.count(/annotations/)).toBe(3);
  });

  it.each<[string, RegExp]>([
    ['the list of jobs', /attempts\/1\/jobs/],
    ['the annotations', /check-runs\/11\//],
    ['its own name', /actions\/jobs\/21$/],
  ])('tries again after transient faults: %s', async (_, path) => {
    const { finish, emulator, github, attempts, earlier } = await setUpTwiceAsFast();
    attempts.push([earlier()]);
    const { job, inputs } = runningJob(21, 'docs');
    attempts.push([job]);
    github.addFault({ path, fault: { kind: 'error', status: 502 }, calls: [1] });
    github.addFault({ path, fault: { kind: 'dropped', by: 'reset' }, calls: [2] });
    github.addFault({ path, fault: { kind: 'dropped', by: 'cut' }, calls: [3] });
    const second = await finish({ ...started, ...inputs }, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
    expect(github.count(path)).toBe(4);
  });

  it.each<[string, Fault]>([
    ['502', { kind: 'error', status: 502 }],
    ['404', { kind: 'error', status: 404 }],
    ['403', { kind: 'error', status: 403 }],
    ['no answer', { kind: 'dropped', by: 'silence' }],
    ['nonsense', { kind: 'written', body: '<html>' }],
  ])('finds a record beside neighbors that fail: %s', async (_, fault) => {
    const { finish, emulator, github, attempts, earlier } = await setUpTwiceAsFast();
    attempts.push([earlier()]);
    attempts.push([
      { id: 12, name: 'docs' },
      { id: 13, name: 'site' },
    ]);
    github.addFault({ path: /check-runs\/(?:12|13)\//, fault });
    const third = await finish(started, attempt(3));
    expect(third.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
  });

  it('finds a record in an older attempt if the newer list fails, and on a page behind one that fails', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpTwiceAsFast();
    attempts.push([...matrix(100, 'build', 220), earlier()], [{ id: 12, name: 'docs' }]);
    const { job, inputs } = runningJob(21, 'docs');
    attempts.push([job]);
    github.addFault({ path: /attempts\/2\/jobs/, fault: { kind: 'error', status: 500 } });
    github.addFault({ path: /attempts\/1\/jobs.*[?&]page=2/, fault: { kind: 'error', status: 500 } });
    const third = await finish({ ...started, ...inputs }, attempt(3));
    expect(third.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
  });

  it('starts nothing if the job it found failed and a newer attempt cannot be read', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpTwiceAsFast();
    attempts.push([earlier({}, { projectId: 'failing' })], [{ id: 12, name: 'docs' }]);
    emulator.setProject(failsAtOnce);
    github.addFault({ path: /check-runs\/12\//, fault: { kind: 'error', status: 502 } });
    const third = await finish({ 'project-id': 'failing' }, attempt(3));
    expect(third.outputs['error-code']).toBe('reuse-unknown');
    expect(emulator.counts('failing').creates).toBe(0);
  });

  it('searches all jobs if its own cannot be read', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpTwiceAsFast();
    attempts.push([...matrix(100, 'build', 7), earlier({ name: 'A name of its own' })]);
    github.addFault({ path: /actions\/jobs\/21$/, fault: { kind: 'error', status: 404 } });
    const second = await finish({ ...started, 'check-run-id': '21' }, attempt(2));
    const other = await finish({ ...started, 'check-run-id': '21', prompt: 'Another' }, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(other.summary).toContain('new job: no earlier job was recorded');
    expect(emulator.counts().creates).toBe(1);
  });
});

describe.concurrent('the end of a search', () => {
  it('comes at once when the step is canceled, and nothing is started', async () => {
    const { start, emulator, github } = await setUpRun(broken({ kind: 'slow', delayMs: 60_000 }));
    const action = start({}, attempt(2));
    await eventually(() => expect(github.requests.length).toBeGreaterThan(0));
    action.signal('SIGTERM');
    const result = await action.ended;
    expect(result.outputs).toMatchObject({ outcome: 'cancelled', 'job-id': '' });
    expect(emulator.requests).toEqual([]);
  });

  it('comes at once while it waits for a rate limit', async () => {
    const { start, emulator, github } = await setUpRun(
      broken({ kind: 'secondary-rate-limit', retryAfterSeconds: 15 }),
    );
    const action = start({}, { ...attempt(2), timeScale: 1 });
    await eventually(() => expect(github.requests.length).toBeGreaterThan(0));
    action.signal('SIGTERM');
    const result = await action.ended;
    expect(result.outputs['outcome']).toBe('cancelled');
    expect(result.durationMs).toBeLessThan(12_000);
    expect(emulator.requests).toEqual([]);
  });

  it('comes within half of the time that is left', async () => {
    const { finish, emulator } = await setUpRun(broken({ kind: 'dropped', by: 'silence' }));
    const result = await finish({ 'timeout-minutes': '0.2' }, { ...attempt(2), timeScale: 1 });
    expect(result.outputs['error-code']).toBe('reuse-unknown');
    expect(Number(result.outputs['elapsed-seconds'])).toBeLessThan(12);
    expect(emulator.requests).toEqual([]);
  });

  it('comes before the deadline if the recorded job does not answer', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier({}, { projectId: 'endless' })]);
    const result = await finish({ 'project-id': 'endless', 'timeout-minutes': '0.1' }, attempt(2));
    expect(result.outputs).toMatchObject({ outcome: 'timed-out', reused: 'true' });
    expect(emulator.counts('endless').creates).toBe(0);
  });
});
