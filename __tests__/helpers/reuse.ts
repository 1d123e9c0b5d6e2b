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

/** What tells jobs apart; without a part it is that of the tests. */
interface Identity {
  readonly projectId?: string;
  readonly prompt?: string;
  readonly tag?: string;
}

/** A repository with one run, whose attempts a test fills in. */
export async function setUpRun(api: Partial<GitHubApiOptions> = {}, timeScale = 1) {
  const attempts: WorkflowAttempt[] = [];
  const runs: Record<string, WorkflowRun> = { [RUN_ID]: { attempts } };
  const world = await setUp({ runs }, api, timeScale);
  return {
    ...world,
    /** The attempts of the run that the action is part of; a test fills them in while it goes on. */
    attempts,
    /** All runs by id. */
    runs,
    /** Makes a job at the service, and returns a workflow job that left the record of it, by default `docs` (id 11). */
    earlier(parts: Partial<WorkflowJob> = {}, identity: Identity = {}): WorkflowJob {
      const { id = 11, name = 'docs' } = parts;
      const { id: jobId } = world.emulator.addJob(identity.projectId ?? 'quick', `job_${id}`);
      const record = recordOf(jobId, { baseUrl: world.baseUrl, ...identity });
      return { id, name, annotations: [record], ...parts };
    },
  };
}

/** For the emulator: jobs of this project have failed as soon as they are made. */
export const failsAtOnce: Project = {
  id: 'failing',
  description: 'fails at once',
  stages: [{ atSeconds: 0, status: 'failed' }],
};

/** The variables of an attempt. */
export function attempt(number: number, env: Record<string, string> = {}): ActionOptions {
  return { env: { GITHUB_RUN_ATTEMPT: `${number}`, ...env } };
}

/** The variables of an attempt of a run for a tag. */
export function tagAttempt(number: number, tag: string, runId = RUN_ID): ActionOptions {
  return attempt(number, { ...tagPush(tag).env, GITHUB_RUN_ID: runId });
}

/** The workflow job that the action runs in, and the input by which it finds itself. */
export function runningJob(id: number, name: string): { job: WorkflowJob; inputs: Record<string, string> } {
  return { job: { id, name, state: 'running' }, inputs: { 'check-run-id': `${id}` } };
}

/** The records that a run left, as annotations. */
export function findRecords({ annotations }: ActionResult): string[] {
  return annotations.notices.filter((text) => text.includes('[docs-agent-job '));
}

interface RecordOptions extends Identity {
  readonly baseUrl: string;
  readonly level?: Annotation['level'];
}

/** The record that the action leaves (a test compares the two); without an id, of a start that stayed unknown. */
export function recordOf(jobId: string | undefined, options: RecordOptions): Annotation {
  const { baseUrl, level, projectId = 'quick', prompt = PROMPT, tag } = options;
  const marker: JobMarker = jobId === undefined ? 'unknown' : { jobId, runId: undefined, attempt: 1 };
  const identity = { baseUrl: new URL(baseUrl), projectId, prompt, tag };
  return {
    title: 'Docs agent: job record',
    message: `Started agent job. ${formatMarker(marker, getFingerprint(identity))}`,
    ...(level === undefined ? {} : { level }),
  };
}
