import { LAST_JOB } from '../changes/range.ts';
import { getJobId } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import {
  code,
  joinSentences,
  link,
  type Message,
  message,
  toPlainText,
  toSentence,
} from '../text/message.ts';
import { ENDS, type End, getSection, type Remedy } from './ends.ts';
import {
  completeTitle,
  type Facts,
  type FinalFacts,
  isFollowUp,
  isNamed,
  isRehearsal,
} from './facts.ts';
import { findEnd } from './find-end.ts';
import { describeRerun, findCost, findRerun, isFound } from './money.ts';

/** In an annotation, in characters. The summary shows more of what others wrote. */
const UNTRUSTED_LIMIT = 100;

/** The answers to four questions: what happened, what to do, what it cost, what a re-run does. */
export type Words = Readonly<ReturnType<typeof describeEnd>>;

/** Returns the words for a run that has ended. */
export function describeEnd(facts: FinalFacts) {
  const { outcome, state } = facts;
  const { key, reason } = findEnd(facts);
  const { title, level, happened, fillNext, remedies }: End = ENDS[key];
  const unrecorded = describeUnrecorded(facts);
  const unwritten = describeUnwritten(facts);
  const isWritten = unwritten.length === 0;
  const usualLevel = level === 'notice' && unrecorded.length > 0 ? 'warning' : level;
  return {
    title: completeTitle(`${title}${describeMissing(facts)}`, facts),
    // Later steps don't get the outputs, so the step fails.
    level: isWritten ? usualLevel : 'error',
    /** Link to the pull request, if that is what came out of the job. */
    opened: outcome.result === 'pull-request-opened' ? state.job?.prLink : undefined,
    /** What happened, in whole sentences. Empty if the title says it. */
    happened: joinSentences(happened, reason, unrecorded, unwritten),
    /** Problems with inputs, each as a sentence. */
    problems: outcome.code === 'invalid-input' ? outcome.problems : [],
    next: joinSentences(
      fillNext((remedy) => describeRemedy(remedy, facts)),
      isWritten ? [] : describeSpace(facts),
    ),
    /** True if `job-id` is to be copied into a new run. */
    copiesJobId: remedies.some((remedy) => isAttached(remedy, facts)) || !isWritten,
    cost: findCost(facts),
    rerun: findRerun(facts),
    /** The section of the page about errors. */
    section: getSection(key),
  };
}

/** Says in the title what the run lacks. */
function describeMissing(facts: FinalFacts): string {
  const { outcome, inputs } = facts;
  const isRefused = outcome.result === 'not-started' && inputs?.dryRun !== true;
  const unsent = isFollowUp(facts) ? ', follow-up not accepted' : ', no job started';
  const isWritten = describeUnwritten(facts).length === 0;
  return `${isRefused ? unsent : ''}${isWritten ? '' : ', outputs not written'}`;
}

const ATTACH = message`To wait, set this {job-id} and no {prompt} in a new run (free).`;
const MAY_BE_PAID = message` (may be paid)`;
const WAIT = message`Re-run to keep waiting.`;

/** Returns what to do. A remedy that pays says so. */
export function describeRemedy(remedy: Remedy, facts: Facts): Message {
  switch (remedy) {
    case 'attach':
      return ATTACH;
    case 'wait':
      return isFound(facts) ? WAIT : ATTACH;
    case 'extend':
      return isFound(facts)
        ? message`${WAIT} If this happens often, raise {timeout-minutes}.`
        : ATTACH;
    case 'look':
      return isFound(facts) ? message`Re-run to look again.` : ATTACH;
    case 'check':
      return describeCheck(facts);
    case 'await-run':
      return message`Wait until it has ended. Then re-run${isRehearsal(facts) ? [] : MAY_BE_PAID}.`;
    case 'new-job':
      return describeNewJob(facts);
  }
}

/** True if a remedy means a new run that names the job, because a re-run doesn't find it. */
function isAttached(remedy: Remedy, facts: Facts): boolean {
  const waits = remedy === 'wait' || remedy === 'extend' || remedy === 'look';
  return remedy === 'attach' || (waits && !isFound(facts));
}

/** What costs says so, unless nothing can. */
function describePaid(facts: Facts): Message {
  return isRehearsal(facts) ? [] : message` (paid)`;
}

