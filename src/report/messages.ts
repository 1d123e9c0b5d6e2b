import { getErrorCode, type KeyCheck, type Outcome } from '../outcome.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { formatDuration } from '../text/duration.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import { Facts, type RunResult } from './facts.ts';
import {
  describeExcerpt,
  describeNotStarted,
  describeStartUnknown,
  lookForStart,
  REPORT_BUG,
  type Words,
} from './refusals.ts';

/** An outcome in words, and the level of its annotation. */
export interface OutcomeMessage extends Words {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
}

const CONNECT_PAGE = 'https://www.mintlify.com/docs/agent#connect-repositories-as-context';

/** Describes an outcome for annotation, log, and summary. `outputProblem` says why the outputs are not written. */
export function describeOutcome(result: RunResult, outputProblem?: string): OutcomeMessage {
  const facts = new Facts(result);
  const described = describe(result, facts);
  const errorCode = getErrorCode(result.outcome);
  const next = [
    ...described.next,
    ...(facts.mayBeSecond ? [facts.second] : []),
    ...(errorCode === undefined ? [] : facts.help(errorCode)),
  ];
  const title = facts.completeTitle(described.title);
  if (outputProblem === undefined) {
    return { ...described, title, next };
  }
  const loss = message`The outputs couldn't be written (${outputProblem}), so later steps don't get them (${code('unwritable-output')}).`;
  const addition = described.level === 'error' ? '' : ', but the outputs were not written';
  return { level: 'error', title: `${title}${addition}`, text: joinMessages(loss, described.text), next };
}

function describe(result: RunResult, facts: Facts): OutcomeMessage {
  const { outcome, state } = result;
  const { job } = state;
  switch (outcome.outcome) {
    case 'pull-request-opened':
      return {
        level: 'notice',
        title: 'Documentation pull request opened',
        text: message`${facts.job} opened ${link(job?.prLink ?? '')}.`,
        next: [],
      };
    case 'no-pull-request':
      return job?.prLinkRefused === true
        ? {
            level: 'warning',
            title: 'No link to a pull request',
            text: message`${facts.job} completed. The service returned a link that is not a plain https address, so it was left out.`,
            next: facts.places,
          }
        : {
            level: 'notice',
            title: 'No documentation pull request',
            text: message`${facts.job} completed without a pull request. Either nothing had to change, or the project publishes without pull requests, and the change may be online already.`,
            next: [
              message`If you expected changes, connect the released repository to the service: the agent sees only connected repositories. See ${link(CONNECT_PAGE)}.`,
            ],
          };
    case 'archived':
      return {
        level: 'warning',
        title: 'Documentation job archived',
        text: message`${facts.job} was archived. It does not continue.`,
        next: [],
      };
    case 'started':
      return {
        level: 'notice',
        title: `Documentation job ${state.request?.kind === 'create' ? 'started' : 'continues'}`,
        text: message`${facts.job} may still open a pull request. This run does not wait for it.`,
        next: facts.waiting,
      };
    case 'dry-run':
      return {
        level: 'none',
        title: 'Dry run',
        text: joinMessages(
          describeKeyCheck(outcome.keyCheck, facts),
          ...describeWait(outcome.job, facts),
          facts.noEffect,
        ),
        next: [],
      };
    case 'skipped':
      return {
        level: 'notice',
        title: 'Documentation job skipped',
        text: message`No file that changed since ${code(outcome.previousTag)} matches ${code('paths')} (files changed: ${String(outcome.files)}). ${facts.noEffect}`,
        next: [],
      };
    case 'failed':
      return {
        level: 'error',
        title: 'Documentation job failed',
        text: message`${facts.job} failed. The service does not say why.`,
        next: [
          message`To start a new job${facts.cost(', which costs credits again')}, ${facts.isNamed ? message`set ${code('prompt')} without ${code('job-id')}` : message`re-run the workflow job`}. To send this job a follow-up, set ${code('job-id')} and ${code('prompt')}.`,
          ...facts.charges,
        ],
      };
    case 'timed-out':
      return {
        level: 'error',
        title: 'Timed out waiting for the documentation job',
        text: message`${describeProgress(result, facts)} It may still open a pull request.`,
        next: [
          ...facts.waiting,
          state.pollFailure === undefined
            ? message`If jobs often take this long, raise ${code('timeout-minutes')}.`
            : message`Check the status of the service and the network of the runner.`,
        ],
      };
    case 'cancelled':
      return { level: 'none', ...describeCancelled(outcome.excerpt, result, facts) };
    case 'not-started':
      return { level: 'error', ...describeNotStarted(outcome, facts) };
    case 'start-unknown':
      return { level: 'error', ...describeStartUnknown(outcome, facts) };
    case 'lost':
      return { level: 'error', ...describeLost(outcome, result, facts) };
  }
}

