import { getGitHubError } from '../github/errors.ts';
import { findPullRequest, type PullRequest, readPullRequest } from '../github/pull-request.ts';
import { createRecord, type JobRecord } from '../record/record.ts';
import { readJobOnce } from '../service/agent-client.ts';
import { isFinalStatus, type Job, type PromptRequest } from '../service/job.ts';
import { type Outcome, type RunEnd, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs, getPreparationMs } from '../time/deadline.ts';
import { checkKey } from './dry-run.ts';
import { makePlan } from './plan.ts';
import { lookAtJob, pollJob } from './poll-loop.ts';
import { startJob } from './start-job.ts';

/**
 * Returns a run. Nothing is recorded if `reuse` is `never`, the inputs name a job, or there is
 * nothing to document.
 */
export function createRun(run: Run) {
  const { inputs, github } = run;
  const isNew = inputs.request.kind === 'create' && github.takenBack === undefined;
  const isRecorded = isNew && inputs.reuse !== 'never';
  const record = isRecorded ? createRecord(run) : undefined;
  if (record !== undefined) {
    run.emit({ kind: 'looking' });
  }
  return {
    /** Keeps the tracker up to date. Throws a `Stop` if the run ends early. */
    execute: () => execute(record, run),
    /** Records how the run ended, and returns its pull request if it can be read. Never rejects. */
    async finish(end: RunEnd): Promise<PullRequest | undefined> {
      const reading = readPullDetails(end.job, run);
      if (!inputs.dryRun) {
        await record?.finish(end);
      }
      return reading;
    },
  };
}

async function execute(record: JobRecord | undefined, run: Run): Promise<Outcome> {
  const plan = await makePlan(record, run);
  if (run.inputs.dryRun) {
    return checkKey(plan, run);
  }
  switch (plan.kind) {
    case 'skip':
      return { result: 'skipped' };
    case 'wait':
      return followJob(plan.jobId, run);
    case 'send': {
      const foundId = await record?.take(plan.start);
      return foundId === undefined
        ? sendPrompt(plan.request, record, run)
        : followJob(foundId, run);
    }
  }
}

/** Waits for a job that the run has found, or reads it once. */
async function followJob(jobId: string, run: Run): Promise<Outcome> {
  run.emit({ kind: 'request' });
  run.emit({ kind: 'job' });
  return run.inputs.wait ? pollJob(jobId, {}, run) : lookAtJob(jobId, run);
}

/** Sends the prompt, then waits for its job unless the inputs say not to. */
async function sendPrompt(
  request: PromptRequest,
  record: JobRecord | undefined,
  run: Run,
): Promise<Outcome> {
  stopIfCanceled(run.cancel);
  run.emit({ kind: 'request' });
  const { wait } = run.inputs;
  const isNew = request.kind === 'create';
  const longestMs = getPreparationMs(Number.POSITIVE_INFINITY, run);
  // If the job before a follow-up can't be read, the follow-up is sent anyway.
  const before = isNew || !wait ? undefined : await readJobOnce(request.jobId, longestMs, run);
  const job = await startJob(request, run);
  // First, so that no error can keep the id from the record.
  record?.save(job.id);
  run.emit({ kind: 'job' });
  if (wait) {
    // For a while after a follow-up, the service may still return the old record.
    const isOld = (latest: Job) => before?.job === undefined || isUnchanged(latest, before.job);
    return pollJob(job.id, isNew ? { created: job } : { isOld }, run);
  }
  // No poll confirms how a new job ended. But a step that passes would hide a failure.
  if (isNew && job.status === 'failed') {
    return { result: 'failed', code: 'job-failed' };
  }
  stopIfCanceled(run.cancel);
  return { result: 'started' };
}

/** True if a record may predate a follow-up. Compares only what changes when a job ends. */
function isUnchanged(job: Job, before: Job): boolean {
  const hasNewLink = job.prLink !== undefined && job.prLink !== before.prLink;
  return job.status === before.status && job.archivedAt === before.archivedAt && !hasNewLink;
}

const PULL_REQUEST_MS = 3_000;

/** Undefined if no pull request of the job on this host can be read in time. Never rejects. */
async function readPullDetails(job: Job | undefined, run: Run): Promise<PullRequest | undefined> {
  const { github, openPullRequests, redact, emit, cancel } = run;
  const timeoutMs = Math.min(PULL_REQUEST_MS, getLastRequestMs(run));
  const isPossible = github.pullToken !== undefined && !cancel.aborted && timeoutMs > 0;
  if (!isPossible || job?.prLink === undefined || !isFinalStatus(job.status)) {
    return undefined;
  }
  try {
    const place = findPullRequest(github.serverUrl, job.prLink);
    if (place === undefined) {
      return undefined;
    }
    const api = openPullRequests({ timeoutMs, signal: cancel }, place.project);
    return await readPullRequest(place, api, redact);
  } catch (error) {
    emit({ kind: 'unread-pull-request', reason: getGitHubError(error).message });
    return undefined;
  }
}
