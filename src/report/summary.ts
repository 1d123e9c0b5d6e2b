import type { PullRequest } from '../github/pull-request.ts';
import { type EarlierJob, getJobId, type RunState } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName } from '../text/link.ts';
import { escapeHtml, escapeMarkdown } from '../text/markdown.ts';
import { code, type Message, message, toMarkdown } from '../text/message.ts';
import { showLines } from '../text/sanitize.ts';
import { getFacts, type Knowledge, type RunResult } from './facts.ts';
import type { OutcomeMessage } from './messages.ts';
import { describeEarlierJob, explainEarlierJob } from './notes.ts';

const MAX_BYTES = 64 * 1024;
const PROMPT_LIMIT = 4_000;
const PROMPT_LINES = 200;
const MAX_SHOWN_CHANGES = 8;
const STATUS_LIMIT = 60;
const PATH_LIMIT = 120;

/**
 * Returns the summary of a finished run: at most 64 KiB of Markdown. The texts of the pull request
 * are untrusted.
 */
export function renderSummary(
  result: RunResult,
  { level, title, text, next }: OutcomeMessage,
  pullRequest?: PullRequest,
): string {
  const { outcome, state, elapsedMs } = result;
  const { job, polls } = state;
  const jobId = getJobId(state);
  const render = (part: Message): string => toMarkdown(part, result.redact);
  const pull = job?.prLink === undefined ? '' : renderPullRequest(job.prLink, pullRequest, result);
  const words = outcome.outcome === 'pull-request-opened' && level !== 'error' ? '' : render(text);
  const isFailed = outcome.outcome === 'failed';
  const isOver = /^(?:no-pull-request|archived)$/.test(outcome.outcome);
  const usesJobId =
    !isOver && next.flat().some(({ kind, value }) => kind === 'code' && value === 'job-id');
  const details = [`Elapsed: ${formatDuration(elapsedMs)}`, `Polls: ${polls}`];
  const model = job?.model === undefined ? [] : [`Model: ${escapeMarkdown(job.model)}`];
  return joinBlocks([
    `## ${getIcon(result, level)} ${title}`,
    ...(level === 'error' ? [words, pull] : [pull, words]),
    next.length === 0 ? '' : `**What to do next**\n\n${renderList(next.map(render))}`,
    usesJobId ? renderAttach(state, isFailed) : '',
    renderTable(result),
    jobId === undefined ? '' : renderFolded('Details', renderList([...model, ...details])),
    renderPrompt(result),
  ]);
}

const ICONS = { notice: '✅', warning: '⚠️', error: '❌', none: 'ℹ️' } as const;

function getIcon(result: RunResult, level: OutcomeMessage['level']): string {
  const isDone = /^(?:pull-request-opened|started)$/.test(result.outcome.outcome);
  const notice = getFacts(result).mayBeSecond ? 'warning' : isDone ? 'notice' : 'none';
  return ICONS[level === 'notice' ? notice : level];
}

/**
 * Returns the summary to show during the wait, so that a killed runner leaves the id of the job.
 */
export function renderInterimSummary(known: Knowledge): string {
  return joinBlocks([
    `## ⏳ ${getFacts(known).completeTitle('Waiting for the documentation job')}`,
    'If you see this after the step has ended, the runner was stopped first. The job may still ' +
      'open a pull request. To wait for the job, use:',
    renderAttach(known.state),
    renderTable(known),
    renderPrompt(known),
  ]);
}

/**
 * Joins blocks. Leaves out a block that would exceed 64 KiB, because escaping can lengthen text.
 */
function joinBlocks(blocks: readonly string[]): string {
  return blocks.reduce((summary, block) => {
    const longer = `${summary}\n\n${block}`;
    return block === '' || Buffer.byteLength(longer) > MAX_BYTES ? summary : longer;
  });
}

function renderList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** Quoted, because YAML reads an id such as `1e5` or `null` as another value. */
function renderAttach(state: RunState, withPrompt = false): string {
  const jobId = getJobId(state);
  const line = `job-id: "${jobId}"${withPrompt ? '' : ' # and no prompt'}`;
  return jobId === undefined ? '' : `\`\`\`yaml\n${line}\n\`\`\``;
}