function describeKeyCheck(keyCheck: KeyCheck, facts: Facts): Message {
  switch (keyCheck) {
    case 'may-start':
      return message`The inputs are valid, and the service lets the key start jobs. Only a real run shows whether the project is right${facts.cost(' and credits are left')}.`;
    case 'may-read':
      return message`The inputs are valid, and the service lets the key read the job.`;
    default:
      return message`The inputs are valid, but the key couldn't be checked (${keyCheck.unchecked}).`;
  }
}

/** Says which job a real run would wait for. */
function describeWait(job: Job | undefined, { isFollowUp }: Facts): Message[] {
  const first = isFollowUp ? message`send the follow-up and ` : message``;
  return job === undefined
    ? []
    : [message`A real run would ${first}wait for job ${job.id}, now ${code(job.status)}.`];
}

function describeCancelled(excerpt: string | undefined, { state }: RunResult, facts: Facts): Words {
  const { jobId, job, mayHaveStarted } = state;
  const intro = message`The step was canceled.`;
  if (mayHaveStarted) {
    const text = joinMessages(intro, facts.possibleEffect, ...describeExcerpt(excerpt));
    const title = `Canceled, ${facts.isFollowUp ? 'follow-up' : 'job start'} not confirmed`;
    return { title, text, next: lookForStart(facts) };
  }
  if (jobId === undefined || (facts.isFollowUp && job === undefined)) {
    const title = `Canceled, ${facts.isFollowUp ? 'follow-up not sent' : 'no job started'}`;
    return { title, text: message`${intro} ${facts.noEffect}`, next: [] };
  }
  const text = message`${intro} ${facts.job} can't be stopped and may still open a pull request.`;
  return { title: 'Canceled, job may continue', text, next: facts.waiting };
}

/** Says the last status of a job that is not final, and for how long it couldn't be read. */
function describeProgress({ state, elapsedMs }: RunResult, facts: Facts): Message {
  const { job, pollFailure } = state;
  const time = formatDuration(elapsedMs);
  if (job === undefined) {
    return message`After ${time}, the status of the job is still unknown (${pollFailure?.detail ?? 'no poll'}).`;
  }
  const isUnseen = facts.isFollowUp && isFinalStatus(job.status);
  const unseen = isUnseen ? message` No poll has shown it working on the follow-up.` : [];
  if (pollFailure === undefined) {
    return message`${facts.job} is still ${code(job.status)} after ${time}.${unseen}`;
  }
  const last = formatDuration(Math.max(1_000, elapsedMs - pollFailure.sinceMs));
  return message`${facts.job} was ${code(job.status)} when it was last read. For the last ${last}, it couldn't be read (${pollFailure.detail}).${unseen}`;
}

function describeLost(
  outcome: Extract<Outcome, { outcome: 'lost' }>,
  { state }: RunResult,
  facts: Facts,
): Words {
  const isMissing = outcome.code === 'job-lost' && outcome.reason === 'not-found';
  // Only the inputs say that there is such a job.
  if (isMissing && state.job === undefined && facts.isNamed) {
    return {
      title: 'Documentation job not found',
      text: message`${facts.job} was not found in this project (${outcome.detail}). ${facts.noEffect}`,
      next: [
        message`Copy ${code('job-id')}, ${code('project-id')}, and ${code('base-url')} from the run that started the job.`,
      ],
    };
  }
  const [wait, rerun] = facts.waiting;
  const startsAnother = message`A re-run looks for the job for a minute. If the job is still missing, the re-run starts another one${facts.cost(', which costs credits again')}.`;
  const check = message`Check that the key is valid and may read jobs, and that ${code('project-id')} and ${code('base-url')} are right.`;
  return {
    title: 'Lost track of the documentation job',
    text: message`${facts.job} can't be read (${outcome.detail}). It may still open a pull request.`,
    next: [
      outcome.code === 'internal' ? REPORT_BUG : check,
      ...[wait, isMissing && state.record.kind === 'saved' ? startsAnother : rerun].filter(
        (step) => step !== undefined,
      ),
      ...facts.places,
    ],
  };
}
