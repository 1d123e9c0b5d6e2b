import { describe, expect, it } from 'vitest';
import { adminKey } from '../../emulator/keys.ts';
import { createEmulator } from '../../emulator/server.ts';
import { type ActionOptions, type ActionResult, runAction } from '../helpers/action.ts';
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
  const start = (projectId: string, inputs: Record<string, string> = {}, options: ActionOptions = {}) =>
    runAction({
      timeScale: TIME_SCALE,
      ...options,
      inputs: {
        prompt: PROMPT,
        'project-id': projectId,
        'api-key': adminKey,
        'base-url': baseUrl,
        'poll-interval-seconds': '2',
        ...inputs,
      },
    });
  const finish = async (...parameters: Parameters<typeof start>): Promise<ActionResult> => {
    const result = await start(...parameters).ended;
    const { creates, jobs } = emulator.counts();
    expectInvariants(result, { key: adminKey, creates, jobs });
    return result;
  };
  return { emulator, start, finish };
}

interface Ending {
  readonly project: string;
  readonly inputs?: Record<string, string>;
  readonly outputs: Record<string, string>;
  readonly exitCode: 0 | 1;
  readonly annotation: ['errors' | 'warnings' | 'notices', RegExp] | undefined;
  readonly heading: string;
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
    exitCode: 0,
    annotation: ['notices', /https:\/\/github\.com\/acme\/docs\/pull\/128/],
    heading: '✅ Documentation pull request opened',
  },
  {
    project: 'gitlab',
    outputs: {
      outcome: 'pull-request-opened',
      'pr-link': 'https://gitlab.com/acme/handbook/docs/-/merge_requests/42',
      'pr-number': '42',
    },
    exitCode: 0,
    annotation: ['notices', /merge_requests\/42/],
    heading: '✅ Documentation pull request opened',
  },
  {
    project: 'no-change',
    outputs: { status: 'completed', outcome: 'no-pull-request', 'pr-link': '', 'pr-number': '' },
    exitCode: 0,
    annotation: ['notices', /without a pull request/],
    heading: '✅ No documentation pull request',
  },
  {
    project: 'publishes-directly',
    outputs: { status: 'completed', outcome: 'no-pull-request' },
    exitCode: 0,
    annotation: ['notices', /publishes without pull requests/],
    heading: '✅ No documentation pull request',
  },
  {
    project: 'archived',
    outputs: { status: 'archived', outcome: 'archived', 'archived-at': expect.stringMatching(/^\d{4}-/) },
    exitCode: 0,
    annotation: ['warnings', /was archived/],
    heading: '⚠️ Documentation job archived',
  },
  {
    project: 'failing',
    outputs: { status: 'failed', outcome: 'failed', 'error-code': 'job-failed', 'pr-link': '' },
    exitCode: 1,
    annotation: ['errors', /failed\. The service does not say why/],
    heading: '❌ Documentation job failed',
  },
  {
    project: 'failed-with-link',
    outputs: { outcome: 'failed', 'error-code': 'job-failed', 'pr-link': pullRequest, 'pr-number': '128' },
    exitCode: 1,
    annotation: ['errors', /left the pull request https/],
    heading: '❌ Documentation job failed',
  },
  {
    project: 'endless',
    inputs: { 'timeout-minutes': '0.5' },
    outputs: { status: 'active', outcome: 'timed-out', 'error-code': 'timed-out' },
    exitCode: 1,
    annotation: ['errors', /is still `active` after \d+ s\. It may still open a pull request/],
    heading: '⏱️ Timed out waiting for the documentation job',
  },
  {
    project: 'slow',
    inputs: { wait: 'false' },
    outputs: { status: 'active', outcome: 'started' },
    exitCode: 0,
    annotation: ['notices', /continues in the background/],
    heading: '🚀 Documentation job started',
  },
  {
    project: 'unreadable',
    outputs: { status: '', outcome: 'start-unknown', 'error-code': 'start-unknown', 'job-id': '' },
    exitCode: 1,
    annotation: ['errors', /A job may have been started/],
    heading: "❓ Couldn't confirm that a documentation job started",
  },
  {
    project: 'lost',
    inputs: { 'timeout-minutes': '5' },
    outputs: { status: 'active', outcome: 'lost', 'error-code': 'job-lost' },
    exitCode: 1,
    annotation: ['errors', /can't be read anymore \(HTTP 404/],
    heading: '❓ Lost track of the documentation job',
  },
  {
    project: 'unknown-project',
    outputs: { outcome: 'not-started', 'error-code': 'not-found', 'job-id': '' },
    exitCode: 1,
    annotation: ['errors', /does not know this project/],
    heading: '❌ Documentation job not started',
  },
  {
    project: 'new-status',
    outputs: { status: 'completed', outcome: 'pull-request-opened' },
    exitCode: 0,
    annotation: ['warnings', /does not know/],
    heading: '✅ Documentation pull request opened',
  },
  {
    project: 'flaky',
    outputs: { status: 'completed', outcome: 'pull-request-opened' },
    exitCode: 0,
    annotation: ['notices', /pull\/128/],
    heading: '✅ Documentation pull request opened',
  },
  {
    project: 'hostile',
    outputs: { status: 'completed', outcome: 'no-pull-request', 'pr-link': '', model: '', 'source-ref': '' },
    exitCode: 0,
    annotation: ['warnings', /left out/],
    heading: '⚠️ Documentation job returned an unusable link',
  },
];

