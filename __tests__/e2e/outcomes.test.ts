import { describe, expect, it } from 'vitest';
import { adminKey } from '../../emulator/keys.ts';
import { createEmulator } from '../../emulator/server.ts';
import { type ActionResult, runAction } from '../helpers/action.ts';
import { closeAtEnd } from '../helpers/at-end.ts';
import { showRequestsOnFailure } from '../helpers/github.ts';
import { expectInvariants } from '../helpers/invariants.ts';

const PROMPT = 'Describe what is new in v1.2.0';
const TIME_SCALE = 10;
const JOB_SPEED = 4;

/** An emulator of its own for each test, and the action run against it. */
async function setUp() {
  const emulator = createEmulator({ speed: JOB_SPEED });
  closeAtEnd(() => emulator.close());
  const baseUrl = await emulator.listen();
  showRequestsOnFailure(emulator);
  /** Plays a run to its end, and checks what holds after every run. */
  async function finish(
    projectId: string,
    inputs: Record<string, string> = {},
    timeScale = TIME_SCALE,
  ): Promise<ActionResult> {
    const usual = { prompt: PROMPT, 'project-id': projectId, 'poll-interval-seconds': '2' };
    const service = { 'api-key': adminKey, 'base-url': baseUrl };
    const result = await runAction({ timeScale, inputs: { ...usual, ...service, ...inputs } }).ended;
    const { creates, jobs } = emulator.counts();
    expectInvariants(result, { key: adminKey, creates, jobs });
    return result;
  }
  return { emulator, finish };
}

interface Ending {
  readonly project: string;
  readonly inputs?: Record<string, string>;
  readonly outputs: Record<string, string>;
  readonly annotation: ['errors' | 'warnings' | 'notices', RegExp];
}

const pullRequest = 'https://github.com/acme/docs/pull/128';

