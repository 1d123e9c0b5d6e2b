import { type Message, message } from '../text/message.ts';

/** How an ending is shown. `none`: in the log and the summary only. */
export type Level = 'notice' | 'warning' | 'error' | 'none';

/** What a person needs to know about an ending. Facts are shown beside it. */
export interface Ending {
  readonly title: string;
  readonly level: Level;
  readonly happened?: Message;
  /** What to do. */
  readonly next?: Message;
  /** What to do then, which depends on what a re-run does. */
  readonly remedy?: keyof typeof REMEDIES;
}

const MAY_OPEN = message`It may still open a pull request.`;
const NOT_WAITING = message`This run isn't waiting for it.`;
const MAY_HAVE_STARTED = message`A job may have started.`;
export const CHECK_PULL_REQUEST = message`Check its pull request first.`;
const RESEND = message`Check its pull request for new commits. None after an hour? Re-run to send it
  again (paid).`;
export const ATTACH = message`To wait, start a new run with this {job-id} and no prompt.`;

/** All endings but refusals. The page about errors has a section for each result and code. */
export const ENDINGS = {
  'pull-request-opened': { title: 'Documentation pull request opened', level: 'notice' },
  'no-pull-request': {
    title: 'No documentation pull request',
    level: 'notice',
    happened: message`There was nothing to update, or it was published directly.`,
    next: message`Expected one? Connect this repository to the service.`,
  },
  'other-link': {
    title: 'No link to a pull request',
    level: 'warning',
    happened: message`The job completed, but its link isn't to a pull request.`,
    next: message`Check where it leads.`,
  },
  archived: {
    title: 'Documentation job archived',
    level: 'warning',
    happened: message`It was archived, so it won't continue.`,
  },
  started: {
    title: 'Documentation job started',
    level: 'notice',
    happened: NOT_WAITING,
    remedy: 'attach',
  },
  'follow-up-sent': {
    title: 'Follow-up sent',
    level: 'notice',
    happened: NOT_WAITING,
    remedy: 'attach',
  },
  unread: {
    title: "Documentation job couldn't be read",
    level: 'warning',
    happened: NOT_WAITING,
    remedy: 'attach',
  },
  failed: {
    title: 'Documentation job failed',
    level: 'error',
    happened: message`The service doesn't say why.`,
    remedy: 'another',
  },
  'timed-out': {
    title: 'Timed out waiting for the documentation job',
    level: 'error',
    remedy: 'wait-longer',
  },
  'timed-out-follow-up': {
    title: 'Timed out waiting for the follow-up',
    level: 'error',
    next: RESEND,
  },
  'job-not-found': {
    title: 'Documentation job not found',
    level: 'error',
    next: message`Correct {job-id}, {project-id}, or {base-url} in a new run.`,
  },
  'job-gone': {
    title: 'Lost track of the documentation job',
    level: 'error',
    happened: message`The service no longer finds it.`,
    remedy: 'look-again',
  },
  'key-rejected': {
    title: 'API key rejected while waiting',
    level: 'error',
    happened: message`The job continues.`,
    next: message`Create an admin key, and update the secret.`,
    remedy: 'wait',
  },
  unreadable: {
    title: "Can't read the documentation job",
    level: 'error',
    happened: MAY_OPEN,
    next: message`Check the API key, {base-url}, and the proxy.`,
    remedy: 'wait',
  },
  'lost-by-bug': {
    title: 'Lost track of the documentation job',
    level: 'error',
    happened: MAY_OPEN,
    next: message`Report this as a bug.`,
    remedy: 'wait',
  },
  'dry-run': {
    title: 'No problem found',
    level: 'none',
    happened: message`The service accepts the key. Only a real run shows whether it may start jobs,
      the project id is right, and credits are left.`,
  },
  'key-unchecked': { title: 'Key not checked', level: 'warning', next: message`Re-run later.` },
  skipped: { title: 'Documentation job skipped', level: 'notice' },
  cancelled: { title: 'Canceled, no job started', level: 'none' },
  'cancelled-behind': { title: 'Canceled while waiting for another attempt', level: 'none' },
  'cancelled-waiting': {
    title: 'Canceled, job may continue',
    level: 'warning',
    happened: MAY_OPEN,
    remedy: 'wait',
  },
  'cancelled-sending': {
    title: 'Canceled, job not confirmed',
    level: 'warning',
    happened: MAY_HAVE_STARTED,
    remedy: 'if-none',
  },
  'start-unknown': {
    title: 'Job not confirmed',
    level: 'error',
    happened: MAY_HAVE_STARTED,
    remedy: 'if-none',
  },
  'started-before': {
    title: 'Another attempt may have started this job',
    level: 'error',
    remedy: 'if-none',
  },
  'started-elsewhere': {
    title: 'Another run may be starting this job',
    level: 'error',
    next: message`When that run has ended, re-run this one. If it stops again, set {reuse: rerun}
      in a new run (paid).`,
  },
  'follow-up-unknown': {
    title: 'Follow-up not confirmed',
    level: 'error',
    happened: message`The job may have received it.`,
    next: RESEND,
  },
} as const satisfies Record<string, Ending>;

/** What to do about a job. A remedy that pays says so. */
export interface Remedy {
  /** If a re-run does it. */
  readonly here: Message;
  /** If only a new run does. */
  readonly anew: Message;
  /** With `reuse: release`, where a new run finds the same record. */
  readonly forRelease?: Message;
}

const IF_NONE = message`None after an hour? Start a new run (paid).`;
const NEW_JOB = message`For another job (paid), start a new run.`;
const OTHER_REUSE = message`set {reuse: rerun} in a new run (paid).`;

export const REMEDIES = {
  attach: { here: ATTACH, anew: ATTACH },
  wait: { here: message`Re-run to keep waiting.`, anew: ATTACH },
  'wait-longer': {
    here: message`Re-run to keep waiting. If this happens often, raise {timeout-minutes}.`,
    anew: ATTACH,
  },
  'look-again': {
    here: message`Re-run to look again. ${NEW_JOB}`,
    anew: ATTACH,
    forRelease: message`For another job, ${OTHER_REUSE}`,
  },
  another: {
    here: message`For another job (paid), re-run.`,
    anew: NEW_JOB,
    forRelease: message`For another job, ${OTHER_REUSE}`,
  },
  'if-none': {
    here: IF_NONE,
    anew: IF_NONE,
    forRelease: message`None after an hour? Set {reuse: rerun} in a new run (paid).`,
  },
  // The run sent nothing, but its claim is still open on record.
  'left-open': {
    here: [],
    anew: message`To try again, start a new run.`,
    forRelease: message`To try again, ${OTHER_REUSE}`,
  },
} as const satisfies Record<string, Remedy>;
