import { LAST_JOB } from '../changes/decide.ts';
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
import { COSTS, findCost, findRerun, RERUNS, type Rerun } from './cost-and-rerun.ts';
import type { Remedy } from './endings.ts';
import { completeTitle, type Facts, type FinalFacts, isFollowUp, isNamed } from './facts.ts';
import { findEnding } from './find-ending.ts';
import { STILL_FAILING } from './refusals.ts';

/** In an annotation, in characters. The summary shows more of what others wrote. */
const UNTRUSTED_LIMIT = 100;

/** The answers to four questions: what happened, what to do, what it cost, what a re-run does. */
export type Words = Readonly<ReturnType<typeof describeEnd>>;

/** Returns the words for a run that has ended. */
export function describeEnd(facts: FinalFacts) {
  const { outcome, state } = facts;
  const rerun = findRerun(facts);
  const { title, level = 'error', happened = [], next = [], remedy } = findEnding(facts);
  const toDo = remedy === undefined ? [] : findRemedy(remedy, rerun, facts);
  const unrecorded = describeUnrecorded(facts);
  const unwritten = describeUnwritten(facts);
  const isWritten = unwritten.length === 0;
  const usualLevel = level === 'notice' && unrecorded.length > 0 ? 'warning' : level;
  return {
    title: completeTitle(isWritten ? title : `${title}, outputs not written`, facts),
    // Later steps don't get the outputs, so the step fails.
    level: isWritten ? usualLevel : 'error',
    /** Link to the pull request, if that is what came out of the job. */
    opened: outcome.result === 'pull-request-opened' ? state.job?.prLink : undefined,
    /** What happened, in whole sentences. Empty if the title says it. */
    happened: joinSentences(happened, unrecorded, unwritten),
    /** Problems with inputs, each as a sentence. */
    problems: outcome.code === 'invalid-input' ? outcome.problems : [],
    next: joinSentences(next, toDo, isWritten ? [] : findRemedy('space', rerun, facts)),
    /** True if `job-id` is to be copied into a new run. */
    copiesJobId: toDo === ATTACH || !isWritten,
    cost: findCost(facts),
    rerun,
    /** The section of the page about errors. */
    anchor: outcome.result === 'start-unknown' ? outcome.result : (outcome.code ?? outcome.result),
  };
}

const ATTACH = message`To wait, set this {job-id} and no {prompt} in a new run (free).`;
const WAIT = message`Re-run to keep waiting.`;

/** Returns what to do. A remedy that pays says so. */
export function findRemedy(remedy: Remedy, rerun: Rerun, facts: Facts): Message {
  const newJob = findNewJob(rerun, facts);
  const ifNeeded = message`Still need a job? ${newJob}`;
  const isFree = rerun === 'shows' || rerun === 'waits' || rerun === 'continues';
  switch (remedy) {
    case 'new-job':
      return ifNeeded;
    case 'check':
      return describeCheck(newJob, facts);
    case 'redo':
      return newJob;
    case 'look':
      return isFree ? message`Re-run to look again. ${ifNeeded}` : ATTACH;
    case 'wait':
      return isFree ? WAIT : ATTACH;
    case 'extend':
      return isFree ? message`${WAIT} If this happens often, raise {timeout-minutes}.` : ATTACH;
    case 'attach':
      return ATTACH;
    case 'space':
      return message`Free disk space on the runner${isFree ? ', then re-run' : ''}.`;
  }
}

function findNewJob(rerun: Rerun, facts: Facts): Message {
  const sendsAgain = rerun === 'follow-up' && facts.state.job?.status !== 'archived';
  if (rerun === 'pays' || sendsAgain) {
    return message`Re-run (paid).`;
  }
  if (isNamed(facts)) {
    return message`Start a new run without {job-id} (paid).`;
  }
  const settings = findSettings(facts).map(code);
  return settings.length === 0
    ? message`Start a new run (paid).`
    : message`Set ${settings.reduce((one, other) => message`${one} and ${other}`)} in one new run
        (paid).`;
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

/** Says how to find out what a request has done. Empty if the pull request of a job is known. */
function describeCheck(newJob: Message, facts: Facts): Message {
  const { sentAt, rival, job } = facts.state;
  const createdAt = job?.createdAt === undefined ? undefined : Date.parse(job.createdAt);
  const since = sentAt ?? rival?.atMs ?? createdAt;
  const age = since === undefined ? [] : message` newer than ${formatInstant(since)}`;
  const what = isFollowUp(facts)
    ? message`${code(getJobId(facts.state) ?? '')}'s pull request for commits`
    : message`the docs repository for pull requests`;
  const wait = job?.status === 'archived' ? 'so far' : 'after an hour';
  const isKnown = job?.prLink !== undefined && !isFollowUp(facts);
  const first = rival?.mayRun ? STILL_FAILING : [];
  return isKnown ? [] : joinSentences(first, message`Check ${what}${age}. None ${wait}? ${newJob}`);
}

/** Returns the link to the long story, in the documentation of the running version. */
export function getPage({ next, anchor }: Words, { github: { docsUrl } }: Facts): string {
  return docsUrl !== undefined && next.length > 0 ? `${docsUrl}/errors.md#${anchor}` : '';
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

/** Left out where nothing was spent and the remedy says what a re-run does, and after a success. */
function describeMoney(words: Words, { state }: Facts): Message {
  const { cost, rerun, next, level, opened, copiesJobId } = words;
  const isSuccess = opened !== undefined && level === 'notice';
  const isSaid = (next.length > 0 && !copiesJobId) || rerun === 'compares' || rerun === 'dry-run';
  const isNews = rerun === 'blocked' || rerun === 'pays' || rerun === 'continues';
  const isFree = cost === 'nothing' && !isNews;
  if ((isFree && isSaid) || (isSuccess && rerun === 'shows')) {
    return [];
  }
  const jobId = getJobId(state);
  const job = jobId === undefined ? [] : message`Job: ${code(jobId)} · `;
  return message`${job}Cost: ${COSTS[cost]} · Re-run: ${RERUNS[rerun]}`;
}
