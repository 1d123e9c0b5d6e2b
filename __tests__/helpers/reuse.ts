import type { GitHubApiOptions } from '../../emulator/github-api.ts';
import type {
  Annotation,
  WorkflowAttempt,
  WorkflowJob,
  WorkflowRun,
} from '../../emulator/github-repository.ts';
import { formatMarker, getFingerprint, type JobMarker } from '../../src/github/job-annotation.ts';
import type { ActionOptions, ActionResult } from './action.ts';
import { PROMPT, RUN_ID, setUp, tagPush, type World } from './github.ts';

export interface RunWorld extends World {
  /** The attempts of the run that the action is part of; a test fills them in while it goes on. */
  readonly attempts: WorkflowAttempt[];
  /** All runs by id. */
  readonly runs: Record<string, WorkflowRun>;
}

/** A repository with one run, whose attempts a test fills in. */
export async function setUpRun(
  api: Partial<GitHubApiOptions> = {},
  run: Partial<WorkflowRun> = {},
): Promise<RunWorld> {
  const attempts: WorkflowAttempt[] = [];
  const runs: Record<string, WorkflowRun> = { [RUN_ID]: { ...run, attempts } };
  return { ...(await setUp({ runs }, api)), attempts, runs };
}

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

export interface RecordOptions {
  readonly baseUrl: string;
  readonly level?: Annotation['level'];
  readonly tag?: string;
  /** The attempt that started the job. */
  readonly attempt?: number;
}

/** A record like the one that the action leaves for the prompt of the tests; without an id, of a start that stayed unknown. */
export function recordOf(jobId: string | undefined, options: RecordOptions): Annotation {
  const { baseUrl, level, tag, attempt: number = 1 } = options;
  const marker: JobMarker =
    jobId === undefined
      ? { kind: 'unknown' }
      : { kind: 'id', jobId, startedBy: { runId: undefined, attempt: number } };
  const identity = { baseUrl: new URL(baseUrl), projectId: 'quick', prompt: PROMPT, tag };
  return {
    title: 'Docs agent: job record',
    message: `Started agent job. ${formatMarker(marker, getFingerprint(identity))}`,
    ...(level === undefined ? {} : { level }),
  };
}

/** A finished workflow job that left the given annotations. */
export function jobWith(id: number, name: string, ...annotations: Annotation[]): WorkflowJob {
  return { id, name, annotations };
}

/** The base URL that a run named in its first lines. */
export function getServiceUrl({ stdout }: ActionResult): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
}
