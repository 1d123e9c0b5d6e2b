import { isDeepStrictEqual } from 'node:util';
import type { Job, JobRequest } from '../service/job.ts';
import type { PollEvent } from '../service/poll-loop.ts';
import { getJobId, type RunEvent } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { type Message, message } from '../text/message.ts';
import { type Facts, getServiceAddress } from './facts.ts';
import { describeChanges, describePaths, nameAttempt } from './table.ts';

const REQUESTS = {
  create: { before: 'starting a job', after: 'started' },
  attach: { before: 'attaching to a job', after: 'attached to' },
  'follow-up': { before: 'sending a follow-up', after: 'sent the follow-up to' },
} as const satisfies Record<JobRequest['kind'], object>;

/** Returns the line of the log for an event. Undefined if it has none. */
export function describeEvent(event: RunEvent, facts: Facts): Message | undefined {
  const { state } = facts;
  const { request, rival, paths } = state;
  switch (event.kind) {
    case 'looking':
      return message`looking for earlier jobs on GitHub`;
    case 'recorded':
      return message`recorded on GitHub that a job is about to start`;
    case 'earlier-job':
      return describeEarlierJob(facts);
    case 'rival':
      return (
        rival &&
        message`${nameAttempt(rival)} may be starting the job; waiting for its id for up to
          ${formatDuration(event.waitMs)}`
      );
    case 'job-at-work':
      return message`job ${event.jobId} is still running, so the changes begin before it`;
    case 'changes':
      return message`changes: ${describeChanges(state)}`;
    case 'paths':
      return paths?.kind === 'unread' ? undefined : describePaths(paths);
    case 'request':
      return (
        request &&
        message`${REQUESTS[request.kind].before} in project ${facts.inputs?.projectId ?? ''} at
          ${getServiceAddress(facts)}`
      );
    case 'retry': {
      const { code, detail } = event.failure;
      const what = code === 'rate-limited' ? 'rate-limited' : "couldn't connect";
      return message`${what} (${detail}), retrying in ${formatDuration(event.delayMs)}`;
    }
    case 'job':
      return request && message`${REQUESTS[request.kind].after} job ${getJobId(state) ?? ''}`;
    case 'unread-pull-request':
      return message`couldn't read details of the pull request (${event.reason})`;
    case 'missing-facts':
    case 'sending':
    case 'poll':
    case 'wait':
      return undefined;
  }
}

function describeEarlierJob({ state: { earlierJob } }: Facts): Message | undefined {
  if (earlierJob === undefined) {
    return undefined;
  }
  const job = message`job ${earlierJob.jobId} of ${nameAttempt(earlierJob.attempt)}`;
  return earlierJob.kind === 'failed' ? message`${job} has failed` : message`found ${job}`;
}

/** Returns the text of the annotation for an event. Undefined if it has none. */
export function describeWarning(event: RunEvent, { state: { paths } }: Facts): Message | undefined {
  if (event.kind === 'missing-facts') {
    const { missing, reason, isRefused } = event;
    return message`The prompt lacks ${missing.join(', ')} (${reason}).${askToRead(isRefused)}`;
  }
  return event.kind === 'paths' && paths?.kind === 'unread'
    ? message`The changed files can't be read (${paths.reason}), so the job starts whatever {paths}
        says.${askToRead(paths.isRefused)}`
    : undefined;
}

function askToRead(isRefused: boolean): Message {
  return isRefused ? message` Give the workflow job {contents: read}.` : [];
}

const HEARTBEAT_MS = 60_000;
/** Keeps the log short if the status or the health of the service keeps changing. */
const MAX_LINES = 20;

interface PollLogOptions {
  readonly getRemainingMs: () => number;
  readonly log: (line: Message) => void;
  /** The job that the log has already named, if the run has just created it. */
  readonly job: Job | undefined;
}

/**
 * Returns a function that logs what changes during the wait: a new status, a new failure, or a
 * pause. After a minute without a line, it repeats the latest one with the time that is left.
 */
export function createPollLog({ getRemainingMs, log, job }: PollLogOptions) {
  let latest = job === undefined ? [] : describeStatus(job);
  let lines = 0;
  /** The time that was left when a line was last logged. */
  let leftAtLineMs = getRemainingMs();
  // A new job is active, so only another status is news.
  if (job !== undefined && job.status !== 'active') {
    log(latest);
  }
  return (event: PollEvent): void => {
    const line = event.kind === 'tick' ? latest : describePoll(event);
    const isChange = isAlwaysNews(event) || !isDeepStrictEqual(line, latest);
    lines += isChange ? 1 : 0;
    const isNews = isChange && lines <= MAX_LINES;
    const leftMs = getRemainingMs();
    latest = describeStanding(event, line);
    if (isNews || leftAtLineMs - leftMs >= HEARTBEAT_MS) {
      log(isNews ? line : message`${line}; ${formatDuration(leftMs)} left`);
      leftAtLineMs = leftMs;
    }
  };
}

/** Returns what a heartbeat repeats: not when the next poll was due. */
function describeStanding(event: PollEvent, line: Message): Message {
  return event.kind === 'paused' ? message`pausing (${event.detail})` : line;
}

function isAlwaysNews(event: PollEvent): boolean {
  return event.kind === 'paused' || (event.kind === 'failed' && event.isLast);
}

function describePoll(event: Exclude<PollEvent, { readonly kind: 'tick' }>): Message {
  switch (event.kind) {
    case 'read':
      return describeStatus(event.job);
    case 'failed':
      return message`a poll failed (${event.detail})`;
    case 'paused':
      return message`pausing (${event.detail}), next poll in ${formatDuration(event.delayMs)}`;
  }
}

function describeStatus({ status }: Job): Message {
  return message`status ${status}`;
}
