import type { RunState } from '../state/run-state.ts';
import { code, link, type Message, message } from '../text/message.ts';

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

/** Says why a run is skipped. Empty if it isn't. */
export function describeSkip({ skip, job }: RunState): Message {
  switch (skip?.reason) {
    case undefined:
      return [];
    case 'job-at-work': {
      const since = job?.createdAt === undefined ? '' : `, created ${job.createdAt},`;
      return job === undefined
        ? message`Another run may be starting a job, so a later run picks up the changes`
        : message`Job ${code(job.id)}${since} is still running, so a later run picks up the
            changes`;
    }
    case 'pr-open':
      return message`${link(job?.prLink)} is still open, so a later run picks up the changes`;
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
