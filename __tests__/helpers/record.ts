import { adminKey } from '../../emulator/keys.ts';
import type { GitHubApiOptions } from '../github/api.ts';
import type { CommitStatus } from '../github/repository.ts';
import type { ActionOptions, ActionResult } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { setUp, tagPush } from './github.ts';
import { expectInvariants } from './invariants.ts';
import { jobRecord } from './job-record.ts';
import { type Script, type Step, scriptedService } from './scripted-service.ts';

/**
 * Sets up GitHub, and a service whose first jobs are `job_1` and `job_2`. Returns ways to run the
 * action without a wait.
 */
export async function setUpRuns(script: Script = {}, api: Partial<GitHubApiOptions> = {}) {
  const service = await scriptedService({ create: [1, 2].map(acceptJob), ...script });
  const world = await setUp({}, api);
  const startRun = ({ inputs, ...options }: ActionOptions = {}) =>
    world.start({ 'base-url': service.url, wait: 'false', ...inputs }, options);
  return {
    ...world,
    service,
    startRun,
    /** Runs the action to its end, checks the invariants, and adds how it ended. */
    async run(options?: ActionOptions) {
      const { creates, jobs } = service;
      const result = await startRun(options).ended;
      const counts = { creates: service.creates - creates, jobs: service.jobs - jobs };
      expectInvariants(result, { key: adminKey, ...counts });
      return { ...result, end: getEnd(result) };
    },
    /** Returns the states on record, oldest first. */
    readStates: () => readFields(world.statuses[headSha]).map(({ state }) => state),
  };
}

/** Returns how a run ended, such as `started job_1 reused`. */
export function getEnd({ outputs }: ActionResult): string {
  const { 'job-result': jobResult, 'error-code': code, 'job-id': id, reused } = outputs;
  return [code || jobResult, id, reused === 'true' && 'reused'].filter(Boolean).join(' ');
}

/** Returns the response to a create request that starts the job with this number. */
export function acceptJob(number: number): Step {
  return { body: jobRecord({ id: `job_${number}` }) };
}

/** Returns the options of an attempt of a run. */
export function attempt(number: number, inputs?: Record<string, string>): ActionOptions {
  return { env: { GITHUB_RUN_ATTEMPT: `${number}` }, ...(inputs && { inputs }) };
}

/** Returns the options of a run for a pushed tag. */
export function tagRun(runId: string, inputs?: Record<string, string>, number = 1, sha = headSha) {
  const { env } = attempt(number);
  const run = { GITHUB_RUN_ID: runId, GITHUB_SHA: sha };
  return { env: { ...env, ...tagPush('v1.2.0').env, ...run }, ...(inputs && { inputs }) };
}

/** Returns the machine part of each status, oldest first. */
export function readFields(statuses: readonly CommitStatus[] = []): Record<string, string>[] {
  return statuses.map(({ target_url }) =>
    Object.fromEntries(new URLSearchParams(new URL(target_url ?? 'https://x').hash.slice(1))),
  );
}
