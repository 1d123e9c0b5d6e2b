import type { PathsDecision, Skip } from '../changes/decide.ts';
import { isFinalStatus } from '../service/job.ts';
import type { Outcome } from '../state/outcome.ts';
import type { RecordedAttempt, RunState } from '../state/run-state.ts';
import { formatDuration, formatInstant } from '../text/duration.ts';
import { getLinkName, shortenCommit } from '../text/link.ts';
import { escapeMarkdown } from '../text/markdown.ts';
import { code, link, type Message, message, toMarkdown } from '../text/message.ts';
import { COSTS, type Cost, RERUNS, type Rerun } from './cost-and-rerun.ts';
import { type Facts, type FinalFacts, getServiceAddress, isOwnService } from './facts.ts';

// The facts of a run, each in its place: beside what happened, in the table, or in the details.

/** The page of the service with charges and the balance. */
const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';
const MAX_SHOWN_CHANGES = 8;
const STATUS_LIMIT = 60;

/** Returns the fact that explains an ending. Not a whole sentence. Empty if nothing is known. */
export function getDetail(facts: FinalFacts): Message {
  const { outcome, state } = facts;
  const { job, pollFailure } = state;
  switch (outcome.result) {
    case 'pull-request-opened':
      return link(job?.prLink ?? '');
    case 'no-pull-request':
      return describeOtherLink(state);
    case 'archived':
    case 'failed':
      return job?.prLink === undefined ? [] : message`It opened ${link(job.prLink)}`;
    case 'started':
      return message`${pollFailure ?? ''}`;
    case 'timed-out':
      return describeTimeout(facts);
    case 'skipped':
      return describeSkip(outcome.skip);
    case 'dry-run':
      return describeRealRun(facts);
    case 'cancelled':
      return state.rival === undefined ? [] : describeRival(state.rival);
    case 'start-unknown':
      return outcome.attempt === undefined
        ? message`${outcome.detail}`
        : describeRival(outcome.attempt);
    default:
      return outcome.code === 'invalid-input' ? [] : message`${outcome.detail}`;
  }
}

function describeOtherLink({ job }: RunState): Message {
  if (job?.refusedLink !== undefined) {
    return message`It is ${code(job.refusedLink)}, which isn't a plain https address`;
  }
  return job?.prLink === undefined ? [] : message`It is ${link(job.prLink)}`;
}

function describeTimeout({ state, elapsedMs }: FinalFacts): Message {
  const { job, pollFailure } = state;
  if (job === undefined || pollFailure !== undefined) {
    return message`It can't be read: ${pollFailure ?? 'no response'}`;
  }
  return isFinalStatus(job.status)
    ? message`No new work was seen in ${formatDuration(elapsedMs)}`
    : message`It is still ${code(job.status)} after ${formatDuration(elapsedMs)}`;
}

function describeRival({ attempt, isOtherRun, page }: RecordedAttempt): Message {
  return isOtherRun
    ? message`${link(page)} may have started the job`
    : message`Attempt ${String(attempt)} may have started the job, but recorded no id`;
}

/** Says what a real run would do, for a dry run. */
function describeRealRun({ outcome, state }: FinalFacts): Message {
  const { skip, request, job } = state;
  const unchecked = outcome.result === 'dry-run' ? (outcome.unchecked ?? '') : '';
  const why = unchecked === '' ? [] : message`${unchecked}. `;
  if (skip !== undefined) {
    return message`${why}A real run would be skipped: ${describeSkip(skip)}`;
  }
  if (request?.kind === 'attach') {
    const status = job === undefined ? [] : message`, now ${code(job.status)}`;
    return message`${why}A real run would wait for job ${code(request.jobId)}${status}`;
  }
  return request?.kind === 'follow-up'
    ? message`${why}A real run would send the follow-up`
    : message`${why}A real run would start a job`;
}

/** Says why a run starts no job. Not a whole sentence. */
export function describeSkip(skip: Skip): Message {
  switch (skip.reason) {
    case 'first-run':
      return message`First run: the next one compares with this commit`;
    case 'no-commits':
      return message`No commits since ${code(skip.since)}`;
    case 'behind':
      return message`This commit is behind ${code(skip.since)}`;
    case 'no-match':
      return message`No changed file matches {paths} (${String(skip.files)} changed since
        ${code(skip.since)})`;
  }
}

/** Says in a few words what changed. Empty if no input needs it. */
export function describeChanges({ changes: reading }: RunState): Message {
  if (reading === undefined) {
    return [];
  }
  const { start, changes } = reading;
  switch (start.kind) {
    case 'first-run':
      return message`nothing to compare with yet`;
    case 'none':
      return message`nothing to compare with, because ${start.reason}`;
    case 'unknown':
      return message`unknown (${start.detail})`;
    case 'known': {
      const { ref, passedOver } = start;
      const nearer = passedOver === undefined ? '' : ` (${passedOver} was passed over)`;
      const since = `${shortenCommit(ref)}${nearer}`;
      if (changes === undefined) {
        return message`not listed, since ${since}`;
      }
      const { total, files, isCut } = changes;
      const more = isCut ? ' or more' : '';
      return message`${count(total, 'commit')}, ${count(files.length, 'file', more)} since ${since}`;
    }
  }
}

