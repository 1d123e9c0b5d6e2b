import type { TakenBack } from '../github/context.ts';
import type { RunState } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import { code, link, type Message, message } from '../text/message.ts';
import { count } from './table.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const STARTS_NOTHING = message`, which starts no job. To leave such runs out, set {types: [published]}`;
const TAKEN_BACK: Readonly<Record<TakenBack, Message>> = {
  edited: message`The release was edited${STARTS_NOTHING}`,
  deleted: message`The release was deleted${STARTS_NOTHING}`,
  unpublished: message`The release was unpublished${STARTS_NOTHING}`,
  unmerged: message`The pull request was closed without a merge, which starts no job. Run on the push to
    its branch instead`,
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

/** True if the last pull request has been open for more than a week, as far as its date is known. */
export function isWaitingLong({ skip }: RunState): boolean {
  return skip?.reason === 'pr-open' && skip.ageMs !== undefined && skip.ageMs > 7 * DAY_MS;
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
      return message`${link(job?.prLink)} ${describeWait(state, skip.ageMs)}`;
    case 'taken-back':
      return TAKEN_BACK[skip.event];
    case 'first-run':
      return message`This is the first run: a later run picks up what changes from here`;
    case 'no-commits':
      return message`No commits since ${code(skip.since)}`;
    case 'behind':
      return message`This commit is behind ${code(skip.since)}`;
    case 'no-match':
      return message`No changed file matches {paths} (${String(skip.files)} changed since
        ${code(skip.since)})`;
  }
}

/** Says for how long a pull request has been open, if that is long, and what waits for it. */
function describeWait(state: RunState, ageMs = 0): Message {
  const total = state.changes?.changes?.total;
  const isLong = isWaitingLong(state);
  const age = isLong ? `has been open for ${Math.floor(ageMs / DAY_MS)} days` : 'is still open';
  return isLong && total !== undefined
    ? message`${age}, and ${count(total, 'commit')} ${total === 1 ? 'waits' : 'wait'} for it`
    : message`${age}, so a later run picks up the changes`;
}
