import { isFinalStatus } from '../job/job.ts';
import type { Outcome } from '../outcome.ts';
import type { RunState } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import {
  describeDetail,
  ERROR,
  isFollowUp,
  NOTICE,
  nameJob,
  type OutcomeMessage,
  REPORT_BUG,
  type RunResult,
} from './outcome-message.ts';
import {
  describeNotStarted,
  describeOtherStart,
  describePossibleStart,
  describeReuseUnknown,
  describeStartUnknown,
  getPossibleStartSteps,
} from './start-messages.ts';

/** Describes an outcome for the annotation, the log, and the summary alike. */
export function describeOutcome(result: RunResult): OutcomeMessage {
  const { outcome, state } = result;
  switch (outcome.outcome) {
    case 'pull-request-opened':
      return {
        ...NOTICE,
        title: 'Documentation pull request opened',
        text: message`The agent opened ${link(state.job?.prLink ?? '')}.`,
      };
    case 'no-pull-request':
      return describeNoPullRequest(state);
    case 'archived':
      return {
        ...NOTICE,
        level: 'warning',
        title: 'Documentation job archived',
        text: joinMessages(
          message`${nameJob(state)} was archived${describeLink(state, 'Its pull request is')}.`,
          ...describeRefusedLink(state),
        ),
        next: [message`Look at the job in the service's dashboard. An archived job does not continue.`],
      };
    case 'started':
      return describeStarted(state);
    case 'dry-run':
      return {
        ...NOTICE,
        level: 'none',
        title: 'Dry run',
        text: message`The inputs are valid. Nothing was sent.`,
      };
    case 'skipped':
      return {
        ...NOTICE,
        title: 'Documentation job skipped',
        text: message`No file that changed since ${code(outcome.previousTag)} matches ${code('paths')} (files changed: ${String(outcome.files)}). No job was started.`,
      };
    case 'failed':
      return {
        ...ERROR,
        title: 'Documentation job failed',
        text: joinMessages(
          message`${nameJob(state)} failed${describeLink(state, 'It left the pull request')}.`,
          message`The service does not say why.`,
          ...describeRefusedLink(state),
        ),
        next: [
          message`Look at the job in the service's dashboard.`,
          message`To try again, run this workflow again, or send this job a follow-up with ${code('job-id')} and ${code('prompt')}.`,
        ],
        canAttach: true,
      };
    case 'timed-out':
      return {
        ...ERROR,
        title: 'Timed out waiting for the documentation job',
        text: joinMessages(
          message`${nameJob(state)} ${describeStatus(state)} after ${formatDuration(result.elapsedMs)}.`,
          describeRest(state),
        ),
        next: [
          describeWayToWait(result),
          message`If jobs often take this long, raise ${code('timeout-minutes')}.`,
        ],
        canAttach: true,
      };
    case 'cancelled':
      return describeCancelled(result);
    case 'not-started':
      switch (outcome.code) {
        case 'invalid-input':
          return {
            ...ERROR,
            title: 'Docs agent: invalid inputs',
            text: message`Nothing was sent. Correct ${outcome.problems.length === 1 ? 'this input' : 'these inputs'}:`,
            problems: outcome.problems,
          };
        case 'reuse-unknown':
          return describeReuseUnknown(outcome.failure, outcome.detail);
        default:
          return describeNotStarted(outcome.code, outcome.detail, result);
      }
    case 'start-unknown':
      return 'record' in outcome
        ? describeOtherStart(outcome.record)
        : describeStartUnknown(state, outcome.detail);
    case 'lost':
      return describeLost(outcome, state);
  }
}

const KEEP_WAITING = message`To wait for it, use ${code('job-id')} without a prompt. That does not start another job.`;

function describeLink({ job }: RunState, introduction: string): Message {
  return job?.prLink === undefined ? [] : message`. ${introduction} ${link(job.prLink)}`;
}

function describeRefusedLink({ job }: RunState): Message[] {
  return job?.prLinkRefused === true
    ? [message`The service returned a link that is not a plain https address, so it was left out.`]
    : [];
}

function describeNoPullRequest(state: RunState): OutcomeMessage {
  return state.job?.prLinkRefused === true
    ? {
        ...NOTICE,
        level: 'warning',
        title: 'Documentation job returned an unusable link',
        text: joinMessages(message`${nameJob(state)} completed.`, ...describeRefusedLink(state)),
        next: [message`Look for the pull request in the service's dashboard.`],
      }
    : {
        ...NOTICE,
        title: 'No documentation pull request',
        text: message`${nameJob(state)} completed without a pull request: no file had to change, or the project publishes without pull requests.`,
      };
}

