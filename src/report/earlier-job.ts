import type { EarlierJob, RecordedAttempt } from '../state.ts';
import { code, link, type Message, message } from '../text/message.ts';

/** Why a run starts a job, or what it waits for. */
interface Explanation {
  readonly text: Message;
  /** The run starts a job although there may already be one. */
  readonly warning?: Message;
}

/** Explains what the run found out about an earlier job. */
export function explainEarlierJob(earlierJob: EarlierJob): Explanation {
  switch (earlierJob.kind) {
    case 'none':
      return { text: message`no earlier job is on record` };
    case 'found':
      return { text: message`job ${earlierJob.jobId}, which ${nameAttempt(earlierJob.attempt)} started` };
    case 'failed':
      return {
        text: message`job ${earlierJob.jobId}, which ${nameAttempt(earlierJob.attempt)} started, failed`,
      };
    case 'gone': {
      const job = message`job ${earlierJob.jobId}, which ${nameAttempt(earlierJob.attempt)} started,`;
      return {
        text: message`${job} is gone`,
        warning: message`The service does not find ${job} anymore. If that job exists, this is a second one.`,
      };
    }
    case 'starting':
      return { text: message`${nameAttempt(earlierJob.attempt)} may be starting it: a real run would wait` };
    case 'open':
      return {
        text: message`${nameAttempt(earlierJob.attempt)} may have started a job, but its id is not on record`,
        warning: message`Attempt ${String(earlierJob.attempt.attempt)} may have started a job, but its id is not on record. This attempt does not wait for that job.`,
      };
    case 'unreadable': {
      const { problem, detail, isFirst } = earlierJob;
      const remedy = problem === 'refused' ? message`: give the workflow job ${code('statuses: write')}` : [];
      const rerun = problem === 'unavailable' ? [] : message`, so a re-run starts another job${remedy}`;
      const text = message`the record of the job can't be read or written (${detail})${rerun}`;
      const warning = message`An earlier attempt may have started a job, but its record can't be read (${detail}).`;
      return isFirst ? { text } : { text, warning };
    }
  }
}

/** Names an attempt, with a link if it is one of another run. */
export function nameAttempt({ attempt, page, isOtherRun }: RecordedAttempt): Message {
  const name = message`attempt ${String(attempt)}`;
  return isOtherRun ? message`${name} of another run (${link(page)})` : name;
}
