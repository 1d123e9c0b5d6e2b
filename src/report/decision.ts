import type { TakenBack } from '../github/context.ts';
import type { RunState } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import { code, link, type Message, message } from '../text/message.ts';
import { count } from './table.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const STARTS_NOTHING = message`, so no job was started. To skip such runs, set
  {types: [published]}`;
const TAKEN_BACK: Readonly<Record<TakenBack, Message>> = {
  edited: message`The release was edited${STARTS_NOTHING}`,
  deleted: message`The release was deleted${STARTS_NOTHING}`,
  unpublished: message`The release was unpublished${STARTS_NOTHING}`,
  unmerged: message`The pull request was closed without a merge, so no job was started. To skip
    such runs, trigger on the push to the base branch`,
  'ref-deleted': message`The tag or branch was deleted, so there is nothing to document`,
};

/** Says what a real run would do. */
export function describeRealRun(state: RunState): Message {
  const { skip, request } = state;
  if (skip !== undefined) {
    return message`A real run would be skipped: ${describeSkip(state)}`;
  }
  if (request?.kind === 'attach') {
    return message`A real run would wait for job ${code(request.jobId)}`;
  }
  return request?.kind === 'follow-up'
    ? message`A real run would send the follow-up`
    : message`A real run would start a job`;
}

/** Returns for how many days the last pull request has been open, if that is more than a week. */
export function countWaitingDays({ skip }: RunState): number | undefined {
  const days = skip?.reason === 'pr-open' ? (skip.ageMs ?? 0) / DAY_MS : 0;
  return days > 7 ? Math.floor(days) : undefined;
}

/** Says why a run is skipped. Empty if it isn't. */
export function describeSkip(state: RunState): Message {
  const { skip, job } = state;
  switch (skip?.reason) {
    case undefined:
      return [];
    case 'job-at-work': {
      const createdAt = job?.createdAt && formatInstant(Date.parse(job.createdAt));
      const since = createdAt === undefined ? '' : `, created ${createdAt},`;
      return job === undefined
        ? message`Another run may be starting a job, so a later run picks up the changes`
        : message`Job ${code(job.id)}${since} is still running, so a later run picks up the
            changes`;
    }
    case 'pr-open':
      return message`${link(job?.prLink)} ${describeWait(state)}`;
    case 'taken-back':
      return TAKEN_BACK[skip.event];
    case 'first-run':
      return message`No earlier job was found, so a later run picks up what changes from here`;
    case 'no-commits':
      return message`No commits since ${code(skip.since)}`;
    case 'behind':
      return message`This commit is behind ${code(skip.since)}`;
    case 'no-match':
      return message`No changed file matches {paths} (${String(skip.files)} changed since
        ${code(skip.since)})`;
  }
}

function describeWait(state: RunState): Message {
  const days = countWaitingDays(state);
  if (days === undefined) {
    return message`is still open, so a later run picks up the changes`;
  }
  const total = state.changes?.changes?.total;
  const commits = total === undefined ? '' : count(total, 'commit');
  const waits = commits && `, and ${commits} ${total === 1 ? 'is' : 'are'} waiting for it`;
  return message`has been open for ${count(days, 'day')}${waits}`;
}
