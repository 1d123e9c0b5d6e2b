import type { PathsDecision } from '../changes/decide.ts';
import { INPUT_DEFAULTS } from '../inputs/defaults.ts';
import type { Outcome } from '../state/outcome.ts';
import {
  type EarlierJob,
  getJobId,
  type RecordedAttempt,
  type RunState,
} from '../state/run-state.ts';
import { formatDuration, formatInstant } from '../text/duration.ts';
import { getLinkName, shortenCommit, trimSlashes } from '../text/link.ts';
import { escapeMarkdown } from '../text/markdown.ts';
import { code, link, type Message, message, toMarkdown } from '../text/message.ts';
import { type Facts, type FinalFacts, getServiceAddress } from './facts.ts';
import { describeRerun, findCost, findRerun } from './money.ts';

// The facts of a run, in the table or in the details of the summary.

/** Only at this address does the action know the pages of the service. */
const OWN_ADDRESS = trimSlashes(new URL(INPUT_DEFAULTS['base-url']));
/** The page of the service with charges and the balance. */
const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';
const MAX_SHOWN_CHANGES = 8;
const STATUS_LIMIT = 60;

/** Says in a few words what changed. Empty if no input needs it. */
export function describeChanges({ changes: reading }: RunState): Message {
  if (reading === undefined) {
    return [];
  }
  const { start, changes } = reading;
  if (start.kind === 'first-run') {
    return message`nothing to compare with yet`;
  }
  if (start.kind === 'none') {
    return message`nothing to compare with, because ${start.reason}`;
  }
  if (start.kind === 'unknown') {
    return message`unknown (${start.detail})`;
  }
  const since = shortenCommit(start.ref);
  if (changes === undefined) {
    return message`not listed, since ${since}`;
  }
  const files = count(changes.files.length, 'file', changes.isCut ? ' or more' : '');
  return message`${count(changes.total, 'commit')}, ${files} since ${since}`;
}

/** Returns a number with its unit, such as `1 file` or `300 or more files`. */
export function count(number: number, unit: string, more = ''): string {
  return `${number}${more} ${unit}${number === 1 ? '' : 's'}`;
}

/** Says why `paths` has started the job. Empty if it hasn't. */
export function describePaths(paths: PathsDecision | undefined): Message {
  if (paths === undefined) {
    return [];
  }
  return paths.kind === 'match'
    ? message`${paths.file} matches {paths}`
    : message`{paths} was ignored (${paths.reason})`;
}

/** A name and a value in Markdown. */
type Row = readonly [string, string];

/** Returns the rows of the table, without those that are empty. */
export function getTable(facts: Facts): Row[] {
  const { state, redact } = facts;
  const cost = findCost(facts);
  const { earlierJob: known } = state;
  const show = (parts: Message): string => toMarkdown(parts, redact);
  const address = getServiceAddress(facts);
  const isOwn = address === OWN_ADDRESS;
  const job = known?.kind === 'found' ? describeEarlierJob(known) : code(getJobId(state) ?? '');
  const usage = cost !== 'nothing' && isOwn ? ` ([Usage](${USAGE_PAGE}))` : '';
  const rows: Row[] = [
    ['Cost', `${cost}${usage}`],
    ['Re‑run', describeRerun(findRerun(facts), facts)],
    ['Changes', show(describeChanges(state))],
    ['Paths', show(describePaths(state.paths))],
    ['Job', show(job)],
    ['Failed job', known?.kind === 'failed' ? show(describeEarlierJob(known)) : ''],
    ['Other run', show(describeOtherRun(state))],
    ['Status', renderStatuses(state)],
    ['Repository', renderRepository(facts)],
    ['Service', isOwn ? '' : show(code(address))],
  ];
  return rows.filter(([, value]) => value !== '');
}

function renderRepository({ state: { job }, github }: Facts): string {
  if (job?.repository === undefined) {
    return '';
  }
  const name = escapeMarkdown(getLinkName(job.repository, github.serverUrl));
  const branch = job.ref === undefined ? '' : `, branch ${escapeMarkdown(job.ref)}`;
  return `[${name}](${job.repository})${branch}`;
}

/** Names an attempt, with a link if it belongs to another run. */
export function nameAttempt({ attempt, isOtherRun, page }: RecordedAttempt): Message {
  return isOtherRun ? message`another run (${link(page)})` : message`attempt ${String(attempt)}`;
}

/** A job on record, and which attempt has started it. */
export function describeEarlierJob({ jobId, attempt }: EarlierJob): Message {
  return message`${code(jobId)} of ${nameAttempt(attempt)}`;
}

/** Says what another run did about the same task. Empty if none is known. */
export function describeOtherRun({ otherRun }: RunState): Message {
  if (otherRun === undefined) {
    return [];
  }
  const { jobId, attempt } = otherRun;
  return jobId === undefined
    ? message`${nameAttempt(attempt)} may be starting a job for the same task`
    : message`${nameAttempt(attempt)} has started ${code(jobId)} for the same task`;
}

/** The newest statuses, each with the time of its first poll, and the time of the last poll. */
function renderStatuses({ statusChanges, seenMs }: RunState): string {
  const shown = statusChanges
    .slice(-MAX_SHOWN_CHANGES)
    .map(({ status, atMs }) => `${escapeMarkdown(status, STATUS_LIMIT)} (${formatDuration(atMs)})`);
  const more = statusChanges.length > MAX_SHOWN_CHANGES ? ['…'] : [];
  const isSeenLater = seenMs !== undefined && seenMs !== statusChanges.at(-1)?.atMs;
  const seen = isSeenLater ? `, last seen at ${formatDuration(seenMs)}` : '';
  return `${[...more, ...shown].join(' → ')}${seen}`;
}

/** Returns the start of a response that can't be used: it may name a job. */
export function getExcerpt(outcome: Outcome): string {
  return ('excerpt' in outcome && outcome.excerpt) || '';
}

/** Returns what only a closer look needs. */
export function getDetails({ state, elapsedMs, outcome, inputs, redact }: FinalFacts): Row[] {
  const { job, polls, sentAt } = state;
  const rows: Row[] = [
    ['`job-result`', `\`${outcome.result}\``],
    ['Project', toMarkdown(code(inputs?.projectId ?? ''), redact)],
    ['Model', escapeMarkdown(job?.model ?? '')],
    ['Sent', sentAt === undefined ? '' : formatInstant(sentAt)],
    ['Elapsed', formatDuration(elapsedMs)],
    ['Polls', String(polls)],
    ['Response', toMarkdown(code(getExcerpt(outcome)), redact)],
  ];
  return rows.filter(([, value]) => value !== '');
}
