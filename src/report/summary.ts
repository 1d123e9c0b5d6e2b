import type { PullRequest } from '../github/pull-request.ts';
import type { EarlierJob, RunState } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName } from '../text/link.ts';
import { escapeHtml, escapeMarkdown } from '../text/markdown.ts';
import { code, type Message, toMarkdown } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { showInvisible, showLines, truncate } from '../text/sanitize.ts';
import { explainEarlierJob } from './earlier-job.ts';
import { Facts, type Knowledge, type RunResult } from './facts.ts';
import type { OutcomeMessage } from './messages.ts';

const MAX_BYTES = 64 * 1024;
const PROMPT_LIMIT = 4_000;
const PROMPT_LINES = 200;
const MAX_SHOWN_CHANGES = 8;
const PATH_LIMIT = 120;

export interface SummaryContext {
  readonly redact: Redact;
  /** Origin of the host of the workflow: only links to it have short names. */
  readonly serverUrl: string;
}

/**
 * Returns the job summary of a run that has ended, as GitHub-flavored Markdown of at most 64 KiB. The texts of the
 * pull request are untrusted.
 */
export function renderSummary(
  result: RunResult,
  { level, title, text, next }: OutcomeMessage,
  context: SummaryContext,
  pullRequest?: PullRequest,
): string {
  const { outcome, state } = result;
  const { prLink } = state.job ?? {};
  const render = (part: Message): string => toMarkdown(part, context.redact);
  const prompt = renderPrompt(state, context);
  const files = pullRequest === undefined ? '' : renderFiles(pullRequest);
  const usesJobId = next.flat().some(({ kind, value }) => kind === 'code' && value === 'job-id');
  const pull = prLink === undefined ? '' : renderPullRequest(prLink, pullRequest, context);
  const words = outcome.outcome === 'pull-request-opened' && level !== 'error' ? '' : render(text);
  const blocks = [
    `## ${getIcon(result, level)} ${title}`,
    ...(level === 'error' ? [words, pull, files] : [pull, files, words]),
    next.length === 0 ? '' : joinBlocks(['**What to do next**', renderList(next.map(render))]),
    usesJobId ? renderAttach(state) : '',
    renderTable(result, context, usesJobId),
    renderDetails(result),
    prompt,
  ];
  return fitBlocks(blocks, [prompt, files]);
}

const ICONS = { notice: '✅', warning: '⚠️', error: '❌', none: 'ℹ️' } as const;

function getIcon(result: RunResult, level: OutcomeMessage['level']): string {
  const { outcome } = result.outcome;
  if (level !== 'notice') {
    return ICONS[level];
  }
  const isDone = outcome === 'pull-request-opened' || outcome === 'started';
  return ICONS[new Facts(result).mayBeSecond ? 'warning' : isDone ? 'notice' : 'none'];
}

/** Returns the summary for the time of the wait, so that a killed runner leaves a trace of the job. */
export function renderInterimSummary(known: Knowledge, context: SummaryContext): string {
  const prompt = renderPrompt(known.state, context);
  const blocks = [
    `## ⏳ ${new Facts(known).completeTitle('Waiting for the documentation job')}`,
    'If you see this after the step has ended, the runner was stopped before the job was final. The job may still ' +
      'open a pull request. To wait for the job again, use:',
    renderAttach(known.state),
    renderTable(known, context, true),
    prompt,
  ];
  return fitBlocks(blocks, [prompt]);
}

/** Escaping can make text many times longer. If the whole is too large, the least important blocks are left out. */
function fitBlocks(blocks: readonly string[], dispensable: readonly string[]): string {
  let kept = blocks;
  for (const block of dispensable) {
    if (Buffer.byteLength(joinBlocks(kept)) > MAX_BYTES) {
      kept = kept.filter((other) => other !== block);
    }
  }
  return joinBlocks(kept);
}

function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

function renderList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function renderNamedLink(link: string, serverUrl: string): string {
  return `[${escapeMarkdown(getLinkName(link, serverUrl))}](${link})`;
}

/** Quoted, because YAML reads an id such as `1e5` or `null` as another value. */
function renderAttach({ jobId }: RunState): string {
  return jobId === undefined ? '' : `\`\`\`yaml\njob-id: "${jobId}"\n\`\`\``;
}