function renderLink(
  url: string,
  { github }: Knowledge,
  name = getLinkName(url, github.serverUrl),
): string {
  return `[${escapeMarkdown(name)}](${url})`;
}

/**
 * The link of a pull request, with its title, state, size, and first files if they could be read.
 */
function renderPullRequest(
  prLink: string,
  pull: PullRequest | undefined,
  known: Knowledge,
): string {
  if (pull === undefined) {
    return `**${renderLink(prLink, known)}**`;
  }
  const { title, state, additions, deletions, changedFiles, files } = pull;
  const unit = changedFiles === 1 ? 'file' : 'files';
  const size = `+${additions} −${deletions} in ${changedFiles} ${unit}`;
  const name = escapeMarkdown(getLinkName(prLink, known.github.serverUrl));
  const list = files.map(
    ({ path, link, additions, deletions }) =>
      `[${escapeMarkdown(path, PATH_LIMIT)}](${link}) +${additions} −${deletions}`,
  );
  const rest = changedFiles - files.length;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const header = `**${renderLink(prLink, known, title)}**\n${name}, ${state}, ${size}`;
  return `${header}\n\n${renderList([...list, ...more])}`;
}

function renderEarlierJob(earlierJob: EarlierJob, { inputs, redact }: Knowledge): string {
  const isDryRun = inputs?.dryRun === true;
  if (isDryRun || earlierJob.kind !== 'found') {
    const [reason] = explainEarlierJob(earlierJob);
    return toMarkdown(
      isDryRun ? describeEarlierJob(earlierJob, true) : message`new job: ${reason}`,
      redact,
    );
  }
  const { runId, attempt, page, isOtherRun } = earlierJob.attempt;
  const name = isOtherRun ? `run ${runId}, attempt ${attempt}` : `attempt ${attempt}`;
  return `started by [${name}](${page}); this run did not start another`;
}

function renderTable(known: Knowledge): string {
  const { state, redact } = known;
  const { job, earlierJob, statusChanges } = state;
  const jobId = getJobId(state);
  const { address, isOwnService, ownCost } = getFacts(known);
  const branch = job?.ref === undefined ? '' : `, branch ${escapeMarkdown(job.ref)}`;
  const cells = [
    ['Job', jobId && `\`${jobId}\``],
    ['Service', address && !isOwnService ? toMarkdown(code(address), redact) : ''],
    ['Cost', jobId && toMarkdown(ownCost, redact)],
    ['Reuse', earlierJob && renderEarlierJob(earlierJob, known)],
    ['Status', job && renderStatusChanges(statusChanges)],
    ['Repository', job?.repository && `${renderLink(job.repository, known)}${branch}`],
  ];
  // The first row is a header, which GitHub shows in bold.
  const [head = '', ...rows] = cells.flatMap(([name, value]) =>
    value ? [`| ${name} | ${value} |`] : [],
  );
  return head === '' ? '' : [head, '|:--|:--|', ...rows].join('\n');
}

function renderFolded(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n</details>`;
}

/** The newest statuses, each with the time at which it was first seen. */
function renderStatusChanges(changes: RunState['statusChanges']): string {
  const shown = changes
    .slice(-MAX_SHOWN_CHANGES)
    .map(({ status, atMs }) => `${escapeMarkdown(status, STATUS_LIMIT)} (${formatDuration(atMs)})`);
  return [...(changes.length > MAX_SHOWN_CHANGES ? ['…'] : []), ...shown].join(' → ');
}

function renderPrompt({ state: { request }, redact }: Knowledge): string {
  if (request === undefined || request.kind === 'attach') {
    return '';
  }
  const text = showLines(request.prompt, redact, PROMPT_LIMIT, PROMPT_LINES).join('\n');
  return renderFolded('Prompt', `<pre>${escapeHtml(text)}</pre>`);
}
