import type { PullRequest } from '../github/pull-request.ts';
import { getErrorCode, type Outcome, type OutcomeName } from '../outcome.ts';
import type { EarlierJob, RunState, StatusChange } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName, sanitizeLink } from '../text/link.ts';
import { escapeHtml, escapeMarkdown } from '../text/markdown.ts';
import { type Message, redactMessage, toMarkdown } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { sanitizeLines, showInvisible, truncate } from '../text/sanitize.ts';
import type { OutcomeMessage, RunResult } from './outcome-message.ts';

const MAX_BYTES = 64 * 1024;
const PROMPT_LIMIT = 4_000;
const PROMPT_LINES = 200;
const MAX_PROMPT_TEXT = 5_000;
const MAX_SHOWN_CHANGES = 12;
const PATH_LIMIT = 120;

const ICONS: Record<OutcomeName, string> = {
  'pull-request-opened': '✅',
  'no-pull-request': '✅',
  archived: '⚠️',
  started: '🚀',
  'dry-run': '🧪',
  skipped: '⏭️',
  failed: '❌',
  'timed-out': '⏱️',
  cancelled: '🛑',
  'not-started': '❌',
  'start-unknown': '❓',
  lost: '❓',
};

/**
 * Returns the job summary of a run that has ended, as GitHub-flavored Markdown of at most 64 KiB. The texts of the
 * pull request are untrusted.
 */
export function renderSummary(
  { outcome, state, elapsedMs }: RunResult,
  { level, title, text, problems, next, canAttach }: OutcomeMessage,
  redact: Redact,
  pullRequest?: PullRequest,
): string {
  const render = (part: Message): string => toMarkdown(redactMessage(part, redact));
  const prompt = renderPrompt(state);
  const details = pullRequest === undefined ? '' : renderPullRequest(pullRequest);
  const blocks = [
    `## ${getIcon(level, outcome)} ${title}`,
    renderLink(state),
    details,
    outcome.outcome === 'pull-request-opened' && level !== 'error' ? '' : render(text),
    renderList(problems.map(render)),
    next.length === 0 ? '' : joinBlocks(['**What to do next**', renderList(next.map(render))]),
    canAttach ? renderAttach(state) : '',
    renderTable(state, elapsedMs, redact),
    prompt,
  ];
  return fitBlocks(blocks, [prompt, details]);
}

/** An outcome that passes has another icon if something else went wrong. */
function getIcon(level: OutcomeMessage['level'], outcome: Outcome): string {
  const icon = ICONS[outcome.outcome];
  if (getErrorCode(outcome) !== undefined) {
    return icon;
  }
  return level === 'error' ? '❌' : level === 'warning' ? '⚠️' : icon;
}

/** Returns the summary to show while the action waits, so that a killed runner leaves a trace of the job. */
export function renderInterimSummary(state: RunState, redact: Redact): string {
  return joinBlocks([
    '## ⏳ Waiting for the documentation job',
    'If you see this after the step has ended, the runner was stopped before the job was final. The job is still ' +
      'running and may still open a pull request.',
    renderAttach(state),
    renderTable(state, undefined, redact),
    renderPrompt(state),
  ]);
}

/** Escaping makes some characters many times as long, so what matters least is left out if all of it is too large. */
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

function renderLink({ job }: RunState): string {
  return job?.prLink === undefined ? '' : `**[${escapeMarkdown(getLinkName(job.prLink))}](${job.prLink})**`;
}

/** Quoted, because YAML reads an id such as `1e5` or `null` as another value. */
function renderAttach({ jobId }: RunState): string {
  return jobId === undefined ? '' : `\`\`\`yaml\njob-id: "${jobId}"\n\`\`\``;
}

/** Title, state, and size of a pull request, and the first of its files. */
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

function renderEarlierJob(earlierJob: EarlierJob, redact: Redact): string {
  if (earlierJob.kind === 'none') {
    return `new job: ${toMarkdown(redactMessage(earlierJob.reason, redact))}`;
  }
  const { runId, attempt, page } = earlierJob.record;
  const name = earlierJob.isOtherRun ? `run ${runId}, attempt ${attempt}` : `attempt ${attempt}`;
  return `started by [${name}](${page}); this run did not start another`;
}

function renderTable(
  { jobId, job, earlierJob, polls, statusChanges }: RunState,
  elapsedMs: number | undefined,
  redact: Redact,
): string {
  const rows: [string, string][] = [];
  if (jobId !== undefined) {
    rows.push(['Agent job', `\`${jobId}\``]);
  }
  if (earlierJob !== undefined) {
    rows.push(['Reuse', renderEarlierJob(earlierJob, redact)]);
  }
  if (job !== undefined) {
    rows.push(['Status', renderStatusChanges(statusChanges)]);
  }
  if (job?.repository !== undefined) {
    const branch = job.ref === undefined ? '' : `, branch ${escapeMarkdown(job.ref)}`;
    rows.push(['Repository', `${renderRepository(job.repository)}${branch}`]);
  }
  if (job?.model !== undefined) {
    rows.push(['Model', escapeMarkdown(job.model)]);
  }
  if (elapsedMs !== undefined && jobId !== undefined) {
    rows.push(['Elapsed', formatDuration(elapsedMs)]);
    rows.push(['Polls', String(polls)]);
  }
  const [head, ...others] = rows.map(([name, value]) => `| ${name} | ${value} |`);
  return head === undefined ? '' : [head, '|:--|:--|', ...others].join('\n');
}

/** Each status with the time at which it was first seen; the middle of a long list is left out. */
function renderStatusChanges(changes: readonly StatusChange[]): string {
  const shown = changes.map(({ status, atMs }) => `${escapeMarkdown(status)} (${formatDuration(atMs)})`);
  const half = MAX_SHOWN_CHANGES / 2;
  return shown.length <= MAX_SHOWN_CHANGES
    ? shown.join(' → ')
    : [...shown.slice(0, half), `… ${shown.length - MAX_SHOWN_CHANGES} more …`, ...shown.slice(-half)].join(
        ' → ',
      );
}

function renderRepository(repository: string): string {
  const link = sanitizeLink(repository);
  return link === undefined
    ? escapeMarkdown(repository)
    : `[${escapeMarkdown(new URL(link).pathname.slice(1))}](${link})`;
}

function renderPrompt({ request }: RunState): string {
  if (request === undefined || request.kind === 'attach') {
    return '';
  }
  const lines = sanitizeLines(request.prompt, PROMPT_LIMIT, PROMPT_LINES);
  const text = truncate(lines.join('\n'), MAX_PROMPT_TEXT);
  return `<details><summary>Prompt</summary>\n\n<pre>${escapeHtml(text)}</pre>\n</details>`;
}
