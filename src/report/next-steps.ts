import { LAST_RUN } from '../inputs/changes-since.ts';
import { isFinalStatus } from '../service/job.ts';
import { getEffect } from '../state/outcome.ts';
import { getJobId, type RecordedAttempt } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import { code, lineToCopy, link, type Message, message } from '../text/message.ts';
import { anotherJob, atCost, atNoCost } from './cost.ts';
import {
  type Facts,
  getRangeStart,
  isFollowUp,
  isNamed,
  isOwnService,
  isRehearsal,
  isRerunFree,
} from './facts.ts';
import { USAGE_PAGE } from './pages.ts';

/** How to wait for the job: at most two ways, first the one without an input. */
export function waitForJob(facts: Facts): readonly Message[] {
  if (!canAttach(facts)) {
    return [CHECK_FOR_COMMITS];
  }
  const wait = facts.inputs?.wait === false ? message`, {wait: true},` : [];
  const newRun = message`start a new run with this {job-id}${wait} and no prompt.`;
  const later = warnOfNextRun(facts);
  const line = copyJobId(facts);
  if (!isRerunFree(facts) || facts.inputs?.wait === false) {
    return [message`To wait for the job, ${newRun}${later}${line}`];
  }
  const rerun = message`To wait for the job, re-run the workflow job.`;
  if (isNamed(facts)) {
    return [rerun];
  }
  return later.length === 0
    ? [rerun, message`Or ${newRun}${line}`]
    : [
        message`${rerun} If that succeeds, the next run for this event starts no job for the same
          changes.`,
        message`Or ${newRun} The next run for this event then starts ${anotherJob(facts)} for the
          same changes.${line}`,
      ];
}

/** A run that compares with the last successful one covers the changes of all failed ones. */
function warnOfNextRun(facts: Facts): Message {
  const { inputs, outcome, github } = facts;
  const isPassing = outcome !== undefined && outcome.code === undefined;
  if (inputs?.changesSince !== LAST_RUN || isNamed(facts) || isPassing) {
    return [];
  }
  const prevent =
    github.sha === undefined
      ? []
      : message` To prevent that, set {changes-since} to ${code(github.sha)} in the workflow file,
          until a run has passed.`;
  return message` The next run for this event starts ${anotherJob(facts)} for the same
    changes.${prevent}`;
}

/** After a follow-up, a run that only waits could mistake the old final status for the result. */
export function canAttach(facts: Facts): boolean {
  const { job } = facts.state;
  return !isFollowUp(facts) || (job !== undefined && !isFinalStatus(job.status));
}

/** If only the pull request can show whether a follow-up was carried out. */
export const CHECK_FOR_COMMITS = message`Check the job's pull request for new commits.`;

/** Returns the inputs to copy. Quoted, because YAML reads an id such as `1e5` as a number. */
export function copyJobId({ state, inputs }: Facts, jobId = getJobId(state) ?? ''): Message {
  const wait = inputs?.wait === false ? '\n  wait: true' : '';
  return lineToCopy(`job-id: "${jobId}"${wait}`);
}

/**
 * Where a job leaves traces: that of this run, or an earlier one. No documented page lists the jobs
 * of the API.
 */
export function lookForJob(facts: Facts, isEarlier = false): Message {
  const { state, outcome } = facts;
  const since =
    state.sentAt === undefined || isEarlier
      ? []
      : message` from after ${formatInstant(state.sentAt)}`;
  const isUnconfirmed =
    isEarlier || getEffect(state, outcome) === 'possible' || state.rival !== undefined;
  const charges =
    isUnconfirmed && isOwnService(facts)
      ? message`, and for a charge in the activity log at ${link(USAGE_PAGE)}`
      : [];
  return message`Look for a pull request${since} in the documentation
    repository${ofProject(facts)}${charges}.`;
}

/** Names the project, for somebody who has to look for a job. */
export function ofProject({ inputs }: Facts): Message {
  return inputs === undefined ? [] : message` of project ${code(inputs.projectId)}`;
}

const AFTER_REHEARSAL = message`In a rehearsal, a second job costs nothing: re-run this workflow
  job. With a live key, first look for a pull request and a charge.`;