describe.concurrent('a job that is started', () => {
  it.each(endings)(
    'ends as the contract says: $project',
    async ({ project, inputs, outputs, exitCode, annotation, heading }) => {
      const { emulator, finish } = await setUp();
      const result = await finish(project, inputs);
      expect(result.outputs).toMatchObject(outputs);
      expect(result.exitCode).toBe(exitCode);
      if (annotation !== undefined) {
        const [level, text] = annotation;
        expect(result.annotations[level].some((message) => text.test(message))).toBe(true);
      }
      expect(result.summary).toMatch(`## ${heading}\n`);
      expect(result.stderr).toBe('');
      const sent = emulator.requests.filter(({ method }) => method === 'POST');
      expect(sent.map(({ path, body }) => [path, body])).toEqual([
        [`/v2/agent/${project}/job`, JSON.stringify({ prompt: PROMPT })],
      ]);
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

  it('is lost when the service does not know it', async () => {
    const { finish } = await setUp();
    const result = await finish('quick', { prompt: '', 'job-id': 'job_unknown' });
    expect(result.exitCode).toBe(1);
    expect(result.outputs).toMatchObject({
      outcome: 'lost',
      'error-code': 'job-lost',
      'job-id': 'job_unknown',
    });
  });

  it('keeps its id when a follow-up is refused', async () => {
    const { finish } = await setUp();
    const result = await finish('quick', { 'job-id': 'job_unknown' });
    expect(result.outputs).toMatchObject({
      outcome: 'not-started',
      'error-code': 'not-found',
      'job-id': 'job_unknown',
    });
    expect(result.annotations.errors[0]).toContain('The follow-up was not delivered');
  });
});

describe.concurrent('nothing is sent', () => {
  it('on a dry run, which shows the prompt', async () => {
    const { emulator, finish } = await setUp();
    const result = await finish('dry', { 'dry-run': 'true' });
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ outcome: 'dry-run', 'error-code': '', 'job-id': '' });
    expect(result.stdout).toContain(PROMPT);
    expect(emulator.requests).toEqual([]);
  });

  it('with invalid inputs, all of which are named', async () => {
    const { emulator, finish } = await setUp();
    const inputs = { prompt: ' ', 'timeout-minutes': 'soon', wait: 'maybe' };
    const result = await finish('bad', inputs);
    expect(result.outputs).toMatchObject({ outcome: 'not-started', 'error-code': 'invalid-input' });
    for (const name of Object.keys(inputs)) {
      expect(result.annotations.errors[0]).toContain(`\n\`${name}\` `);
      expect(result.summary).toContain(`- \`${name}\` `);
    }
    expect(emulator.requests).toEqual([]);
  });

  it('without a place for the outputs', async () => {
    const { emulator, finish } = await setUp();
    const result = await finish('unset', {}, { outputFile: 'unset' });
    expect(result.exitCode).toBe(1);
    expect(result.annotations.errors[0]).toContain('GITHUB_OUTPUT is not set');
    expect(emulator.requests).toEqual([]);
  });
});

describe.concurrent('on the way', () => {
  it('writes the job id and an interim summary before the first poll', async () => {
    const { start } = await setUp();
    const action = start('endless', { 'poll-interval-seconds': '300' });
    await action.waitForOutput('job-id');
    const id = action.outputs['job-id'];
    await expect.poll(() => action.summary).toContain(`job-id: "${id}"`);
    expect(id).toMatch(/^[\w-]{8,}$/);
    expect(action.summary).toContain('## ⏳ Waiting for the documentation job');
    await action.signal('SIGTERM');
    const result = await action.ended;
    expect(result.outputs).toMatchObject({ outcome: 'cancelled', 'error-code': 'cancelled', 'job-id': id });
    expect(result.summary).toContain('## 🛑 Canceled');
    expect(result.exitCode).toBe(1);
  });

  it('shows a heartbeat about once a minute, and no line for a poll', async () => {
    const { finish } = await setUp();
    const result = await finish(
      'endless',
      { 'timeout-minutes': '4', 'poll-interval-seconds': '5' },
      {
        timeScale: 40,
      },
    );
    const beats = result.stdout.split('\n').filter((line) => / {2}still active, .* left$/.test(line));
    expect(beats.length).toBeGreaterThanOrEqual(2);
    expect(beats.length).toBeLessThanOrEqual(4);
    expect(result.stdout.split('\n').length).toBeLessThan(20);
  });
});
