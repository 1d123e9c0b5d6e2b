import { describe, expect, it } from 'vitest';
import type { Fault } from '../../emulator/github/faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, matrix } from '../helpers/github.ts';
import { attempt, runningJob, setUpRun } from '../helpers/reuse.ts';

const started = { wait: 'false' };

describe.concurrent('a re-run that may not read records', () => {
  it('starts a new job, with one warning that names the permissions', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun({ permissions: ['actions'] });
    attempts.push([earlier()]);
    const second = await finish({}, attempt(2));
    expect(second.exitCode).toBe(0);
    expect(emulator.counts().creates).toBe(1);
    expect(second.annotations.warnings).toEqual([
      expect.stringMatching(
        /^An earlier attempt may have started an agent job, but its record can't be read \(HTTP 403: Resource not accessible by integration\)\. That needs the permissions `actions: read` and `checks: read`\.\nIf there are two jobs, both cost credits/,
      ),
    ]);
    expect(second.summary).toMatch(/^## ⚠️ Rehearsal: .* \(perhaps a second job\)\n/);
    expect(second.summary).toMatch(/\| Reuse \| new job: jobs of earlier attempts can't be read \(HTTP/);
  });

  it('starts a new job without a token, and names no permission', async () => {
    const { finish, emulator, github } = await setUpRun();
    const { annotations } = await finish({ ...started, 'github-token': '' }, attempt(2));
    expect(annotations.warnings).toEqual([expect.stringContaining("'github-token' is empty")]);
    expect(annotations.warnings[0]).not.toContain('actions: read');
    expect(emulator.counts().creates).toBe(1);
    expect(github.requests).toEqual([]);
  });
});

// Twice as fast, because what is tried again and again takes seconds.
describe.concurrent('a re-run that cannot read everything', () => {
  const later = 'Run this again later.';
  it.each<[string, Fault, string, string]>([
    ['a truncated answer', { kind: 'dropped', by: 'cut' }, '(', later],
    ['the page of a firewall', { kind: 'written', status: 403, body: '<html>' }, '(HTTP 403)', later],
    [
      'a list that is cut',
      { kind: 'written', body: '{"total_count":1,"jobs":[]}' },
      '(GitHub lists 0 of 1 items)',
      later,
    ],
    [
      'abuse',
      { kind: 'error', status: 403, message: 'You have triggered an abuse detection mechanism.' },
      'rate limit',
      later,
    ],
    [
      'a secondary rate limit that only its message shows',
      { kind: 'error', status: 403, message: 'You have exceeded a secondary rate limit. Please wait.' },
      '(HTTP 403: rate limit exceeded)',
      later,
    ],
    [
      'a token that is not valid',
      { kind: 'error', status: 401 },
      '(HTTP 401: Bad credentials)',
      'Check `github-token`. Then run this again.',
    ],
  ])('starts nothing and says why: %s', async (_, fault, detail, remedy) => {
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

  it('asks no more once a rate limit is exceeded that ends too late', async () => {
    const { finish, emulator, github, attempts } = await setUpRun(
      broken({ kind: 'primary-rate-limit', resetInSeconds: 600, status: 429 }),
      2,
    );
    for (let number = 1; number <= 9; number += 1) attempts.push([{ id: number, name: 'docs' }]);
    const { outputs, annotations } = await finish({}, attempt(10));
    expect(outputs['error-code']).toBe('reuse-unknown');
    expect(annotations.errors[0]).toContain('(HTTP 429: rate limit exceeded)');
    expect(emulator.requests).toEqual([]);
    expect(github.count()).toBe(1);
  });

  it('waits for each kind of rate limit that ends soon', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun({}, 2);
    attempts.push([earlier()]);
    const faults: Fault[] = [
      { kind: 'secondary-rate-limit', retryAfterSeconds: 2 },
      { kind: 'secondary-rate-limit', retryAfterSeconds: 1, status: 429 },
      { kind: 'primary-rate-limit', resetInSeconds: 2 },
    ];
    for (const [index, fault] of faults.entries()) {
      github.addFault({ path: /annotations/, fault, calls: [index + 1] });
    }
    const second = await finish(started, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
    expect(github.count(/annotations/)).toBe(4);
  });

  it('tries each read again after transient faults', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun({}, 2);
    const { job, inputs } = runningJob(21, 'docs');
    attempts.push([earlier()], [job]);
    const error: Fault = { kind: 'error', status: 502 };
    const lost: Fault = { kind: 'dropped', by: 'reset' };
    const half: Fault = { kind: 'dropped', by: 'cut' };
    const reads: [path: RegExp, first: Fault, second: Fault][] = [
      [/actions\/jobs\/21$/, error, lost],
      [/attempts\/1\/jobs/, lost, half],
      [/check-runs\/11\//, half, error],
    ];
    for (const [path, first, second] of reads) {
      github.addFault({ path, fault: first, calls: [1] });
      github.addFault({ path, fault: second, calls: [2] });
    }
    const second = await finish({ ...started, ...inputs }, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
    expect(reads.map(([path]) => github.count(path))).toEqual([3, 3, 3]);
  });

  it('finds a record beside neighbors that fail in any way', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun({}, 2);
    const faults: Fault[] = [
      { kind: 'error', status: 502 },
      { kind: 'error', status: 404 },
      { kind: 'error', status: 403 },
      { kind: 'dropped', by: 'silence' },
      { kind: 'written', body: '<html>' },
    ];
    attempts.push([earlier()], matrix(100, 'docs', faults.length));
    for (const [index, fault] of faults.entries()) {
      github.addFault({ path: RegExp(`check-runs/${100 + index}/`), fault });
    }
    const third = await finish(started, attempt(3));
    expect(third.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
  });
});

describe.concurrent('a search that is not complete', () => {
  it('starts nothing if an attempt is missing though others are there', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier()], [{ id: 12, name: 'docs', state: 'killed' }]);
    github.addFault({ path: /attempts\/1\/jobs/, fault: { kind: 'error', status: 404 } });
    const { outputs, annotations } = await finish({}, attempt(3));
    expect(outputs['error-code']).toBe('reuse-unknown');
    expect(annotations.errors.join()).not.toContain('actions: read');
    expect(emulator.requests).toEqual([]);
  });

  // The runner masks annotations, too, so any secret may stand in a record.
  it.each(['docs', '1', 'e'])('starts nothing if the record is masked: %s', async (secret) => {
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
});

describe.concurrent('the end of a search', () => {
  it.each<[string, Fault]>([
    ['an answer', { kind: 'slow', delayMs: 60_000 }],
    ['a rate limit', { kind: 'secondary-rate-limit', retryAfterSeconds: 15 }],
  ])('comes at once when the step is canceled while it waits for %s', async (_, fault) => {
    // Slowly, since a rate limit is waited for only while there is time left for the search.
    const { start, emulator, github } = await setUpRun(broken(fault), 0.2);
    const action = start({}, attempt(2));
    await eventually(() => expect(github.requests.length).toBeGreaterThan(0));
    action.signal('SIGTERM');
    const { outputs, durationMs } = await action.ended;
    expect(outputs).toMatchObject({ outcome: 'cancelled', 'job-id': '' });
    expect(durationMs).toBeLessThan(40_000);
    expect(emulator.requests).toEqual([]);
  });

  it('comes within half of the time that is left', async () => {
    const { finish, emulator } = await setUpRun(broken({ kind: 'dropped', by: 'silence' }));
    const result = await finish({ 'timeout-minutes': '0.2' }, attempt(2));
    expect(result.outputs['error-code']).toBe('reuse-unknown');
    expect(Number(result.outputs['elapsed-seconds'])).toBeLessThan(12);
    expect(emulator.requests).toEqual([]);
  });
});
