import type { GitHubApiOptions } from '../github/api.ts';
import type { CommitStatus } from '../github/repository.ts';
import type { ActionOptions } from '../harness/action.ts';
import { setUp, tagPush } from './github.ts';
import { jobRecord } from './job-record.ts';
import { type Script, type Step, scriptedService } from './scripted-service.ts';

/**
 * Sets up GitHub, and a service whose first jobs are `job_1` and `job_2`. Returns a way to start
 * runs that don't wait.
 */
export async function setUpRuns(script: Script = {}, api: Partial<GitHubApiOptions> = {}) {
  const service = await scriptedService({ create: [acceptJob(1), acceptJob(2)], ...script });
  const world = await setUp({}, api);
  const startRun = (options: ActionOptions = {}, inputs: Record<string, string> = {}) =>
    world.start({ 'base-url': service.url, wait: 'false', ...inputs }, options);
  return { ...world, service, startRun };
}

/** Returns the response to a create request that starts the job with this number. */
export function acceptJob(number: number): Step {
  return { body: jobRecord({ id: `job_${number}` }) };
}

/** Returns the variables of an attempt of a run. */
export function attempt(number: number, env: Record<string, string> = {}): ActionOptions {
  return { env: { GITHUB_RUN_ATTEMPT: `${number}`, ...env } };
}

/** Returns the variables of a run for a pushed tag. */
export function tagRun(runId: string, tag: string, sha: string, number = 1): ActionOptions {
  return attempt(number, { ...tagPush(tag).env, GITHUB_RUN_ID: runId, GITHUB_SHA: sha });
}

/** Returns the machine part of each status, oldest first. */
export function readFields(statuses: readonly CommitStatus[] = []): Record<string, string>[] {
  return statuses.map(({ target_url }) =>
    Object.fromEntries(new URLSearchParams(new URL(target_url ?? 'https://x').hash.slice(1))),
  );
}