function describeStarted(state: RunState): OutcomeMessage {
  const started = { ...NOTICE, next: [KEEP_WAITING], canAttach: true };
  switch (state.request?.kind) {
    case 'follow-up':
      return {
        ...started,
        title: 'Follow-up sent',
        text: message`${nameJob(state)} continues in the background.`,
      };
    case 'attach':
      return {
        ...started,
        title: 'Documentation job still running',
        text: message`${nameJob(state)} ${describeStatus(state)}.`,
      };
    case 'create':
    case undefined:
      return {
        ...started,
        title: 'Documentation job started',
        text: message`${nameJob(state)} continues in the background.`,
      };
  }
}

function describeCancelled(result: RunResult): OutcomeMessage {
  const { state } = result;
  const cancelled = {
    ...NOTICE,
    level: 'none',
    title: 'Canceled',
    canAttach: state.jobId !== undefined,
  } as const;
  const intro = message`The step was canceled.`;
  if (state.isCreateInFlight) {
    return {
      ...cancelled,
      text: joinMessages(
        message`The step was canceled while it sent the request.`,
        describePossibleStart(state),
      ),
      next: getPossibleStartSteps(state),
    };
  }
  if (state.jobId === undefined) {
    return { ...cancelled, text: joinMessages(intro, message`No job was started.`) };
  }
  if (isFollowUp(state) && state.job === undefined) {
    return {
      ...cancelled,
      text: joinMessages(intro, message`The follow-up was not sent to agent job ${code(state.jobId)}.`),
    };
  }
  return {
    ...cancelled,
    text: joinMessages(intro, message`${nameJob(state)} can't be stopped.`, describeRest(state)),
    next: [describeWayToWait(result)],
  };
}

/** Says what the job may still do, and no more than is known: it may never have been read. */
function describeRest({ job }: RunState): Message {
  return job !== undefined && !isFinalStatus(job.status)
    ? message`It may still open a pull request.`
    : message`It may still be running, and may open a pull request.`;
}

/** A re-run waits for the job only if it can find the record, and would send a follow-up again. */
function describeWayToWait({ state, inputs }: RunResult): Message {
  if (isFollowUp(state)) {
    return joinMessages(KEEP_WAITING, message`A re-run would send the follow-up again.`);
  }
  if (state.fingerprint === undefined) {
    return message`To keep waiting, re-run the failed jobs. That does not start another job.`;
  }
  return inputs?.reuse === 'never'
    ? KEEP_WAITING
    : message`To keep waiting, re-run the failed jobs: with ${code('actions: read')} and ${code('checks: read')}, the re-run waits for the same job. Or use ${code('job-id')} without a prompt, which does not start another job.`;
}

function describeLost(outcome: Outcome & { outcome: 'lost' }, state: RunState): OutcomeMessage {
  // The job was named by an input, and never read.
  const wasNamed = state.job === undefined && state.earlierJob === undefined;
  if (wasNamed && outcome.code === 'job-lost' && outcome.reason === 'not-found') {
    return {
      ...ERROR,
      title: 'Documentation job not found',
      text: message`${nameJob(state)} was not found in this project (${describeDetail(outcome.detail)}). No job was started.`,
      next: [
        message`Check ${code('job-id')}: copy it from the ${code('job-id')} output or the summary of the run that started the job.`,
        message`Check that ${code('project-id')} and ${code('base-url')} are those of that run.`,
      ],
    };
  }
  return {
    ...ERROR,
    title: wasNamed ? "Couldn't read the documentation job" : 'Lost track of the documentation job',
    text: joinMessages(
      wasNamed
        ? message`${nameJob(state)} couldn't be read (${describeDetail(outcome.detail)}).`
        : message`${nameJob(state)} can't be read anymore (${describeDetail(outcome.detail)}).`,
      message`It may still be running and may still open a pull request.`,
    ),
    next: [
      message`Look at the job in the service's dashboard before you start another one.`,
      outcome.code === 'internal'
        ? REPORT_BUG
        : message`Check that the key is valid and may read jobs, and that ${code('project-id')} and ${code('base-url')} are right.`,
      ...(wasNamed ? [] : [KEEP_WAITING]),
    ],
    canAttach: true,
  };
}

/** After a follow-up, a final status may be the one before it. */
function describeStatus({ job }: RunState): Message {
  if (job === undefined) {
    return message`couldn't be read`;
  }
  return isFinalStatus(job.status)
    ? message`has not confirmed a final status`
    : message`is still ${code(job.status)}`;
}

/** Adds that the outputs could not be written, which fails the step but changes nothing about the outcome. */
export function describeUnwritable(
  described: OutcomeMessage,
  problem: string,
  { jobId }: RunState,
): OutcomeMessage {
  const { level, title, text, problems } = described;
  const loss = joinMessages(
    message`The outputs couldn't be written (${problem}), so later steps don't get them (${code('unwritable-output')}).`,
    ...(jobId === undefined ? [] : [message`The job id is ${code(jobId)}.`]),
  );
  return {
    ...described,
    level: 'error',
    title: level === 'error' ? title : `${title}, but the outputs were not written`,
    // The text introduces the problems, if there are any.
    text: problems.length === 0 ? joinMessages(text, loss) : joinMessages(loss, text),
  };
}
