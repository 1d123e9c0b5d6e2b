import { getGitHubError } from '../github/errors.ts';
import { findPullRequest, type PullRequest, readPullRequest } from '../github/pull-request.ts';
import { createRecord, type JobRecord } from '../record/record.ts';
import { readJobOnce } from '../service/agent-client.ts';
import { isFinalStatus, type Job, type JobRequest, type PromptRequest } from '../service/job.ts';
import { type Outcome, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs, getPreparationMs } from '../time/deadline.ts';
import { checkKey } from './dry-run.ts';
import { lookAtJob, pollJob } from './poll-loop.ts';
import { preparePrompt } from './prepare-prompt.ts';
import { startJob } from './start-job.ts';

/** One run of the action: what to send, sending it, and waiting for the job. */
export type JobRun = ReturnType<typeof createRun>;

/** Returns a run. Nothing is recorded if `reuse` is `never` or the inputs name a job. */
export function createRun(run: Run) {
  const { inputs } = run;
  const isRecorded = inputs.request.kind === 'create' && inputs.reuse !== 'never';
  const record = isRecorded ? createRecord(run) : undefined;
  if (record !== undefined) {
    run.emit({ kind: 'looking' });
  }
  return {
    /** Keeps the tracker up to date. Throws a `Stop` if the run ends early. */
    execute: () => execute(record, run),
    /** Records how the run ended, and returns its pull request if it can be read. Never rejects. */
    async finish(outcome: Outcome): Promise<PullRequest | undefined> {
      const reading = readPullDetails(run);
      if (!inputs.dryRun) {
        await record?.close(outcome);
      }
      return reading;
    },
  };
}

async function execute(record: JobRecord | undefined, run: Run): Promise<Outcome> {
  const { inputs, cancel, tracker, emit } = run;
  const decided = await decideRequest(record, run);
  if (inputs.dryRun) {
    return checkKey(decided.jobId, run);
  }
  if (tracker.state.skip !== undefined) {
    return { result: 'skipped' };
  }
  const found = decided.kind === 'attach' ? undefined : await record?.take();
  const request = found ?? decided;
  if (request.kind === 'attach') {
    emit({ kind: 'request' });
    emit({ kind: 'job' });
    return inputs.wait ? pollJob(request.jobId, {}, run) : lookAtJob(request.jobId, run);
  }
  stopIfCanceled(cancel);
  emit({ kind: 'request' });
  return runJob(request, record, run);
}

/** Returns what to send, or which job to wait for. Throws a `Stop` if nothing may be sent. */
async function decideRequest(record: JobRecord | undefined, run: Run): Promise<JobRequest> {
  const { request, reuse, dryRun } = run.inputs;
  if (request.kind === 'attach') {
    return request;
  }
  // With `reuse: rerun`, a first attempt has no earlier job, and `take` looks, too.
  const isFirst = reuse === 'rerun' && run.github.runAttempt === 1 && !dryRun;
  const found = isFirst ? undefined : await record?.look();
  return found ?? preparePrompt(request, record, run);
}

/** Sends the prompt, then waits for its job unless the inputs say not to. */
async function runJob(
  request: PromptRequest,
  record: JobRecord | undefined,
  run: Run,
): Promise<Outcome> {
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
async function readPullDetails(run: Run): Promise<PullRequest | undefined> {
  const { github, openPullRequests, tracker, redact, emit, cancel } = run;
  const { job } = tracker.state;
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
