import type { Skip } from '../changes/decide.ts';
import { isFinalStatus } from '../service/job.ts';
import type { RecordedAttempt, RunState } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import {
  code,
  joinSentences,
  link,
  type Message,
  message,
  toSentence,
  untrusted,
} from '../text/message.ts';
import type { FinalFacts } from './facts.ts';

// Why a run ended as it did, beside the sentence of its ending.

/** Returns the fact that explains an ending. Not a whole sentence. Empty if nothing is known. */
export function getDetail(facts: FinalFacts): Message {
  const { outcome, state } = facts;
  const { job, pollFailure } = state;
  switch (outcome.result) {
    // The link is shown by itself.
    case 'pull-request-opened':
      return [];
    case 'no-pull-request':
      return describeOtherLink(state);
    case 'archived':
    case 'failed':
      return job?.prLink === undefined ? [] : message`It opened ${link(job.prLink)}`;
    case 'started':
      return untrusted(pollFailure ?? '');
    case 'timed-out':
      return describeTimeout(facts);
    case 'skipped':
      return describeSkip(outcome.skip, state);
    case 'dry-run':
      return joinSentences(toSentence(untrusted(outcome.unchecked ?? '')), describeRealRun(state));
    case 'cancelled':
      return state.rival === undefined ? [] : describeRival(state.rival);
    case 'start-unknown':
      return outcome.attempt === undefined
        ? untrusted(outcome.detail)
        : describeRival(outcome.attempt);
    default:
      return outcome.code === 'invalid-input' ? [] : untrusted(outcome.detail);
  }
}

function describeOtherLink({ job }: RunState): Message {
  const shown = job?.refusedLink ?? job?.prLink;
  return shown === undefined ? [] : message`The job completed with the link ${code(shown)}`;
}

function describeTimeout({ state, elapsedMs }: FinalFacts): Message {
  const { job, pollFailure } = state;
  if (job === undefined || pollFailure !== undefined) {
    const last = job === undefined ? [] : message` (last status: ${code(job.status)})`;
    return message`It can't be read: ${pollFailure ?? 'no response'}${last}`;
  }
  return isFinalStatus(job.status)
    ? message`No new work was seen in ${formatDuration(elapsedMs)}`
    : message`It is still ${code(job.status)} after ${formatDuration(elapsedMs)}`;
}

function describeRival({ attempt, isOtherRun, page }: RecordedAttempt): Message {
  return isOtherRun
    ? message`${link(page)} may have started the job`
    : message`Attempt ${String(attempt)} may have started the job, but recorded no id`;
}

/** Says what a real run would do, for a dry run. */
function describeRealRun(state: RunState): Message {
  const { skip, request } = state;
  if (skip !== undefined) {
    return message`A real run would be skipped: ${describeSkip(skip, state)}`;
  }
  if (request?.kind === 'attach') {
    return message`A real run would wait for job ${code(request.jobId)}`;
  }
  return request?.kind === 'follow-up'
    ? message`A real run would send the follow-up`
    : message`A real run would start a job`;
}

/** Says why a run starts no job. Not a whole sentence. */
function describeSkip(skip: Skip, { job }: RunState): Message {
  switch (skip.reason) {
    case 'job-at-work': {
      const since = job?.createdAt === undefined ? '' : `, created ${job.createdAt},`;
      return job === undefined
        ? message`Another run is starting a job, so the changes wait for a later run`
        : message`Job ${code(job.id)}${since} is still running, so the changes wait for a later
            run`;
    }
    case 'pr-open':
      return message`${link(job?.prLink ?? '')} is still open, so the changes wait for a later run`;
    case 'first-run':
      return message`This is the first run: the next one starts with what changes from here`;
    case 'no-commits':
      return message`No commits since ${code(skip.since)}`;
    case 'behind':
      return message`This commit is behind ${code(skip.since)}`;
    case 'no-match':
      return message`No changed file matches {paths} (${String(skip.files)} changed since
        ${code(skip.since)})`;
  }
}
