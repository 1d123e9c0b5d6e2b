import type { Project } from '../../emulator/behavior.ts';
import type { GitHubApiOptions } from '../../emulator/github/api.ts';
import type {
  Annotation,
  WorkflowAttempt,
  WorkflowJob,
  WorkflowRun,
} from '../../emulator/github/repository.ts';
import type { ActionOptions, ActionResult } from '../../harness/action.ts';
import { formatMarker, getFingerprint, type JobMarker } from '../../src/plan/job-marker.ts';
import { PROMPT, RUN_ID, setUp, tagPush } from './github.ts';

/** The identity of a job. Missing parts have the usual values of the tests. */
interface Identity {
  readonly projectId?: string;
  readonly prompt?: string;
  readonly tag?: string;
}

/** Sets up a repository with one run. The test adds its attempts. */
export async function setUpRun(api: Partial<GitHubApiOptions> = {}, timeScale = 1) {
  const attempts: WorkflowAttempt[] = [];
  const runs: Record<string, WorkflowRun> = { [RUN_ID]: { attempts } };
  const world = await setUp({ runs }, api, timeScale);
  return {
    ...world,
    /** The attempts of the current run. The test adds them. */
    attempts,
    /** All runs by id. */
    runs,
    /** Starts a job, and returns a workflow job with its record. Default: `docs` with the id 11. */
    earlier(parts: Partial<WorkflowJob> = {}, identity: Identity = {}): WorkflowJob {
      const { id = 11, name = 'docs' } = parts;
      const { id: jobId } = world.emulator.addJob(identity.projectId ?? 'quick', `job_${id}`);
      const record = recordOf(jobId, { baseUrl: world.baseUrl, ...identity });
      return { id, name, annotations: [record], ...parts };
    },
  };
}

/** A project of the emulator with jobs that fail at once. */
export const failsAtOnce: Project = {
  id: 'failing',
  description: 'fails at once',
  stages: [{ atSeconds: 0, status: 'failed' }],
};

/** Returns the variables of an attempt. */
export function attempt(number: number, env: Record<string, string> = {}): ActionOptions {
  return { env: { GITHUB_RUN_ATTEMPT: `${number}`, ...env } };
}

/** Returns the variables of an attempt of a run for a tag. */
export function tagAttempt(number: number, tag: string, runId = RUN_ID): ActionOptions {
  return attempt(number, { ...tagPush(tag).env, GITHUB_RUN_ID: runId });
}

/** Returns the current workflow job, and the input with its id. */
export function runningJob(id: number, name: string): { job: WorkflowJob; inputs: Record<string, string> } {
  return { job: { id, name, state: 'running' }, inputs: { 'check-run-id': `${id}` } };
}

/** Returns the records in the annotations of a run. */
export function findRecords({ annotations }: ActionResult): string[] {
  return annotations.notices.filter((text) => text.includes('[docs-agent-job '));
}

interface RecordOptions extends Identity {
  readonly baseUrl: string;
}

/** Returns the record of a job as the action leaves it. Without an id, it is the record of an unknown start. */
export function recordOf(jobId: string | undefined, options: RecordOptions): Annotation {
  const { baseUrl, projectId = 'quick', prompt = PROMPT, tag } = options;
  const marker: JobMarker = jobId === undefined ? 'unknown' : { jobId, runId: undefined, attempt: 1 };
  const identity = { baseUrl: new URL(baseUrl), projectId, prompt, tag };
  return {
    title: 'Docs agent: job record',
    message: `Started agent job. ${formatMarker(marker, getFingerprint(identity))}`,
  };
}
