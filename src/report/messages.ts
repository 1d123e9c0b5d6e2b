import { isFinalStatus } from '../job/job.ts';
import type { KeyCheck, Outcome } from '../outcome.ts';
import type { RunState } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import { describeExcerpt, Facts, type OutcomeMessage, type RunResult } from './facts.ts';
import { describeNotStarted, describeStartUnknown, lookForStart, REPORT_BUG } from './start-messages.ts';

const CONNECT_PAGE = 'https://www.mintlify.com/docs/agent#connect-repositories-as-context';

/** Describes an outcome for annotation, log, and summary. `outputProblem` says why the outputs are not written. */
export function describeOutcome(result: RunResult, outputProblem?: string): OutcomeMessage {
  const facts = new Facts(result);
  const described = describe(result, facts);
  const next = facts.mayBeSecond ? [...described.next, facts.second] : described.next;
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
  switch (outcome.outcome) {
    case 'pull-request-opened':
      return {
        level: 'notice',
        title: 'Documentation pull request opened',
        text: message`${facts.job} opened ${link(state.job?.prLink ?? '')}.`,
        next: [],
      };
    case 'no-pull-request':
      return describeNoPullRequest(state, facts);
    case 'archived':
      return {
        level: 'warning',
        title: 'Documentation job archived',
        text: joinMessages(message`${facts.job} was archived.`, ...describeLink(state)),
        next: [message`An archived job does not continue. A new job costs credits again.`],
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
        text: joinMessages(describeKeyCheck(outcome.keyCheck), facts.noEffect),
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
        text: joinMessages(
          message`${facts.job} failed, and the service does not say why.`,
          ...describeLink(state),
        ),
        next: [
          message`To try again, send this job a follow-up with ${code('job-id')} and ${code('prompt')}, or start a new job. A new job costs credits again, even if a re-run starts it.`,
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
      return describeCancelled(outcome.excerpt, state, facts);
    case 'not-started':
      return describeNotStarted(outcome, facts);
    case 'start-unknown':
      return describeStartUnknown(outcome, facts);
    case 'lost':
      return describeLost(outcome, state, facts);
  }
}

function describeKeyCheck(keyCheck: KeyCheck): Message {
  switch (keyCheck) {
    case 'may-start':
      return message`The inputs are valid, and the service accepts the key for starting jobs. Whether the project is right and credits are left shows only in a real run.`;
    case 'may-read':
      return message`The inputs are valid, and the service accepts the key for reading the job.`;
    default:
      return message`The inputs are valid, but the key couldn't be checked (${keyCheck.unchecked}).`;
  }
}

/** The pull request of the job, or why it is not shown. */
function describeLink({ job }: RunState): Message[] {
  if (job?.prLink !== undefined) {
    return [message`Its pull request is ${link(job.prLink)}.`];
  }
  return job?.prLinkRefused === true
    ? [message`The service returned a link that is not a plain https address, so it was left out.`]
    : [];
}

function describeNoPullRequest(state: RunState, facts: Facts): OutcomeMessage {
  if (state.job?.prLinkRefused === true) {
    const text = joinMessages(message`${facts.job} completed.`, ...describeLink(state));
    return { level: 'warning', title: 'No link to a pull request', text, next: [facts.places] };
  }
  const connect = message`If you expected changes, connect the released repository to the service. The agent sees only connected repositories, and doesn't report a missing one.`;
  return {
    level: 'notice',
    title: 'No documentation pull request',
    text: message`${facts.job} completed without a pull request. Either nothing had to change, or the project publishes without pull requests, as sites hosted by the service always do.`,
    next: [facts.isOwnService ? message`${connect} See ${link(CONNECT_PAGE)}.` : connect],
  };
}

function describeCancelled(
  excerpt: string | undefined,
  { jobId, job, isCreateInFlight }: RunState,
  facts: Facts,
): OutcomeMessage {
  const cancelled = { level: 'none', title: 'Canceled' } as const;
  const intro = message`The step was canceled.`;
  if (isCreateInFlight) {
    const text = joinMessages(intro, facts.possibleEffect, ...describeExcerpt(excerpt));
    return { ...cancelled, text, next: lookForStart(facts) };
  }
  if (jobId === undefined || (facts.isFollowUp && job === undefined)) {
    return { ...cancelled, text: message`${intro} ${facts.noEffect}`, next: [] };
  }
  const text = message`${intro} ${facts.job} can't be stopped, and may still open a pull request.`;
  return { ...cancelled, text, next: facts.waiting };
}

/** Says the last status of a job that is not final, and for how long it couldn't be read. */
function describeProgress({ state, elapsedMs }: RunResult, facts: Facts): Message {
  const { job, pollFailure } = state;
  const time = formatDuration(elapsedMs);
  if (job === undefined) {
    return message`After ${time}, the status of the job is still unknown (${pollFailure?.detail ?? 'no poll'}).`;
  }
  const unseen =
    facts.isFollowUp && isFinalStatus(job.status)
      ? [message`No poll has shown it at work on the follow-up.`]
      : [];
  if (pollFailure === undefined) {
    return joinMessages(message`${facts.job} is still ${code(job.status)} after ${time}.`, ...unseen);
  }
  const last = formatDuration(Math.max(1_000, elapsedMs - pollFailure.sinceMs));
  const read = message`${facts.job} was ${code(job.status)} when it was last read. For the last ${last}, it couldn't be read (${pollFailure.detail}).`;
  return joinMessages(read, ...unseen);
}

function describeLost(
  outcome: Outcome & { outcome: 'lost' },
  { job, earlierJob }: RunState,
  facts: Facts,
): OutcomeMessage {
  const isMissing = outcome.code === 'job-lost' && outcome.reason === 'not-found';
  // Only the inputs say that there is such a job.
  if (isMissing && job === undefined && earlierJob === undefined) {
    return {
      level: 'error',
      title: 'Documentation job not found',
      text: message`${facts.job} was not found in this project (${outcome.detail}). ${facts.noEffect}`,
      next: [
        message`Copy the job id, ${code('project-id')}, and ${code('base-url')} from the run that started the job.`,
      ],
    };
  }
  const isLost = job === undefined ? message`can't be read` : message`can't be read anymore`;
  return {
    level: 'error',
    title: 'Lost track of the documentation job',
    text: message`${facts.job} ${isLost} (${outcome.detail}). It may still open a pull request.`,
    next: [
      outcome.code === 'internal'
        ? REPORT_BUG
        : message`Check that the key is valid and may read jobs, and that ${code('project-id')} and ${code('base-url')} are right.`,
      ...facts.waiting,
      facts.places,
    ],
  };
}
