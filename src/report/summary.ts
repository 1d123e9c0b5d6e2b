import type { PullRequest } from '../github/pull-request.ts';
import type { Outcome, Rerun, RunResult, RunState, StatusChange } from '../outcome.ts';
import {
  cut,
  escapeHtml,
  escapeMarkdown,
  formatDuration,
  parsePullRequestNumber,
  sanitizeLines,
  sanitizeLink,
  showInvisible,
} from '../text/sanitize.ts';
import type { OutcomeMessage } from './messages.ts';

const PROMPT_LIMIT = 4_000;
const PROMPT_LINES = 200;
const MAX_PROMPT_TEXT = 5_000;
const MAX_CHANGES = 12;
const PATH_LIMIT = 120;

const SIGNS: Record<Outcome, string> = {
  'pull-request-opened': '✅',
  'no-pull-request': '✅',
  archived: '⚠️',
  started: '🚀',
  'dry-run': '🧪',
  failed: '❌',
  'timed-out': '⏱️',
  cancelled: '🛑',
  'not-started': '❌',
  'start-unknown': '❓',
  lost: '❓',
};

/**
 * The job summary of a run that has ended, as GitHub-flavoured Markdown of at most 64 KiB. The texts of the
 * pull request are untrusted.
 */
export function renderSummary(result: RunResult, verdict: OutcomeMessage, pullRequest?: PullRequest): string {
  const { progress } = result;
  return join([
    `## ${SIGNS[result.outcome]} ${verdict.title}`,
    renderLink(progress),
    pullRequest === undefined ? '' : renderPullRequest(pullRequest),
    result.outcome === 'pull-request-opened' ? '' : renderText(verdict.text),
    verdict.next.length === 0
      ? ''
      : join(['**What to do next**', verdict.next.map((step) => `- ${renderProse(step)}`).join('\n')]),
    verdict.canAttach ? renderAttach(progress) : '',
    renderTable(progress, result.elapsedMs),
    renderPrompt(progress),
  ]);
}

/** The summary that stands while the action waits, so that a killed runner leaves a trace of the job. */
export function renderInterimSummary(progress: RunState): string {
  return join([
    '## ⏳ Waiting for the job',
    'If this is still here after the step has ended, the runner was stopped before the job was final. The job goes ' +
      'on, and may still open a pull request.',
    renderAttach(progress),
    renderTable(progress, undefined),
    renderPrompt(progress),
  ]);
}

function join(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

function renderLink({ job }: RunState): string {
  if (job?.prLink === undefined) {
    return '';
  }
  return `**[${escapeMarkdown(nameLink(job.prLink))}](${job.prLink})**`;
}

/** `acme/docs#123` or `acme/docs!45` for a pull or merge request, else the link itself. */
function nameLink(link: string): string {
  const number = parsePullRequestNumber(link);
  const path = /^\/(.+?)\/(pull|-\/merge_requests)\//.exec(new URL(link).pathname);
  return number === undefined || path === null
    ? link
    : `${path[1]}${path[2] === 'pull' ? '#' : '!'}${number}`;
}

/** A sentence of ours with untrusted words in it: code spans are ours, everything else is text. */
function renderProse(text: string): string {
  return text
    .split(/(`[\w.…/:-]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeKeepingSpace(part)))
    .join('');
}

function escapeKeepingSpace(text: string): string {
  const start = /^\s/.test(text) ? ' ' : '';
  const end = /\S\s$/.test(text) ? ' ' : '';
  return `${start}${escapeMarkdown(text)}${end}`;
}

function renderText(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('- ') ? `- ${renderProse(line.slice(2))}` : renderProse(line)))
    .join('\n');
}

function renderAttach({ jobId }: RunState): string {
  return jobId === undefined ? '' : `\`\`\`yaml\njob-id: ${jobId}\n\`\`\``;
}

/** Title, state and size of a pull request, and the first of its files. */
function renderPullRequest({ title, state, additions, deletions, changedFiles, files }: PullRequest): string {
  const size = `+${additions} −${deletions} in ${changedFiles} ${changedFiles === 1 ? 'file' : 'files'}`;
  const list = files.map(
    (file) =>
      `- [${escapeMarkdown(cut(showInvisible(file.path), PATH_LIMIT))}](${file.link}) +${file.additions} −${file.deletions}`,
  );
  const rest = changedFiles - files.length;
  return join([
    `${escapeMarkdown(title)} (${state}, ${size})`,
    [...list, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n'),
  ]);
}

function renderRerun(rerun: Rerun): string {
  return rerun.kind === 'reused'
    ? `waits for the job that [attempt ${rerun.attempt}](${rerun.page}) started; no other job was started`
    : `a new job, because ${escapeMarkdown(rerun.reason)}`;
}

function renderTable(
  { jobId, job, rerun, checks, changes }: RunState,
  elapsedMs: number | undefined,
): string {
  const rows: [string, string][] = [];
  if (jobId !== undefined) {
    rows.push(['Job', `\`${jobId}\``]);
  }
  if (rerun !== undefined) {
    rows.push(['Re-run', renderRerun(rerun)]);
  }
  if (job !== undefined) {
    rows.push(['Status', renderChanges(changes)]);
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
    rows.push(['Checks', String(checks)]);
  }
  const [head, ...others] = rows.map(([name, value]) => `| ${name} | ${value} |`);
  return head === undefined ? '' : [head, '|:--|:--|', ...others].join('\n');
}

/** Each status with the time at which it was first seen; the middle of a long list is left out. */
function renderChanges(changes: readonly StatusChange[]): string {
  const shown = changes.map(({ status, atMs }) => `${escapeMarkdown(status)} (${formatDuration(atMs)})`);
  const half = MAX_CHANGES / 2;
  return shown.length <= MAX_CHANGES
    ? shown.join(' → ')
    : [...shown.slice(0, half), `… ${shown.length - MAX_CHANGES} more …`, ...shown.slice(-half)].join(' → ');
}

function renderRepository(repository: string): string {
  const link = sanitizeLink(repository);
  return link === undefined
    ? escapeMarkdown(repository)
    : `[${escapeMarkdown(new URL(link).pathname.slice(1))}](${link})`;
}

function renderPrompt({ intent }: RunState): string {
  if (intent === undefined || intent.kind === 'attach') {
    return '';
  }
  const lines = sanitizeLines(intent.prompt, PROMPT_LIMIT, PROMPT_LINES);
  const text = cut(lines.join('\n'), MAX_PROMPT_TEXT);
  return `<details><summary>Prompt</summary>\n\n<pre>${escapeHtml(text)}</pre>\n</details>`;
}
