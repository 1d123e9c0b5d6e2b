import { describe, it, vi } from 'vitest';
import type { ActionOptions, ActionResult, RunningAction } from '../../harness/action.ts';
import {
  connectProxy,
  createSelfSigned,
  faults,
  jobRecord,
  reservePort,
  type Script,
  type ScriptedService,
  scriptedService,
} from '../helpers/servers.ts';
import { active, begin, jobId, opened, unchanged } from './scenario.ts';

/** What a person sees of a run: the log with its annotations, then the summary. Times, ports and folders vary. */
function show({ stdout, summary = '', exitCode, outputs }: ActionResult): string {
  const { outcome, 'error-code': code } = outputs;
  const text = [
    `exit code ${exitCode}, outcome ${outcome ?? '(none)'}, error-code ${code || '(none)'}`,
    ...['', '=== log', stdout.trimEnd()],
    ...['', '=== summary', summary.trimEnd(), ''],
  ].join('\n');
  return text
    .replaceAll('%0A', '%0A\n    ')
    .replace(/(?<=(?:127\.0\.0\.1|localhost):)\d+/g, 'PORT')
    .replace(/[A-Z]:\\[^\s']+/g, toPosixPath)
    .replace(/\/\S+\/action-\w+/g, '/FOLDER')
    .replace(/(?<=fingerprint )[0-9a-f]{32}/g, 'FINGERPRINT')
    .replace(/\b(?:\d+ (?:h|min|s)(?: |\b))+(?<! )/g, 'TIME')
    .replace(/^ +TIME {2}/gm, 'TIME  ');
}

/** A path of Windows as it would be elsewhere; in Markdown its separators are escaped. */
function toPosixPath(path: string): string {
  return path.slice(2).replaceAll(path.includes('\\\\') ? '\\\\' : '\\', '/');
}

interface Situation {
  script?: Script;
  inputs?: Record<string, string>;
  options?: ActionOptions;
  /** What follows the address of the service. */
  path?: string;
  /** The address, where it is not that of a plain service. */
  reach?: () => Promise<{ url: string; env?: Record<string, string> }>;
  /** What is done to the process while it runs. */
  disturb?: (action: RunningAction, service: ScriptedService) => Promise<void>;
}

const pollSlowly = { 'poll-interval-seconds': '300' };
const soon = { ...pollSlowly, 'timeout-minutes': '0.05' };
/** The last poll has less than two seconds, which may be short on a busy machine. */
const slowly = { timeScale: 0.5 };
const attach = { prompt: '', 'job-id': jobId };
const followUp = { 'job-id': jobId };
const refuse = (status: number, error: string, headers: Record<string, string> = {}): Script => ({
  create: [{ status, headers, body: { error } }],
});
/** Cancels once the log has this text. */
const cancelAt = (text: string) => async (action: RunningAction) => {
  await action.waitForLog(text);
  await action.signal('SIGINT');
};

async function interrupt(action: RunningAction, service: ScriptedService): Promise<void> {
  await vi.waitUntil(() => service.requests.length > 0, { interval: 10, timeout: 60_000 });
  await action.signal('SIGINT');
  await action.signal('SIGTERM');
}

// Other words for the same ending, such as those for a follow-up, are in the test of the messages.
const situations: Record<string, Situation> = {
  'pull-request-opened': { script: { get: [active, opened] } },
  'no-pull-request': { script: { get: [unchanged] } },
  'no-pull-request, a link that is left out': {
    script: { get: [{ body: jobRecord({ status: 'completed', prLink: 'http://127.0.0.1/x' }) }] },
  },
  archived: { script: { get: [{ body: jobRecord({ status: 'archived' }) }] } },
  started: { inputs: { wait: 'false' } },
  'started, one look': { inputs: { ...attach, wait: 'false' } },
  'dry-run': { inputs: { 'dry-run': 'true' } },
  failed: { script: { get: [{ body: jobRecord({ status: 'failed' }) }] } },
  'an unknown status on the way': { script: { get: [{ body: jobRecord({ status: 'reviewing' }) }, opened] } },
  'trouble on the way': {
    script: {
      get: [
        { status: 502, body: '<h1>Bad gateway</h1>' },
        { status: 429, headers: { 'retry-after': '5' }, body: { error: 'slow down' } },
        opened,
      ],
    },
  },
  'no summary file': { script: { get: [opened] }, options: { summaryFile: 'unset' } },

  'timed-out': { inputs: soon, options: slowly },
  'timed-out, and never read': {
    inputs: { ...soon, ...attach },
    script: { get: [{ status: 502, body: '' }] },
    options: slowly,
  },
  'canceled in the wait': { inputs: pollSlowly, disturb: cancelAt('waiting') },
  'canceled during the create': {
    script: { create: [{ fault: faults.silence }] },
    options: { timeScale: 1 },
    disturb: interrupt,
  },
  'canceled before the create': {
    script: refuse(429, 'busy', { 'retry-after': '600' }),
    disturb: cancelAt('HTTP 429'),
  },

  'not-started, invalid-input': {
    inputs: { prompt: '', 'api-key': 'short', 'timeout-minutes': 'soon', wait: 'maybe' },
  },
  'not-started, unwritable-output': { options: { outputFile: 'missing' } },
  'not-started, connect-failed': {
    options: { timeScale: 30 },
    reach: async () => ({ url: `http://127.0.0.1:${await reservePort()}` }),
  },
  'not-started, tls-failed': {
    reach: async () => {
      const service = await scriptedService({}, { tls: createSelfSigned(['localhost']) });
      return { url: service.url };
    },
  },
  'not-started, proxy-refused': {
    reach: async () => {
      const proxy = await connectProxy(407, 9);
      return { url: 'https://api.example.test', env: { HTTPS_PROXY: proxy.url } };
    },
  },
  'not-started, bad-request': { script: refuse(400, 'the prompt is too long\n') },
  'not-started, an address with the version': { script: refuse(404, 'no such page'), path: '/v2' },
  'not-started, unauthorized': { script: refuse(401, 'the key has expired') },
  'not-started, forbidden': { script: refuse(403, 'the key may not write') },
  'not-started, rate-limited': { script: refuse(429, 'too many', { 'retry-after': '1' }) },
  'not-started, rate-limited for longer than is left': {
    script: refuse(429, 'too many', { 'retry-after': '7200' }),
  },
  'not-started, redirected': {
    script: { create: [{ status: 308, headers: { location: 'https://elsewhere.test' }, body: '' }] },
  },
  'not-started, a follow-up that is refused': {
    inputs: followUp,
    script: { followUp: [{ status: 404, body: { error: 'no such job' } }] },
  },

  'start-unknown, no answer': { script: { create: [{ fault: faults.close }] } },
  'start-unknown, no job record': { script: { create: [{ body: '<h1>Sign in</h1>' }] } },
  'start-unknown, a follow-up': { inputs: followUp, script: { followUp: [{ fault: faults.close }] } },

  'lost, 401': { script: { get: [active, { status: 401, body: { error: 'the key has expired' } }] } },
  'lost, 404': { inputs: attach, script: { get: [{ status: 404, body: { error: 'no such job' } }] } },
  'lost, no job record': { script: { get: [{ body: '<h1>Sign in</h1>' }] } },
};

describe.concurrent('what a run tells', () => {
  it.for(Object.entries(situations))('%s', async ([, situation], { expect }) => {
    const { script, inputs = {}, options = {}, path = '', reach, disturb } = situation;
    const service = await scriptedService(script);
    const { url, env = {} } = (await reach?.()) ?? { url: service.url + path };
    const { action } = begin(url, { timeScale: 3, ...options, inputs, env });
    await disturb?.(action, service);
    const result = await action.ended;
    expect(result.stderr).toBe('');
    expect(show(result)).toMatchSnapshot();
  });
});
