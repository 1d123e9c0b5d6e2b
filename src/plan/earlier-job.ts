import { getRemainingMs, type RunContext } from '../clock.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { Outcome } from '../outcome.ts';
import type { EarlierJob, JobRecord, KnownJobRecord, SearchProblem } from '../state.ts';
import { code, link, type Message, message } from '../text/message.ts';
import { RecordSearch } from './job-records.ts';
import type { PlanDependencies } from './plan.ts';

const SEARCH_TIMEOUT_MS = 20_000;
const READ_TIMEOUT_MS = 5_000;
const LOOK_TIMEOUT_MS = 10_000;
const GONE_AFTER_MS = 60_000;
const LOOK_PAUSE_MS = 10_000;

/**
 * Looks for a job that an earlier attempt of this run started, or another run for the tag, and asks the service about
 * it. Returns an outcome if nothing must be sent. The search takes at most 20 seconds, and looks at a missing job at
 * most a minute. Each takes at most half of the remaining time.
 */
export async function findEarlierJob(
  fingerprint: string,
  tag: string | undefined,
  dryRun: boolean,
  dependencies: PlanDependencies,
  context: RunContext,
): Promise<EarlierJob | Outcome> {
  const { github, openGitHub, reporter } = dependencies;
  const limits = {
    timeoutMs: Math.min(SEARCH_TIMEOUT_MS, getRemainingMs(context) / 2),
    requestTimeoutMs: READ_TIMEOUT_MS,
    signal: context.cancel,
  };
  const search = new RecordSearch({ open: () => openGitHub(limits), github, fingerprint, tag });
  const { jobs, unknown } = await readRecords(search, dependencies, context);
  const usable = jobs.find(({ state }) => state === 'usable')?.record;
  if (usable !== undefined) {
    const waiting = dryRun ? message`a real run would wait for job` : message`waiting for job`;
    reporter.onNote(message`${waiting} ${usable.jobId}, which ${nameAttempt(usable)} started`);
    return { kind: 'found', record: usable };
  }
  if (context.cancel.aborted) {
    return { outcome: 'cancelled', code: 'cancelled' };
  }
  const elsewhere = unknown.find(({ isOtherRun }) => isOtherRun);
  if (elsewhere !== undefined) {
    return { outcome: 'start-unknown', code: 'start-unknown', record: elsewhere };
  }
  const { problem } = search;
  // The permissions of a re-run can't be changed.
  const mayGoOn = problem?.failure === 'not-permitted' || problem?.failure === 'impossible';
  if (problem !== undefined && (tag !== undefined || !mayGoOn)) {
    return { outcome: 'not-started', code: 'reuse-unknown', ...problem };
  }
  const { reason, warning } = explainStart(problem, unknown[0], jobs[0]);
  const starting = dryRun ? message`a real run would start a new job` : message`no job to wait for`;
  reporter.onNote(message`${starting}: ${reason}`);
  if (warning !== undefined && !dryRun) {
    reporter.onWarning(warning);
  }
  return { kind: 'none', reason, mayBeSecond: warning !== undefined };
}

/** Returns the reason to start a job, with a warning if an earlier one may exist. */
function explainStart(
  problem: SearchProblem | undefined,
  lost: JobRecord | undefined,
  ended: RecordedJob | undefined,
): { readonly reason: Message; readonly warning: Message | undefined } {
  if (problem !== undefined) {
    const without = message` without ${code('actions: read')} and ${code('checks: read')}`;
    const failed = message`can't be read${problem.failure === 'not-permitted' ? without : ''} (${problem.detail})`;
    return {
      reason: message`jobs of earlier attempts ${failed}`,
      warning: message`An earlier attempt may have started an agent job, but its record ${failed}.`,
    };
  }
  if (lost !== undefined) {
    return {
      reason: message`${nameAttempt(lost)} may have started one, but its response was lost`,
      warning: message`Attempt ${String(lost.attempt)} may have started an agent job: its request was sent, but the response was lost. This attempt does not wait for that job.`,
    };
  }
  if (ended === undefined) {
    return { reason: message`no earlier job was recorded`, warning: undefined };
  }
  const { record, state } = ended;
  const end = state === 'failed' ? message`failed` : message`is gone`;
  const reason = message`job ${record.jobId}, which ${nameAttempt(record)} started, ${end}`;
  return { reason, warning: undefined };
}

function nameAttempt({ attempt, page, isOtherRun }: JobRecord): Message {
  const name = message`attempt ${String(attempt)}`;
  return isOtherRun ? message`${name} of another run (${link(page)})` : name;
}

interface RecordedJob {
  readonly record: KnownJobRecord;
  state: 'usable' | 'failed' | 'gone';
}

/**
 * Returns the recorded jobs, newest first, up to the first that is usable, and the records of creates whose result is
 * still unknown. A later attempt of the same run that started a job has settled the creates before it.
 */
async function readRecords(search: RecordSearch, dependencies: PlanDependencies, context: RunContext) {
  const jobs = new Map<string, RecordedJob>();
  const unknown: JobRecord[] = [];
  const started: JobRecord[] = [];
  for await (const record of search.findAll()) {
    const { jobId } = record;
    if (jobId === undefined) {
      unknown.push(record);
      continue;
    }
    started.push(record);
    if (!jobs.has(jobId)) {
      const state = await lookAtJob(jobId, dependencies.agent, context);
      jobs.set(jobId, { record: { ...record, jobId }, state });
      if (state === 'usable') {
        break;
      }
    }
  }
  const found = [...jobs.values()];
  if (!found.some(({ state }) => state === 'usable')) {
    await Promise.all(found.map((job) => lookAgain(job, dependencies, context)));
  }
  const isOpen = ({ runId, attempt }: JobRecord): boolean =>
    !started.some((later) => later.runId === runId && later.attempt > attempt);
  return { jobs: found, unknown: unknown.filter(isOpen) };
}

/**
 * Looks again at a missing job for a minute, because a new job may appear late. Takes at most half of the time that is
 * left. If that is less, the job counts as usable.
 */
async function lookAgain(
  job: RecordedJob,
  { agent, reporter }: PlanDependencies,
  context: RunContext,
): Promise<void> {
  const { clock, cancel } = context;
  const goneFrom = clock.now() + GONE_AFTER_MS;
  const lookUntil = Math.min(goneFrom, clock.now() + getRemainingMs(context) / 2);
  if (job.state === 'gone') {
    reporter.onNote(message`job ${job.record.jobId} was not found; looking again for up to a minute`);
  }
  while (job.state === 'gone' && clock.now() < goneFrom) {
    const leftMs = lookUntil - clock.now();
    if (leftMs <= 0 || cancel.aborted) {
      job.state = 'usable';
      return;
    }
    await clock.sleep(Math.min(LOOK_PAUSE_MS, leftMs), cancel);
    job.state = await lookAtJob(job.record.jobId, agent, context);
  }
}

/**
 * Asks the service about a recorded job. Unless it certainly failed, or the service itself says that there is none, it
 * is usable: never pay twice on a guess.
 */
async function lookAtJob(jobId: string, agent: AgentApi, context: RunContext): Promise<RecordedJob['state']> {
  const timeoutMs = Math.ceil(Math.max(1, Math.min(LOOK_TIMEOUT_MS, getRemainingMs(context))));
  const result = await agent.getJob(jobId, { timeoutMs, signal: context.cancel });
  if (result.kind !== 'response') {
    return 'usable';
  }
  if ((result.httpStatus === 404 || result.httpStatus === 410) && result.hasErrorBody) {
    return 'gone';
  }
  return result.job?.status === 'failed' ? 'failed' : 'usable';
}
