import { LAST_JOB } from '../changes/range.ts';
import { getScope } from '../record/task.ts';
import { getJobId } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import { code, type Message, message } from '../text/message.ts';
import type { Remedy } from './ends.ts';
import { type Facts, isFollowUp, isNamed, isRehearsal } from './facts.ts';
import { findRerun, isFound } from './money.ts';

/** How to wait for a job that no re-run finds. */
export const ATTACH = message`To wait, set this {job-id} and no {prompt} in a new run (free).`;
const WAIT = message`Re-run to keep waiting.`;

/** Returns what to do. What costs says so, unless nothing can. */
export function describeRemedy(remedy: Remedy, facts: Facts): Message {
  switch (remedy) {
    case 'attach':
      return ATTACH;
    case 'wait':
      return isFound(facts) ? WAIT : ATTACH;
    case 'extend':
      return isFound(facts)
        ? message`${WAIT} If this happens often, raise the input {timeout-minutes}.`
        : ATTACH;
    case 'look':
      return isFound(facts) ? message`Re-run to look again.` : ATTACH;
    case 'check':
      return describeCheck(facts);
    case 'await-run':
      return message`Once it ends, re-run to find its job, or start one ${describePrice(facts)}.`;
    case 'new-job':
      return describeNewJob(facts);
    case 'earlier-job':
      return describeEarlierJob(facts);
    case 'price':
      return describePrice(facts);
  }
}

function describePrice(facts: Facts): Message {
  return isRehearsal(facts) ? message`(free)` : message`(paid)`;
}

/** Whoever starts a re-run has answered the question. */
function describeEarlierJob(facts: Facts): Message {
  return facts.github.runAttempt > 1
    ? []
    : message`Was there one? Set {changes-since} to its tag or commit in one new run
        ${describePrice(facts)}.`;
}

/** Says how to start another job, by a re-run if that always starts one. */
export function describeNewJob(facts: Facts): Message {
  const price = describePrice(facts);
  // No follow-up reaches an archived job.
  const isOver = isFollowUp(facts) && facts.state.job?.status === 'archived';
  if (findRerun(facts) === 'pays' && !isOver) {
    return message`Re-run ${price}.`;
  }
  if (isNamed(facts)) {
    return message`Start a new run without {job-id} ${price}.`;
  }
  const [first, second] = findSettings(facts).map(code);
  const settings = second === undefined ? first : message`${first ?? []} and ${second}`;
  return settings === undefined
    ? message`Start a new run ${price}.`
    : message`Set ${settings} in one new run ${price}.`;
}

/** Returns what a new run needs so that it starts a job in spite of what is on record. */
function findSettings({ inputs, state }: Facts): string[] {
  if (inputs !== undefined && getScope(inputs) === 'release') {
    return ['reuse: rerun'];
  }
  if (inputs?.changesSince !== LAST_JOB) {
    return [];
  }
  const settings = inputs.skipWhilePrOpen ? ['skip-while-pr-open: false'] : [];
  // The next run begins after this job, because it has ended, or can't be found.
  const isDone = getJobId(state) !== undefined && state.job?.status !== 'failed';
  const start = state.changes?.start;
  const ref = start?.kind === 'known' ? start.ref : '<commit of the last job>';
  return isDone ? [`changes-since: ${ref}`, ...settings] : settings;
}

/**
 * Says how to find out what a request has done. Empty if the pull request of a job is known. An
 * emulator opens none.
 */
function describeCheck(facts: Facts): Message {
  const { state, inputs } = facts;
  const { sentAt, rival, job } = state;
  if (isRehearsal(facts)) {
    return describeNewJob(facts);
  }
  const createdAt = job?.createdAt === undefined ? undefined : Date.parse(job.createdAt);
  const since = sentAt ?? rival?.atMs ?? createdAt;
  const age = since === undefined ? [] : message` newer than ${formatInstant(since)}`;
  const project = inputs === undefined ? [] : message` of project ${code(inputs.projectId)}`;
  const what = isFollowUp(facts) ? 'commits of the agent' : 'pull requests';
  const wait = job?.status === 'archived' ? 'so far' : 'after an hour';
  const isKnown = job?.prLink !== undefined && !isFollowUp(facts);
  const next = describeNewJob(facts);
  return isKnown
    ? []
    : message`Check the docs repository${project} for ${what}${age}. None ${wait}? ${next}`;
}
