import { isDeepStrictEqual } from 'node:util';
import type { Job, JobRequest } from '../service/job.ts';
import { getJobId, type PollEvent, type RunEvent, type RunState } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, link, type Message, message, toSentence } from '../text/message.ts';
import { type Facts, getServiceAddress } from './facts.ts';
import {
  describeChanges,
  describeEarlierJob,
  describeOtherRun,
  describePaths,
  nameAttempt,
} from './table.ts';

const REQUESTS = {
  create: { before: 'starting a job', after: 'started' },
  attach: { before: 'attaching to a job', after: 'attached to' },
  'follow-up': { before: 'sending a follow-up', after: 'sent the follow-up to' },
} as const satisfies Record<JobRequest['kind'], object>;

const UNDONE = { failed: 'has failed', 'at-work': 'is still running' } as const;

/** Returns the line of the log for an event. Empty if it has none. */
export function describeEvent(event: RunEvent, facts: Facts): Message {
  const { state, inputs } = facts;
  const { request } = state;
  const words = request && REQUESTS[request.kind];
  switch (event.kind) {
    case 'looking':
      return message`looking for earlier jobs on GitHub`;
    case 'recorded':
      return message`recorded on GitHub that a job is about to start`;
    case 'other-run':
      return describeOtherRun(state);
    case 'earlier-job':
      return event.job.kind === 'failed'
        ? message`job ${describeEarlierJob(event.job)} has failed`
        : message`found job ${describeEarlierJob(event.job)}`;
    case 'rival':
      return message`${nameAttempt(event.rival)} may be starting the job; waiting for its id for up
        to ${formatDuration(event.waitMs)}`;
    case 'undone-job':
      return message`job ${event.jobId} ${UNDONE[event.state]}, so the changes begin before it`;
    case 'closed-pull-request':
      return message`${link(event.link)} was closed without a merge, so no later job covers its
        changes`;
    case 'changes':
      return message`changes: ${describeChanges(state)}`;
    case 'paths':
      return state.paths?.kind === 'unread' ? [] : describePaths(state.paths);
    case 'request':
      return message`${words?.before ?? ''} in project ${inputs?.projectId ?? ''} at
        ${getServiceAddress(facts)}`;
    case 'retry': {
      const { failure, delayMs } = event;
      const what = failure.code === 'rate-limited' ? 'rate-limited' : "couldn't connect";
      return message`${what} (${failure.detail}), retrying in ${formatDuration(delayMs)}`;
    }
    case 'job':
      return message`${words?.after ?? ''} job ${getJobId(state) ?? ''}`;
    case 'unread-pull-request':
      return message`couldn't read details of the pull request (${event.reason})`;
    case 'no-record':
    case 'missing-facts':
    case 'sending':
    case 'poll':
    case 'wait':
      return [];
  }
}

/** Returns the text of the annotation for an event. Empty if it has none. */
export function describeWarning(event: RunEvent, state: RunState): Message {
  const { changes, paths } = state;
  const { missing = [], reason = '', isRefused } = changes ?? {};
  const toDo = isRefused ? message` Give the workflow job {contents: read}.` : [];
  if (event.kind === 'no-record') {
    return message`No earlier job is on record, so the changes begin at the commit before the push.
      For older ones, set {changes-since} in a new run.`;
  }
  if (event.kind === 'missing-facts') {
    return message`The prompt lacks ${missing.join(', ')} (${reason}).${toDo}`;
  }
  if (event.kind === 'changes' && changes?.tag !== undefined && changes.start.kind === 'none') {
    return message`There is nothing to compare ${code(changes.tag)} with, because
      ${changes.start.reason}. So the prompt lists no changes, and {paths} is ignored.`;
  }
  if (event.kind === 'other-run' && event.isNews) {
    return message`${toSentence(describeOtherRun(state))} This run starts another one.`;
  }
  return event.kind === 'paths' && paths?.kind === 'unread'
    ? message`The changed files can't be read (${reason}), so the job starts whatever {paths}
        says.${toDo}`
    : [];
}

/** Returns a warning about a prompt that contains an expression. Empty if it has none. */
export function describeExpression(request: JobRequest): Message {
  const prompt = request.kind === 'attach' ? '' : request.prompt;
  const [expression] = /\$\{\{.{0,80}?\}\}/.exec(prompt) ?? [];
  return expression === undefined
    ? []
    : message`The prompt contains ${code(expression)}, which is sent unchanged: expressions work
        only in the workflow file.`;
}

const HEARTBEAT_MS = 60_000;
/** Keeps the log short if the status or the health of the service keeps changing. */
const MAX_LINES = 20;

/**
 * Returns a function that logs what changes during the wait: a new status, a new failure, or a
 * pause. After a minute without a line, it repeats the latest one with the time that is left. The
 * log has already told of `job`, if the run has just created it.
 */
export function createPollLog(
  job: Job | undefined,
  getRemainingMs: () => number,
  log: (line: Message) => void,
) {
  let latest = job === undefined ? [] : message`status ${job.status}`;
  let lines = 0;
  /** The time that was left when a line was last logged. */
  let leftAtLineMs = getRemainingMs();
  // A new job is active, so only another status is news.
  if (job !== undefined && job.status !== 'active') {
    log(latest);
  }
  return (event: PollEvent): void => {
    const line = describePoll(event, latest);
    const isLast = event.kind === 'failed' && event.isLast;
    const isChange = isLast || !isDeepStrictEqual(line, latest);
    lines += Number(isChange);
    const isNews = isChange && lines <= MAX_LINES;
    const leftMs = getRemainingMs();
    // Not when the next poll was due, so that every pause is news.
    latest = event.kind === 'paused' ? message`pausing (${event.detail})` : line;
    if (isNews || leftAtLineMs - leftMs >= HEARTBEAT_MS) {
      log(isNews ? line : message`${line}; ${formatDuration(leftMs)} left`);
      leftAtLineMs = leftMs;
    }
  };
}

function describePoll(event: PollEvent, latest: Message): Message {
  switch (event.kind) {
    case 'tick':
      return latest;
    case 'read':
      return message`status ${event.job.status}`;
    case 'failed':
      return message`a poll failed (${event.detail})`;
    case 'paused':
      return message`pausing (${event.detail}), next poll in ${formatDuration(event.delayMs)}`;
  }
}