/** How to find out whether a request had an effect, and what to do if it had none. */
export function checkEffect(facts: Facts, namedId?: string): Message[] {
  if (isRehearsal(facts)) {
    return isFollowUp(facts)
      ? [message`In a rehearsal, sending it again costs nothing: re-run this workflow job.`]
      : [AFTER_REHEARSAL];
  }
  if (isFollowUp(facts) && isConflict(facts)) {
    return [
      message`The job may still be at work, and then got no follow-up. To wait until it has
        ended${atNoCost(facts)}, start a new run with this {job-id} and no
        prompt.${copyJobId(facts)}`,
      message`If its pull request has no commits that answer the follow-up, re-run this workflow
        job. That sends the follow-up again${atCost(facts)}.`,
    ];
  }
  if (isFollowUp(facts)) {
    return [
      message`Don't re-run yet. Check the job's pull request for commits that answer the follow-up:
        a new run with this {job-id} and no prompt shows its link${atNoCost(facts)}. If you find
        such commits, the job got the follow-up, so don't re-run.${copyJobId(facts)}`,
      message`If there are none within half an hour, re-run this workflow job. That sends the
        follow-up again${atCost(facts)}.`,
    ];
  }
  const anything = isConflict(facts)
    ? message`anything but the pull request of another job`
    : message`anything`;
  const look = message`${lookForJob(facts)} If you find ${anything}, a job was started, so don't
    re-run: it goes on by itself.${warnOfNextRun(facts)}`;
  const retry = message`If nothing shows up within half an hour, ${startJob(facts)}.
    ${startsOne(facts)}`;
  return namedId === undefined
    ? [message`Don't re-run yet. ${look}`, retry]
    : [
        message`Don't re-run yet. The response names the id ${code(namedId)}. To find
          out${atNoCost(facts)} whether that is the job, start a new run with this {job-id} and no
          prompt. If its pull request isn't about your prompt, it is another job.${copyJobId(
            facts,
            namedId,
          )}`,
        message`${look} ${retry}`,
      ];
}

/** True if the service may have refused the request because another job is running. */
function isConflict({ outcome }: Facts): boolean {
  return outcome !== undefined && 'httpStatus' in outcome && outcome.httpStatus === 409;
}

/** How to find out whether another step or run has started the job. */
export function checkRival(attempt: RecordedAttempt, facts: Facts): Message[] {
  const { rival } = facts.state;
  if (isRehearsal(facts) && attempt.isSameAttempt) {
    return [AFTER_REHEARSAL];
  }
  if (attempt.isSameAttempt) {
    return [
      message`Don't re-run yet. ${lookForJob(facts)} If you find anything, a job was started, so
        don't re-run: it goes on by itself.`,
      message`If nothing shows up within half an hour, re-run this workflow job.
        ${startsOne(facts)}`,
    ];
  }
  const look = message`${lookForJob(facts)} If you find anything, a job was started, so don't start
    another one.`;
  const retry = message`If nothing shows up within half an hour, re-run the workflow job of the
    other run, or start a new run with {reuse: never}. ${startsOne(facts)}`;
  return rival?.isUnknown === true
    ? [look, retry]
    : [
        message`If the run at ${link(attempt.page)} is still going, re-run this workflow job when it
          has ended.`,
        message`Otherwise: ${look} ${retry}`,
      ];
}

/** Continues a step that starts a job. */
export function startsOne(facts: Facts): Message {
  return message`That starts a job${atCost(facts)}.`;
}

/** How to start another job after this one has ended. */
export function startAnotherJob(facts: Facts): Message {
  const how = isNamed(facts)
    ? message`set {prompt} without {job-id} in a new run`
    : message`start a new run${withNewTask(facts)}`;
  return message`To start another job${atCost(facts)}, ${how}.`;
}

/**
 * Without these inputs, a new run for the release could wait for an earlier job, or stop, and one
 * for a push would be about other changes.
 */
export function withNewTask(facts: Facts): Message {
  if (facts.inputs?.reuse === 'release') {
    return message` with {reuse: never}`;
  }
  const start = getRangeStart(facts);
  return start === undefined ? [] : message` with {changes-since} set to ${code(start)}`;
}

/**
 * True if a re-run can start a job. While GitHub doesn't take or list the claims of a run, a re-run
 * stops instead.
 */
export function canRerunStart({ state: { claim, earlierJob } }: Facts): boolean {
  const isUnread = earlierJob?.kind === 'unreadable' && earlierJob.problem === 'unavailable';
  return !isUnread && claim.kind !== 'unavailable' && claim.kind !== 'left-open';
}

/** How to start the job after this run has started none. */
export function startJob(facts: Facts): Message {
  return canRerunStart(facts)
    ? message`re-run this workflow job`
    : message`start a new run${withNewTask(facts)}`;
}
