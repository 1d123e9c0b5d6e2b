import { getJobId } from '../state/run-state.ts';
import { code, joinSentences, link, type Message, message, toPlainText } from '../text/message.ts';
import { COSTS, RERUNS } from './cost-and-rerun.ts';
import type { FinalFacts } from './facts.ts';
import type { Words } from './words.ts';

/** In characters. The summary shows more of what others wrote. */
const UNTRUSTED_LIMIT = 100;

/**
 * Returns at most two lines for the page of the run: what happened and what to do; cost and re-run.
 * After a success, the link is all.
 */
export function renderAnnotation(words: Words, facts: FinalFacts): string[] {
  const { happened, problems, next } = words;
  const { outcome, state, redact } = facts;
  const opened = outcome.result === 'pull-request-opened' ? link(state.job?.prLink ?? '') : [];
  const what = joinSentences(opened, happened, describeProblems(problems), next);
  const lines = [joinSentences(what, linkToPage(words, facts)), describeMoney(words, facts)];
  const shown = lines.filter((line) => line.length > 0);
  return shown.map((line) => toPlainText(line, redact, UNTRUSTED_LIMIT));
}

/** Returns the first problem, and how many the log has beside it. */
function describeProblems([first = [], ...others]: readonly Message[]): Message {
  const more = others.length === 0 ? [] : message`${String(others.length)} more in the log.`;
  return joinSentences(first, more);
}

/** The long story, in the documentation of the running version. */
function linkToPage({ next, anchor }: Words, { github: { docsUrl } }: FinalFacts): Message {
  return docsUrl !== undefined && next.length > 0 ? link(`${docsUrl}/errors.md#${anchor}`) : [];
}

/** Left out where nothing was spent and the remedy says what a re-run does, and after a success. */
function describeMoney(
  { cost, rerun, next, level }: Words,
  { state, outcome }: FinalFacts,
): Message {
  const isSuccess = outcome.result === 'pull-request-opened' && level === 'notice';
  const isSaid = next.length > 0 || rerun === 'compares' || rerun === 'dry-run';
  const isFree = cost === 'nothing' && rerun !== 'blocked' && rerun !== 'pays';
  if ((isFree && isSaid) || (isSuccess && rerun === 'shows')) {
    return [];
  }
  const jobId = getJobId(state);
  const job = jobId === undefined ? [] : message`Job: ${code(jobId)} · `;
  return message`${job}Cost: ${COSTS[cost]} · Re-run: ${RERUNS[rerun]}`;
}
