import type { PullRequest } from '../github/pull-request.ts';
import type { EarlierJob, RunState } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName } from '../text/link.ts';
import { escapeHtml, escapeMarkdown } from '../text/markdown.ts';
import { code, type Message, toMarkdown } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { showInvisible, showLines, truncate } from '../text/sanitize.ts';
import { Facts, type Knowledge, type OutcomeMessage, type RunResult } from './facts.ts';

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

const ICONS = { notice: '✅', warning: '⚠️', error: '❌', none: 'ℹ️' } as const;

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
  const details = pullRequest === undefined ? '' : renderPullRequest(pullRequest);
  const isSecond = level === 'notice' && new Facts(result).isPerhapsSecond;
  const usesJobId = next.flat().some(({ kind, value }) => kind === 'code' && value === 'job-id');
  const blocks = [
    `## ${ICONS[isSecond ? 'warning' : level]} ${title}`,
    prLink === undefined ? '' : `**${renderNamedLink(prLink, context.serverUrl)}**`,
    details,
    outcome.outcome === 'pull-request-opened' && level !== 'error' ? '' : render(text),
    next.length === 0 ? '' : joinBlocks(['**What to do next**', renderList(next.map(render))]),
    usesJobId ? renderAttach(state) : '',
    renderTable(result, result.elapsedMs, context),
    prompt,
  ];
  return fitBlocks(blocks, [prompt, details]);
}

/** Returns the summary for the time of the wait, so that a killed runner leaves a trace of the job. */
export function renderInterimSummary(known: Knowledge, context: SummaryContext): string {
  const prompt = renderPrompt(known.state, context);
  const blocks = [
    `## ⏳ ${new Facts(known).completeTitle('Waiting for the documentation job')}`,
    'If you see this after the step has ended, the runner was stopped before the job was final. The job may still ' +
      'open a pull request. To wait for the job again, use:',
    renderAttach(known.state),
    renderTable(known, undefined, context),
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

/** Title, state, and size of a pull request, and its first files. */
function renderPullRequest({ title, state, additions, deletions, changedFiles, files }: PullRequest): string {
  const size = `+${additions} −${deletions} in ${changedFiles} ${changedFiles === 1 ? 'file' : 'files'}`;
  const list = files.map(
    (file) =>
      `[${escapeMarkdown(truncate(showInvisible(file.path), PATH_LIMIT))}](${file.link}) +${file.additions} −${file.deletions}`,
  );
  const rest = changedFiles - files.length;
  return joinBlocks([
    `${escapeMarkdown(title)} (${state}, ${size})`,
    renderList([...list, ...(rest > 0 ? [`and ${rest} more`] : [])]),
  ]);
}

function renderEarlierJob(earlierJob: EarlierJob, { redact }: SummaryContext): string {
  if (earlierJob.kind === 'none') {
    return `new job: ${toMarkdown(earlierJob.reason, redact)}`;
  }
  const { runId, attempt, page, isOtherRun } = earlierJob.record;
  const name = isOtherRun ? `run ${runId}, attempt ${attempt}` : `attempt ${attempt}`;
  return `started by [${name}](${page}); this run did not start another`;
}

function renderTable(known: Knowledge, elapsedMs: number | undefined, context: SummaryContext): string {
  const { jobId, job, earlierJob, polls, statusChanges } = known.state;
  const { isOwnService, isRehearsal, address } = new Facts(known);
  const rows: [string, string | undefined][] = [
    ['Service', address && !isOwnService ? toMarkdown(code(address), context.redact) : undefined],
    ['Agent job', jobId && `\`${jobId}\``],
    ['Cost', jobId && (isRehearsal ? 'none in a rehearsal' : describeCost(known.state))],
    ['Reuse', earlierJob && renderEarlierJob(earlierJob, context)],
    ['Status', job && renderStatusChanges(statusChanges)],
    ['Repository', job?.repository && renderRepository(job.repository, job.ref, context)],
    ['Model', job?.model && escapeMarkdown(job.model)],
    ['Elapsed', jobId && elapsedMs !== undefined ? formatDuration(elapsedMs) : undefined],
    ['Polls', jobId && elapsedMs !== undefined ? String(polls) : undefined],
  ];
  const [head, ...others] = rows.flatMap(([name, value]) => (value ? [`| ${name} | ${value} |`] : []));
  return head === undefined ? '' : [head, '|:--|:--|', ...others].join('\n');
}

/** The cost of this run. Waiting costs nothing. */
function describeCost({ request, job, mayHaveStarted }: RunState): string {
  if (request?.kind === 'create') {
    return 'credits for a new job';
  }
  const isSent = request?.kind === 'follow-up' && (job !== undefined || mayHaveStarted);
  return isSent ? 'perhaps credits for the follow-up' : 'none: this run started no job';
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
  return `<details><summary>Prompt</summary>\n\n<pre>${escapeHtml(text)}</pre>\n</details>`;
}