function count(number: number, unit: string, more = ''): string {
  return `${number}${more} ${unit}${number === 1 ? '' : 's'}`;
}

function describePaths(paths: PathsDecision | undefined): Message {
  return paths === undefined || paths.kind === 'match'
    ? []
    : message`; {paths} was ignored (${paths.reason})`;
}

/** A name and a value in Markdown. */
type Row = readonly [string, string];

/** Returns the rows of the table, without those that are empty. */
export function getTable(facts: Facts, cost: Cost, rerun: Rerun | undefined): Row[] {
  const { state, redact, github } = facts;
  const { job } = state;
  const address = getServiceAddress(facts);
  const show = (parts: Message): string => toMarkdown(parts, redact);
  const isPaid = cost !== 'nothing' && isOwnService(facts);
  const branch = job?.ref === undefined ? '' : `, branch ${escapeMarkdown(job.ref)}`;
  const rows: Row[] = [
    ['Cost', `${COSTS[cost]}${isPaid ? ` ([Usage](${USAGE_PAGE}))` : ''}`],
    ['Re‑run', rerun === undefined ? '' : RERUNS[rerun]],
    ['Changes', show([...describeChanges(state), ...describePaths(state.paths)])],
    ['Job', show(describeJob(state))],
    ['Earlier job', show(describeEarlierJob(state))],
    ['Status', renderStatuses(state)],
    [
      'Repository',
      job?.repository === undefined
        ? ''
        : `[${escapeMarkdown(getLinkName(job.repository, github.serverUrl))}](${job.repository})${branch}`,
    ],
    ['Service', address === '' || isOwnService(facts) ? '' : show(code(address))],
  ];
  return rows.filter(([, value]) => value !== '');
}

/** The job, and which attempt has started it. */
function describeJob({ job, request, earlierJob }: RunState): Message {
  const jobId = job?.id ?? request?.jobId;
  if (jobId === undefined) {
    return [];
  }
  return earlierJob?.kind === 'found'
    ? message`${code(jobId)}, of ${nameAttempt(earlierJob.attempt)}`
    : code(jobId);
}

/** Names an attempt, with a link if it belongs to another run. */
export function nameAttempt({ attempt, isOtherRun, page }: RecordedAttempt): Message {
  return isOtherRun ? message`another run (${link(page)})` : message`attempt ${String(attempt)}`;
}

/** Why the run has started a job although there was one. */
function describeEarlierJob({ earlierJob }: RunState): Message {
  return earlierJob?.kind === 'failed'
    ? message`${code(earlierJob.jobId)} (${nameAttempt(earlierJob.attempt)}) failed`
    : [];
}

/** The newest statuses, each with the time of its first poll, and the time of the last poll. */
function renderStatuses({ statusChanges, seenMs }: RunState): string {
  const last = statusChanges.at(-1);
  const shown = statusChanges
    .slice(-MAX_SHOWN_CHANGES)
    .map(({ status, atMs }) => `${escapeMarkdown(status, STATUS_LIMIT)} (${formatDuration(atMs)})`);
  const more = statusChanges.length > MAX_SHOWN_CHANGES ? ['…'] : [];
  const isSeenLater =
    last !== undefined &&
    seenMs !== undefined &&
    formatDuration(seenMs) !== formatDuration(last.atMs);
  const seen = isSeenLater ? `, last seen at ${formatDuration(seenMs)}` : '';
  return `${[...more, ...shown].join(' → ')}${seen}`;
}

/** Returns the start of a response that can't be used: it may name a job. */
export function getExcerpt(outcome: Outcome): string | undefined {
  return 'excerpt' in outcome ? outcome.excerpt : undefined;
}

/** Returns what only a closer look needs. */
export function getDetails({ state, elapsedMs, outcome, inputs, redact }: FinalFacts): Row[] {
  const { job, polls, sentAt } = state;
  const excerpt = getExcerpt(outcome);
  const rows: Row[] = [
    ['`job-result`', `\`${outcome.result}\``],
    ['Project', inputs === undefined ? '' : toMarkdown(code(inputs.projectId), redact)],
    ['Model', job?.model === undefined ? '' : escapeMarkdown(job.model)],
    ['Sent', sentAt === undefined ? '' : formatInstant(sentAt)],
    ['Elapsed', formatDuration(elapsedMs)],
    ['Polls', String(polls)],
    ['Response', excerpt === undefined ? '' : toMarkdown(code(excerpt), redact)],
  ];
  return rows.filter(([, value]) => value !== '');
}