/** The link of a pull request, with its title, state, and size if they could be read. */
function renderPullRequest(
  prLink: string,
  pull: PullRequest | undefined,
  { serverUrl }: SummaryContext,
): string {
  const name = escapeMarkdown(getLinkName(prLink, serverUrl));
  if (pull === undefined) {
    return `**[${name}](${prLink})**`;
  }
  const { title, state, additions, deletions, changedFiles } = pull;
  const size = `+${additions} −${deletions} in ${changedFiles} ${changedFiles === 1 ? 'file' : 'files'}`;
  return `**[${escapeMarkdown(title)}](${prLink})**\n${name}, ${state}, ${size}`;
}

function renderFiles({ changedFiles, files }: PullRequest): string {
  const list = files.map(
    (file) =>
      `[${escapeMarkdown(truncate(showInvisible(file.path), PATH_LIMIT))}](${file.link}) +${file.additions} −${file.deletions}`,
  );
  const rest = changedFiles - files.length;
  return renderList([...list, ...(rest > 0 ? [`and ${rest} more`] : [])]);
}

function renderEarlierJob(earlierJob: EarlierJob, { redact }: SummaryContext): string {
  if (earlierJob.kind !== 'found') {
    return `new job: ${toMarkdown(explainEarlierJob(earlierJob).text, redact)}`;
  }
  const { runId, attempt, page, isOtherRun } = earlierJob.attempt;
  const name = isOtherRun ? `run ${runId}, attempt ${attempt}` : `attempt ${attempt}`;
  return `started by [${name}](${page}); this run did not start another`;
}

/** `hasId` if the id of the job stands elsewhere. */
function renderTable(known: Knowledge, context: SummaryContext, hasId: boolean): string {
  const { jobId, job, earlierJob, statusChanges } = known.state;
  const facts = new Facts(known);
  const render = (part: Message): string => toMarkdown(part, context.redact);
  return toTable([
    ['Service', facts.address && !facts.isOwnService ? render(code(facts.address)) : undefined],
    ['Agent job', hasId ? undefined : jobId && `\`${jobId}\``],
    ['Cost', jobId && render(facts.ownCost)],
    ['Reuse', earlierJob && renderEarlierJob(earlierJob, context)],
    ['Status', job && renderStatusChanges(statusChanges)],
    ['Repository', job?.repository && renderRepository(job.repository, job.ref, context)],
  ]);
}

function renderDetails({ state, elapsedMs }: RunResult): string {
  const { jobId, job, polls } = state;
  const model = job?.model && escapeMarkdown(job.model);
  const table = toTable([
    ['Model', model],
    ['Elapsed', formatDuration(elapsedMs)],
    ['Polls', String(polls)],
  ]);
  return jobId === undefined ? '' : renderFolded('Details', table);
}

function toTable(rows: readonly (readonly [string, string | undefined])[]): string {
  const [head, ...others] = rows.flatMap(([name, value]) => (value ? [`| ${name} | ${value} |`] : []));
  return head === undefined ? '' : [head, '|:--|:--|', ...others].join('\n');
}

function renderFolded(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n</details>`;
}

/** The newest statuses, each with the time at which it was first seen. */
function renderStatusChanges(changes: RunState['statusChanges']): string {
  const shown = changes
    .slice(-MAX_SHOWN_CHANGES)
    .map(({ status, atMs }) => `${escapeMarkdown(status)} (${formatDuration(atMs)})`);
  return [...(changes.length > MAX_SHOWN_CHANGES ? ['…'] : []), ...shown].join(' → ');
}

function renderRepository(
  repository: string,
  ref: string | undefined,
  { serverUrl }: SummaryContext,
): string {
  const shown = renderNamedLink(repository, serverUrl);
  return ref === undefined ? shown : `${shown}, branch ${escapeMarkdown(ref)}`;
}

function renderPrompt({ request }: RunState, { redact }: SummaryContext): string {
  if (request === undefined || request.kind === 'attach') {
    return '';
  }
  const text = showLines(request.prompt, redact, PROMPT_LIMIT, PROMPT_LINES).join('\n');
  return renderFolded('Prompt', `<pre>${escapeHtml(text)}</pre>`);
}
