import { type Message, message } from '../text/message.ts';
import { REPLACE_KEY, REPORT_BUG, RERUN_LATER } from './refusals.ts';

/** What to do, which depends on the facts and on what a re-run does. */
export type Remedy = 'attach' | 'wait' | 'extend' | 'look' | 'check' | 'redo' | 'new-job' | 'space';

/** What a person needs to know about an ending. */
export interface Ending {
  readonly title: string;
  /** How it is shown, by default as an error. `none`: in the log and the summary only. */
  readonly level?: 'notice' | 'warning' | 'error' | 'none';
  readonly happened?: Message | undefined;
  readonly next?: Message | undefined;
  readonly remedy?: Remedy | undefined;
}

/** All endings but refusals. The page about errors has a section for each result and code. */
export const ENDINGS = {
  'pull-request-opened': { title: 'Documentation pull request opened', level: 'notice' },
  'no-pull-request': { title: 'No documentation pull request', level: 'notice', remedy: 'redo' },
  'other-link': { title: 'No link to a pull request', level: 'warning' },
  archived: { title: 'Documentation job archived', level: 'warning', remedy: 'check' },
  started: { title: 'Documentation job started', level: 'notice', remedy: 'attach' },
  'follow-up-sent': { title: 'Follow-up sent', level: 'notice', remedy: 'attach' },
  unread: { title: "Documentation job couldn't be read", level: 'warning', remedy: 'attach' },
  failed: { title: 'Documentation job failed', remedy: 'new-job' },
  'timed-out': { title: 'Timed out waiting for the documentation job', remedy: 'extend' },
  'timed-out-follow-up': { title: 'Timed out waiting for the follow-up', remedy: 'check' },
  'job-missing': { title: 'Documentation job not found' },
  'job-gone': { title: 'Lost track of the documentation job', remedy: 'look' },
  'key-rejected': { title: 'API key rejected while waiting', remedy: 'wait' },
  unreadable: { title: "Can't read the documentation job", remedy: 'wait' },
  'lost-by-bug': { title: 'Lost track of the documentation job', remedy: 'wait' },
  'dry-run': { title: 'No problem found', level: 'none' },
  'key-unchecked': { title: 'Key not checked', level: 'warning' },
  skipped: { title: 'Documentation job skipped', level: 'notice' },
  'follow-up-skipped': { title: 'Follow-up skipped', level: 'notice' },
  cancelled: { title: 'Canceled, no job started', level: 'none' },
  'cancelled-behind': { title: 'Canceled while waiting for another attempt', level: 'none' },
  'cancelled-waiting': { title: 'Canceled, job may continue', level: 'warning', remedy: 'wait' },
  'cancelled-sending': { title: 'Canceled, job not confirmed', level: 'warning', remedy: 'check' },
  'cancelled-follow-up': {
    title: 'Canceled, follow-up not confirmed',
    level: 'warning',
    remedy: 'check',
  },
  'start-unknown': { title: 'Job not confirmed', remedy: 'check' },
  'started-before': { title: 'Another attempt may have started this job', remedy: 'check' },
  'started-elsewhere': { title: 'Another run or step may be starting this job', remedy: 'check' },
  'follow-up-unknown': { title: 'Follow-up not confirmed', remedy: 'check' },
} as const satisfies Record<string, Ending>;

export type EndingKey = keyof typeof ENDINGS;

type Sentences = Readonly<Partial<Record<EndingKey, Message>>>;

const MAY_CONTINUE = message`The job may continue.`;
/** What a request without an answer may have done. */
export const MAY_HAVE_STARTED = message`A job may have started.`;

/** What happened, where the title doesn't say it. Facts are shown beside it. */
export const HAPPENED: Sentences = {
  'no-pull-request': message`There was nothing to update, or it was published directly.`,
  archived: message`It was archived, so it won't continue.`,
  failed: message`The service doesn't say why.`,
  'key-rejected': MAY_CONTINUE,
  unreadable: MAY_CONTINUE,
  'lost-by-bug': MAY_CONTINUE,
  'dry-run': message`The service accepts the key. Only a real run shows whether it may start jobs,
    the project id is right, and credits are left.`,
  'cancelled-sending': MAY_HAVE_STARTED,
  'start-unknown': MAY_HAVE_STARTED,
};

/** What to do in any case, before the remedy. */
export const NEXT: Sentences = {
  'no-pull-request': message`Expected one? Check that this repository is connected to the service.`,
  'other-link': message`Check where it leads.`,
  'job-missing': message`Correct {job-id}, {project-id}, or {base-url} in a new run.`,
  'key-rejected': REPLACE_KEY,
  unreadable: message`Check the API key and the proxy.`,
  'lost-by-bug': REPORT_BUG,
  'key-unchecked': RERUN_LATER,
  'started-elsewhere': message`Wait until it has ended. Then re-run (may be paid).`,
};
