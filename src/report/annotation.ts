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
  const { outcome, state, redact } = facts;
  const toText = (parts: Message): string => toPlainText(parts, redact, UNTRUSTED_LIMIT);
  const { prLink } = state.job ?? {};
  const isSuccess = outcome.result === 'pull-request-opened' && words.level === 'notice';
  if (isSuccess && prLink !== undefined && words.rerun === 'shows') {
    return [toText(link(prLink))];
  }
  const what = joinSentences(words.happened, describeProblems(words.problems), words.next);
  const lines = [joinSentences(what, linkToPage(words, facts)), describeMoney(words, facts)];
  return lines.filter((line) => line.length > 0).map(toText);
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

/** Left out if nothing was spent, and the remedy says what a re-run is good for. */
function describeMoney({ cost, rerun, next }: Words, { state }: FinalFacts): Message {
  const isObvious =
    cost === 'nothing' &&
    (next.length > 0 || rerun === 'compares' || rerun === 'dry-run') &&
    rerun !== 'blocked' &&
    rerun !== 'pays';
  if (isObvious) {
    return [];
  }
  const jobId = getJobId(state);
  const job = jobId === undefined ? [] : message`Job: ${code(jobId)} · `;
  return message`${job}Cost: ${COSTS[cost]} · Re-run: ${RERUNS[rerun]}`;
}