const endings: Ending[] = [
  {
    project: 'quick',
    outputs: {
      status: 'completed',
      outcome: 'pull-request-opened',
      'pr-link': pullRequest,
      'pr-number': '128',
      'source-repository': 'https://github.com/acme/docs',
      'source-ref': 'main',
    },
    annotation: ['notices', /https:\/\/github\.com\/acme\/docs\/pull\/128/],
  },
  {
    project: 'gitlab',
    outputs: {
      outcome: 'pull-request-opened',
      'pr-link': 'https://gitlab.com/acme/handbook/docs/-/merge_requests/42',
      'pr-number': '42',
    },
    annotation: ['notices', /merge_requests\/42/],
  },
  {
    project: 'no-change',
    outputs: { status: 'completed', outcome: 'no-pull-request', 'pr-link': '', 'pr-number': '' },
    annotation: ['notices', /without a pull request/],
  },
  {
    project: 'publishes-directly',
    outputs: { status: 'completed', outcome: 'no-pull-request' },
    annotation: ['notices', /publishes without pull requests/],
  },
  {
    project: 'archived',
    outputs: { status: 'archived', outcome: 'archived', 'archived-at': expect.stringMatching(/^\d{4}-/) },
    annotation: ['warnings', /was archived/],
  },
  {
    project: 'failing',
    outputs: { status: 'failed', outcome: 'failed', 'error-code': 'job-failed', 'pr-link': '' },
    annotation: ['errors', /failed\. The service does not say why/],
  },
  {
    project: 'failed-with-link',
    outputs: { status: 'failed', outcome: 'failed', 'pr-link': pullRequest, 'pr-number': '128' },
    annotation: ['errors', /left the pull request https/],
  },
  {
    project: 'endless',
    inputs: { 'timeout-minutes': '0.5' },
    outputs: { status: 'active', outcome: 'timed-out', 'error-code': 'timed-out' },
    annotation: ['errors', /is still `active` after \d+ s\. It may still open a pull request/],
  },
  {
    project: 'slow',
    inputs: { wait: 'false' },
    outputs: { status: 'active', outcome: 'started' },
    annotation: ['notices', /continues in the background/],
  },
  {
    project: 'unreadable',
    outputs: { status: '', outcome: 'start-unknown', 'error-code': 'start-unknown', 'job-id': '' },
    annotation: ['errors', /A job may have been started/],
  },
  {
    project: 'lost',
    inputs: { 'timeout-minutes': '5' },
    outputs: { status: 'active', outcome: 'lost', 'error-code': 'job-lost' },
    annotation: ['errors', /can't be read anymore \(HTTP 404/],
  },
  {
    project: 'unknown-project',
    outputs: { outcome: 'not-started', 'error-code': 'not-found', 'job-id': '' },
    annotation: ['errors', /does not know this project/],
  },
  {
    project: 'new-status',
    outputs: { status: 'completed', outcome: 'pull-request-opened' },
    annotation: ['warnings', /does not know/],
  },
  {
    project: 'flaky',
    outputs: { status: 'completed', outcome: 'pull-request-opened' },
    annotation: ['notices', /pull\/128/],
  },
  {
    project: 'hostile',
    outputs: { status: 'completed', outcome: 'no-pull-request', 'pr-link': '', model: '', 'source-ref': '' },
    annotation: ['warnings', /left out/],
  },
];

describe.concurrent('a job that is started', () => {
  it.each(endings)(
    'ends as the contract says: $project',
    async ({ project, inputs, outputs, annotation }) => {
      const { emulator, finish } = await setUp();
      const result = await finish(project, inputs);
      expect(result.outputs).toMatchObject(outputs);
      const [level, text] = annotation;
      expect(result.annotations[level].some((message) => text.test(message))).toBe(true);
      expect(result.stderr).toBe('');
      const [create, ...polls] = emulator.requests.map(({ method, path, body }) => ({ method, path, body }));
      const body = JSON.stringify({ prompt: PROMPT });
      const isPolled = inputs?.['wait'] !== 'false' && result.outputs['job-id'] !== '';
      expect(create).toEqual({ method: 'POST', path: `/v2/agent/${project}/job`, body });
      expect(new Set(polls.map(({ method }) => method))).toEqual(new Set(isPolled ? ['GET'] : []));
    },
  );
});

describe.concurrent('a job that exists', () => {
  it('is waited for, without a create', async () => {
    const { emulator, finish } = await setUp();
    const job = emulator.addJob('quick');
    const result = await finish('quick', { prompt: '', 'job-id': job.id });
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ outcome: 'pull-request-opened', 'job-id': job.id });
    expect(job.prompts).toEqual([]);
  });

  it('is read once with wait: false', async () => {
    const { emulator, finish } = await setUp();
    const job = emulator.addJob('endless');
    const result = await finish('endless', { prompt: '', 'job-id': job.id, wait: 'false' });
    expect(result.outputs).toMatchObject({ outcome: 'started', status: 'active', 'job-id': job.id });
    expect(result.annotations.notices[0]).toContain('is still `active`');
  });

  it('is sent a follow-up, whose result is waited for', async () => {
    const { emulator, finish } = await setUp();
    const job = emulator.addJob('quick');
    const result = await finish('quick', { 'job-id': job.id });
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ outcome: 'pull-request-opened', 'job-id': job.id });
    expect(job.prompts).toEqual([PROMPT]);
  });
});

describe.concurrent('a run', () => {
  it('sends nothing on a dry run, which shows the prompt', async () => {
    const { emulator, finish } = await setUp();
    const result = await finish('dry', { 'dry-run': 'true' });
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ outcome: 'dry-run', 'error-code': '', 'job-id': '' });
    expect(result.stdout).toContain(PROMPT);
    expect(emulator.requests).toEqual([]);
  });

  it('shows a heartbeat about once a minute, and no line for a poll', async () => {
    const { finish } = await setUp();
    const inputs = { 'timeout-minutes': '4', 'poll-interval-seconds': '5' };
    const { stdout } = await finish('endless', inputs, 40);
    const beats = stdout.split('\n').filter((line) => / {2}still active, .* left$/.test(line));
    expect(beats.length).toBeGreaterThanOrEqual(2);
    expect(beats.length).toBeLessThanOrEqual(4);
    expect(stdout.split('\n').length).toBeLessThan(20);
  });
});