function describeNewJob(facts: Facts): Message {
  const { state } = facts;
  const paid = describePaid(facts);
  // No follow-up reaches an archived job.
  const isOver = isFollowUp(facts) && state.job?.status === 'archived';
  if (findRerun(facts) === 'pays' && !isOver) {
    return message`Re-run${paid}.`;
  }
  if (isNamed(facts)) {
    return message`Start a new run without {job-id}${paid}.`;
  }
  const settings = findSettings(facts).map(code);
  return settings.length === 0
    ? message`Start a new run${paid}.`
    : message`Set ${settings.reduce((one, other) => message`${one} and ${other}`)} in one new
        run${paid}.`;
}

/** Returns what a new run needs so that it starts a job in spite of what is on record. */
function findSettings({ inputs, state }: Facts): string[] {
  if (inputs?.reuse === 'release') {
    return ['reuse: rerun'];
  }
  if (inputs?.changesSince !== LAST_JOB) {
    return [];
  }
  const settings = inputs.skipWhilePrOpen ? ['skip-while-pr-open: false'] : [];
  // The next run begins after this job, because it has ended, or can't be found.
  const isDone = getJobId(state) !== undefined && state.job?.status !== 'failed';
  const start = state.changes?.start;
  const ref = start?.kind === 'known' ? start.ref : '<last documented commit>';
  return isDone ? [`changes-since: ${ref}`, ...settings] : settings;
}

/** Later attempts can't know how this one ended. */
function describeUnrecorded({ state: { claim } }: FinalFacts): Message {
  return claim.kind === 'unsettled'
    ? toSentence(message`The result couldn't be stored on GitHub: ${claim.detail}`)
    : [];
}

function describeUnwritten({ outcome, outputProblem }: FinalFacts): Message {
  return outputProblem === undefined || outcome.code === 'unwritable-output'
    ? []
    : toSentence(message`The outputs can't be written: ${outputProblem}`);
}

function describeSpace(facts: Facts): Message {
  return message`Free disk space on the runner${isFound(facts) ? ', then re-run' : ''}.`;
}

/** Says how to find out what a request has done. Empty if the pull request of a job is known. */
function describeCheck(facts: Facts): Message {
  const { sentAt, rival, job } = facts.state;
  const createdAt = job?.createdAt === undefined ? undefined : Date.parse(job.createdAt);
  const since = sentAt ?? rival?.atMs ?? createdAt;
  const age = since === undefined ? [] : message` newer than ${formatInstant(since)}`;
  const what = isFollowUp(facts)
    ? message`${code(getJobId(facts.state) ?? '')}'s pull request for commits`
    : message`the docs repository for pull requests`;
  const wait = job?.status === 'archived' ? 'so far' : 'after an hour';
  const isKnown = job?.prLink !== undefined && !isFollowUp(facts);
  return isKnown ? [] : message`Check ${what}${age}. None ${wait}? ${describeNewJob(facts)}`;
}

/** Returns the link to the long story, in the documentation of the running version. */
export function getPage({ next, section }: Words, { github: { docsUrl } }: Facts): string {
  return docsUrl !== undefined && next.length > 0 ? `${docsUrl}/errors.md#${section}` : '';
}

/** Returns up to two lines: what happened and what to do; cost and re-run. A success is a link. */
export function renderAnnotation(words: Words, facts: Facts): string[] {
  const [problem = [], ...others] = words.problems;
  const more = others.length === 0 ? [] : message`${String(others.length)} more in the log.`;
  const what = [words.happened, problem, more, words.next];
  const lines = [
    joinSentences(link(words.opened), ...what, link(getPage(words, facts))),
    describeMoney(words, facts),
  ];
  const shown = lines.filter((line) => line.length > 0);
  return shown.map((line) => toPlainText(line, facts.redact, UNTRUSTED_LIMIT));
}

/** Shown if something was or may have been spent, if a re-run pays, or if the id is to be copied. */
function describeMoney({ cost, rerun, level, opened, copiesJobId }: Words, facts: Facts): Message {
  const isSuccess = opened !== undefined && level === 'notice';
  const isNeeded = (cost !== 'nothing' && !isSuccess) || rerun === 'pays' || copiesJobId;
  if (!isNeeded) {
    return [];
  }
  const jobId = getJobId(facts.state);
  const job = jobId === undefined ? [] : message`Job: ${code(jobId)} · `;
  return message`${job}Cost: ${cost} · Re-run: ${describeRerun(rerun, facts)}`;
}
