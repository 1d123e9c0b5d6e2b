import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import {
  type ActionOptions,
  type ActionResult,
  type RunningAction,
  runAction,
} from '../harness/action.ts';
import { eventually } from '../helpers/eventually.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import {
  type Call,
  createAuthority,
  jobRecord,
  type Script,
  type ServiceOptions,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';

export const key = 'mint_4f9c2b7e6d1a8350';
export const projectId = 'docs-project';
export const jobId = 'job_0123456789abcdef';
export const link = 'https://github.com/acme/docs/pull/128';

/** Certificates of servers on this machine, and options that make the action trust them. */
export const authority = createAuthority();
export const local = authority.issue(['localhost', '127.0.0.1']);
export const trusting = { extraCertificates: authority.cert };

/** Returns options that cause trouble inside the process (fault-inside.cjs). */
export const failInside = (INSIDE: string, INSIDE_MESSAGE = ''): ActionOptions => ({
  preload: [fileURLToPath(new URL('./fault-inside.cjs', import.meta.url))],
  env: { INSIDE, INSIDE_MESSAGE },
});

/** Responses with an active job, and with one that opened a pull request. */
export const active: Step = {};
export const opened: Step = { body: jobRecord({ status: 'completed', prLink: link }) };

/** Options that make the log show every poll. */
export const debugging: ActionOptions = { env: { RUNNER_DEBUG: '1' } };

/** Returns a refusal that asks to wait for this many seconds. */
export function askToWait(seconds: number, status = 429): Step {
  return { status, headers: { 'retry-after': String(seconds) }, body: { error: 'not now' } };
}

/** Nothing was sent. */
export const none = { creates: 0, jobs: 0 };

/** The expected end of a run. */
export interface Ending {
  readonly outcome: string;
  readonly code: string;
  /** The create requests that the service received, and the jobs that it started. */
  readonly creates: number;
  readonly jobs: number;
}

export const success: Ending = { outcome: 'pull-request-opened', code: '', creates: 1, jobs: 1 };
export const withoutLink: Ending = { ...success, outcome: 'no-pull-request' };
export const startUnknown: Ending = { ...success, outcome: 'start-unknown', code: 'start-unknown' };
export const lost: Ending = { ...success, outcome: 'lost', code: 'job-lost' };
export const timedOut: Ending = { ...success, outcome: 'timed-out', code: 'timed-out' };
export const cancelled: Ending = { ...success, outcome: 'cancelled', code: 'cancelled' };

/** Returns the end of a run that started no job. The service may have received create requests. */
export function notStarted(code: string, creates = 0): Ending {
  return { outcome: 'not-started', code, creates, jobs: 0 };
}

/**
 * The default speed of time. The ten seconds that a connection may take are two seconds of real
 * time.
 */
const TIME_SCALE = 5;
/** Real time that a busy machine may take to start and to end a process. */
export const BUSY_MS = 15_000;
/** Real time after which a run has failed. Runs take a few seconds. */
const LIMIT_MS = 90_000;
/** Starts the bundle against a service with valid inputs, which the options may change. */
export function begin(url: string, options: ActionOptions = {}) {
  const inputs = {
    prompt: 'Describe what is new.',
    'project-id': projectId,
    'api-key': key,
    'base-url': url,
    'poll-interval-seconds': '1',
    'timeout-minutes': '30',
    // There is no API of GitHub here.
    reuse: 'never',
    ...options.inputs,
  };
  const { timeScale = TIME_SCALE, timeoutMs = LIMIT_MS } = options;
  const action = runAction({ ...options, timeScale, timeoutMs, inputs });
  const deadlineMs = (Number(inputs['timeout-minutes']) || 30) * 60_000;
  const withinMs = (deadlineMs + 2_000) / timeScale + BUSY_MS;
  return {
    action,
    /** Waits for the end, and checks it and the invariants. */
    async end(counts: typeof none, ending: Ending): Promise<ActionResult> {
      const result = await action.ended;
      const { creates, jobs } = counts;
      const { 'job-result': outcome, 'error-code': code } = result.outputs;
      expect({ outcome, code, creates, jobs }).toEqual(ending);
      expect(result.exitCode).toBe(code === '' ? 0 : 1);
      expectInvariants(result, { key: inputs['api-key'], creates, jobs, withinMs });
      expect(result.stderr).toBe('');
      const id = result.outputs['job-id'] ?? '';
      const isKnown = /^(?:failed|lost|no-pull|pull-request|timed-out)/.test(ending.outcome);
      expect(isKnown && id === '', 'no job id').toBe(false);
      if (options.summaryFile === undefined) {
        expect(result.summary).toContain(id);
      }
      return result;
    },
  };
}

/** Starts the bundle against a service with this script. */
export async function start(
  script: Script = {},
  options: ActionOptions = {},
  transport: ServiceOptions = {},
) {
  const service = await scriptedService(script, transport);
  const trusted = transport.tls === undefined ? options : { ...trusting, ...options };
  const { action, end } = begin(service.url, trusted);
  return {
    service,
    action,
    /** Resolves once the service has received a request of this call. */
    receives: (call: Call) => eventually(() => expect(service.seen(call)).not.toEqual([])),
    end: (ending: Ending) => end(service, ending),
  };
}

/**
 * Plays a whole run against a service with this script, and checks its end. Returns the calls in
 * order.
 */
export async function play(
  script: Script,
  ending: Ending,
  options: ActionOptions = {},
  transport: ServiceOptions = {},
) {
  const { service, end } = await start(script, options, transport);
  const result = await end(ending);
  return { service, calls: service.requests.map(({ call }) => call).join(' '), result };
}

/** Sends a signal. Returns the milliseconds of real time until the process has ended. */
export async function endBy(action: RunningAction, signal: NodeJS.Signals): Promise<number> {
  const startMs = performance.now();
  await action.signal(signal);
  await action.ended;
  return performance.now() - startMs;
}
