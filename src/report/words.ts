import { LAST_JOB } from '../changes/range.ts';
import { getEffect } from '../state/outcome.ts';
import { getJobId } from '../state/run-state.ts';
import {
  code,
  joinSentences,
  link,
  type Message,
  message,
  toPlainText,
  toSentence,
} from '../text/message.ts';
import { ENDS, type End, getSection } from './ends.ts';
import { completeTitle, type Facts, type FinalFacts, isRehearsal } from './facts.ts';
import { findEnd } from './find-end.ts';
import { describeRerun, findCost, findRerun, isFound } from './money.ts';
import { ATTACH, describeNewJob, describeRemedy } from './remedies.ts';

/** In an annotation, in characters. The summary shows more of what others wrote. */
const UNTRUSTED_LIMIT = 100;

/** The answers to four questions: what happened, what to do, what it cost, what a re-run costs. */
export type Words = Readonly<ReturnType<typeof describeEnd>>;

/** Returns the words for a run that has ended. */
export function describeEnd(facts: FinalFacts) {
  const { outcome, state, outputProblem } = facts;
  const [key, reason] = findEnd(facts);
  const { title, level, happened, fillNext, remedies }: End = ENDS[key];
  const unrecorded = describeUnrecorded(facts);
  const isUnwritten = outputProblem !== undefined && outcome.code !== 'unwritable-output';
  const unwritten = isUnwritten ? `The outputs can't be written: ${outputProblem}` : '';
  const usualLevel = level === 'notice' && unrecorded.length > 0 ? 'warning' : level;
  const describe = (remedy: End['remedies'][number]) => describeRemedy(remedy, facts);
  return {
    title: completeTitle(`${title}${isUnwritten ? ', outputs not written' : ''}`, facts),
    // Later steps don't get the outputs, so the step fails.
    level: isUnwritten ? 'error' : usualLevel,
    /** Link to the pull request, if that is what came out of the job. */
    opened: outcome.result === 'pull-request-opened' ? state.job?.prLink : undefined,
    /** What happened, in whole sentences. Empty if the title says it. */
    happened: joinSentences(
      describeExample(facts),
      happened,
      reason,
      unrecorded,
      toSentence(message`${unwritten}`),
    ),
    /** Problems with inputs, each as a sentence. */
    problems: outcome.code === 'invalid-input' ? outcome.problems : [],
    next: joinSentences(
      fillNext(describe),
      describeNextJob(facts),
      describeLeftClaim(facts),
      isUnwritten ? describeSpace(facts) : [],
    ),
    /** True if `job-id` is to be copied into a new run. */
    copiesJobId: isUnwritten || remedies.map(describe).includes(ATTACH),
    cost: findCost(facts),
    rerun: findRerun(facts),
    /** The section of the page about errors. */
    section: getSection(key),
  };
}

/** The link of a rehearsal may be that of somebody's pull request. */
function describeExample(facts: FinalFacts): Message {
  const isOpened = facts.outcome.result === 'pull-request-opened';
  return isOpened && isRehearsal(facts) ? message`An example: no pull request was opened.` : [];
}

/** Later attempts can't know how this one ended. */
function describeUnrecorded({ state: { claim } }: FinalFacts): Message {
  return claim.kind === 'unsettled'
    ? toSentence(message`GitHub didn't store the result (${claim.detail}), so re-runs may fail`)
    : [];
}

/**
 * With `last job`, no changes begin after a job that failed, or a run that was refused. While its
 * claim may be open, that can hold up the next run.
 */
function describeNextJob({ state, outcome, inputs }: FinalFacts): Message {
  const isClear = state.claim.kind !== 'unsettled' && !inputs?.dryRun;
  const isSinceLastJob = inputs?.changesSince === LAST_JOB && isClear;
  // A first run, which has no start, asks the service nothing.
  const isByService = !('cause' in outcome) && outcome.code !== 'internal';
  const hasStart = isByService || state.changes?.start.kind === 'known';
  const isUndone = outcome.result === 'failed' || (outcome.result === 'not-started' && hasStart);
  return isSinceLastJob && isUndone ? message`Or leave the changes to the next job.` : [];
}

/** A run that started nothing may have left its claim, at which later attempts stop. */
function describeLeftClaim(facts: FinalFacts): Message {
  const { state, outcome } = facts;
  const isLeft = state.claim.kind === 'unsettled' && getEffect(state, outcome) === 'none';
  if (!isLeft || isFound(facts)) {
    return [];
  }
  const isCanceled = outcome.result === 'cancelled';
  const question = isCanceled ? 'Still need a job?' : 'Does a re-run fail?';
  return message`${question} ${describeNewJob(facts)}`;
}

function describeSpace(facts: Facts): Message {
  const then = isFound(facts) ? message` Then re-run.` : [];
  return message`Check disk space and permissions on the runner.${then}`;
}

/** Returns the link to the long story, in the documentation of the running version. */
export function getPage(words: Words, { github: { docsUrl } }: Facts): string {
  const { next, problems, section } = words;
  const isNeeded = next.length > 0 || problems.length > 0;
  return docsUrl !== undefined && isNeeded ? `${docsUrl}/errors.md#${section}` : '';
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

/** Shown if something was or may have been spent, a re-run pays, or the id is to be copied. */
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
