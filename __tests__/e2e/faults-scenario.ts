import { expect } from 'vitest';
import { type ActionOptions, type ActionResult, type RunningAction, runAction } from '../helpers/action.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { type FaultServer, jobRecord, type Step } from '../helpers/servers.ts';

export const key = 'mint_4f9c2b7e6d1a8350';
export const projectId = 'docs-project';
export const jobId = 'job_0123456789abcdef';
export const link = 'https://github.com/acme/docs/pull/128';

/** Responses to a poll: a final job, with and without a pull request. */
export const opened: Step = { body: jobRecord({ status: 'completed', prLink: link }) };
export const unchanged: Step = { body: jobRecord({ status: 'completed' }) };

/** What the service counted: the creates that it received, and the jobs that it started. */
export interface Counts {
  readonly creates: number;
  readonly jobs: number;
}

/** How a run has to end. */
export interface Ending extends Counts {
  readonly outcome: string;
  readonly code: string;
}

export const success: Ending = { outcome: 'pull-request-opened', code: '', creates: 1, jobs: 1 };
export const startUnknown: Ending = {
  outcome: 'start-unknown',
  code: 'start-unknown',
  creates: 1,
  jobs: 1,
};
export const lost: Ending = { outcome: 'lost', code: 'job-lost', creates: 1, jobs: 1 };
export const cancelled: Ending = { outcome: 'cancelled', code: 'cancelled', creates: 1, jobs: 1 };

/** No job was started, though the service may have received creates. */
export function notStarted(code: string, creates = 0): Ending {
  return { outcome: 'not-started', code, creates, jobs: 0 };
}

/** The counts of a bare server: each create may have started a job. */
export function countCreates(server: FaultServer): Counts {
  const creates = server.requests.filter((bytes) =>
    /^POST \S+\/job HTTP/.test(bytes.toString('latin1')),
  ).length;
  return { creates, jobs: creates };
}

export interface Scenario {
  readonly action: RunningAction;
  /** Waits for the end, and checks it and what holds after every run. */
  end(counts: Counts, ending: Ending): Promise<ActionResult>;
}

/** How many times faster time runs, so that the ten seconds that a connection may take are two real ones. */
export const TIME_SCALE = 5;
/** What a busy machine may take to start and to end a process, in real time. */
export const BUSY_MS = 25_000;
/** The outcomes of runs that know the job. */
const withJob = [
  'archived',
  'failed',
  'lost',
  'no-pull-request',
  'pull-request-opened',
  'started',
  'timed-out',
];

/** Starts the bundle against a service, with inputs that are right unless the options say otherwise. */
export function begin(url: string, options: ActionOptions = {}): Scenario {
  const inputs = {
    prompt: 'Describe what is new.',
    'project-id': projectId,
    'api-key': key,
    'base-url': url,
    'poll-interval-seconds': '1',
    'timeout-minutes': '30',
    ...options.inputs,
  };
  const { timeScale = TIME_SCALE } = options;
  const action = runAction({ ...options, timeScale, inputs });
  const deadlineMs = (Number(inputs['timeout-minutes']) || 30) * 60_000;
  const withinMs = (deadlineMs + 2_000) / timeScale + BUSY_MS;
  return {
    action,
    async end(counts, ending) {
      const result = await action.ended;
      expect({ ...pickOutcome(result), creates: counts.creates, jobs: counts.jobs }).toEqual({
        ...ending,
        exitCode: ending.code === '' ? 0 : 1,
      });
      expectInvariants(result, {
        key: inputs['api-key'],
        creates: counts.creates,
        jobs: counts.jobs,
        withinMs,
      });
      expect(result.stderr).toBe('');
      if (withJob.includes(ending.outcome)) {
        const id = result.outputs['job-id'] ?? '';
        expect(id).not.toBe('');
        if (options.summaryFile === undefined) expect(result.summary).toContain(id);
      }
      return result;
    },
  };
}

function pickOutcome({ outputs, exitCode }: ActionResult): Record<string, unknown> {
  return { outcome: outputs['outcome'], code: outputs['error-code'], exitCode };
}
