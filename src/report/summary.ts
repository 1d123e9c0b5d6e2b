import type { PullRequest } from '../github/pull-request.ts';
import { type EarlierJob, getJobId, type RunState } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName } from '../text/link.ts';
import { escapeHtml, escapeMarkdown } from '../text/markdown.ts';
import { code, joinSentences, message, toMarkdown } from '../text/message.ts';
import { showLines } from '../text/sanitize.ts';
import { describeEarlierJob, explainNewJob, warnOfSecondJob } from './notes.ts';
import { getWaitSteps, type Step, USAGE_PAGE, type Words } from './phrases.ts';
import {
  completeTitle,
  type FinishedRun,
  getServiceAddress,
  isFollowUp,
  isOwnService,
  isRehearsal,
  mayBeSecond,
  type RunInfo,
} from './run-info.ts';

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
export function renderSummary(run: FinishedRun, words: Words, pullRequest?: PullRequest): string {
  const { outcome, state, redact } = run;
  const { prLink } = state.job ?? {};
  const pull = prLink === undefined ? '' : renderPullRequest(prLink, pullRequest, run);
  const isShownByLink = outcome.result === 'pull-request-opened' && words.level === 'notice';
  const happened = toMarkdown(joinSentences(words.happened, words.cost ?? []), redact);
  const text = isShownByLink ? '' : happened;
  const problems = (words.problems ?? []).map((problem) => toMarkdown(problem, redact));
  const steps = words.steps.map((step) => renderStep(step, run));
  return joinBlocks([
    `## ${getIcon(run, words.level)} ${words.title}`,
    ...(words.level === 'error' ? [text, pull] : [pull, text]),
    renderList(problems),
    steps.length === 0 ? '' : `**What to do next**\n\n${renderList(steps)}`,
    steps.length === 0 ? '' : renderLinks(run),
    renderTable(run, words.steps, outcome.result),
    renderDetails(run),
    renderPrompt(run),
  ]);
}

/** Links to the documentation of the running version: of the error, and how to start a new run. */
function renderLinks({ outcome, state, github: { docsUrl } }: FinishedRun): string {
  if (docsUrl === undefined) {
    return '';
  }
  const isUnconfirmed = state.stage === 'unconfirmed' || outcome.result === 'start-unknown';
  const section = isUnconfirmed ? 'did-a-job-start' : outcome.code;
  const about =
    section === undefined ? '' : `[About this error](${docsUrl}/usage.md#${section}) · `;
  return `${about}[How to start a new run](${docsUrl}/recipes.md#a-button-in-the-actions-tab)`;
}

const ICONS = { notice: '✅', warning: '⚠️', error: '❌', none: 'ℹ️' } as const;

function getIcon(run: FinishedRun, level: Words['level']): string {
  if (level === 'notice' && mayBeSecond(run)) {
    return ICONS.warning;
  }
  const isDone = /^(?:pull-request-opened|started)$/.test(run.outcome.result);
  return level === 'notice' && !isDone ? ICONS.none : ICONS[level];
}

/**
 * Returns the summary to show before the request for a job, so that a killed step still leaves a
 * message.
 */
export function renderStartSummary(run: RunInfo): string {
  const title = isFollowUp(run) ? 'Sending a follow-up …' : 'Starting a documentation job …';
  const effect = isFollowUp(run)
    ? 'The job may have received the follow-up, which may cost credits. Check its pull request ' +
      'for new commits first: a re-run sends the follow-up again.'
    : 'A job may have been started, which may cost credits. Look for a new pull request in the ' +
      'documentation repository first: a re-run starts a job, which may cost credits again.';
  return joinBlocks([
    `## ⏳ ${completeTitle(title, run)}`,
    'If you see this after the step has ended, the step was killed before it knew the result. ' +
      effect,
    renderPrompt(run),
  ]);
}

/** Returns the summary to show during the wait, so that a killed step leaves the id of the job. */
export function renderInterimSummary(run: RunInfo): string {
  const steps = getWaitSteps(run);
  return joinBlocks([
    `## ⏳ ${completeTitle('Waiting for the documentation job', run)}`,
    'If you see this after the step has ended, the step was killed. The job may still open a ' +
      'pull request.',
    renderList(steps.map((step) => renderStep(step, run))),
    renderTable(run, steps),
    renderPrompt(run),
  ]);
}

/** Renders a step, with the input to copy below it. */
function renderStep({ text, input }: Step, { redact }: RunInfo): string {
  const block = input === undefined ? '' : `\n\n  \`\`\`yaml\n  ${input}\n  \`\`\``;
  return `${toMarkdown(text, redact)}${block}`;
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

function renderLink(
  url: string,
  { github }: RunInfo,
  name = getLinkName(url, github.serverUrl),
): string {
  return `[${escapeMarkdown(name)}](${url})`;
}

/**
 * The link of a pull request, with its title, state, size, and first files if they could be read.
 */
function renderPullRequest(prLink: string, pull: PullRequest | undefined, run: RunInfo): string {
  if (pull === undefined) {
    return `**${renderLink(prLink, run)}**`;
  }
  const { title, state, additions, deletions, changedFiles, files } = pull;
  const unit = changedFiles === 1 ? 'file' : 'files';
  const size = `+${additions} −${deletions} in ${changedFiles} ${unit}`;
  const name = escapeMarkdown(getLinkName(prLink, run.github.serverUrl));
  const list = files.map(
    ({ path, link, additions, deletions }) =>
      `[${escapeMarkdown(path, PATH_LIMIT)}](${link}) +${additions} −${deletions}`,
  );
  const rest = changedFiles - files.length;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const header = `**${renderLink(prLink, run, title)}**\n${name}, ${state}, ${size}`;
  return `${header}\n\n${renderList([...list, ...more])}`;
}

/** Says which earlier job the run found. Empty if there is nothing to tell. */
function renderEarlierJob(earlierJob: EarlierJob | undefined, { inputs, redact }: RunInfo): string {
  if (earlierJob === undefined || earlierJob.kind === 'none') {
    return '';
  }
  if (inputs?.dryRun === true || earlierJob.kind === 'starting') {
    return toMarkdown(describeEarlierJob(earlierJob, true), redact);
  }
  if (earlierJob.kind !== 'found') {
    const why = warnOfSecondJob(earlierJob) ?? message`new job: ${explainNewJob(earlierJob)}`;
    return toMarkdown(why, redact);
  }
  const { runId, attempt, page, isOtherRun, isSameAttempt } = earlierJob.attempt;
  const name = isOtherRun ? `run ${runId}, attempt ${attempt}` : `attempt ${attempt}`;
  const starter = isSameAttempt ? 'another step of this attempt' : `[${name}](${page})`;
  return `started by ${starter}; this step did not start another`;
}

/** Leaves out the id if a step shows it as an input to copy. */
function renderTable(run: RunInfo, steps: readonly Step[] = [], result = ''): string {
  const { state, redact } = run;
  const { job, earlierJob } = state;
  const jobId = getJobId(state);
  const isShown = steps.some(({ input }) => input !== undefined);
  const address = getServiceAddress(run);
  const branch = job?.ref === undefined ? '' : `, branch ${escapeMarkdown(job.ref)}`;
  const cells: readonly (readonly [string, string])[] = [
    ['Result', result === '' ? '' : `\`${result}\``],
    ['Job', jobId === undefined || isShown ? '' : `\`${jobId}\``],
    ['Service', address === '' || isOwnService(run) ? '' : toMarkdown(code(address), redact)],
    ['Cost', jobId === undefined ? '' : renderCost(run)],
    ['Reuse', renderEarlierJob(earlierJob, run)],
    ['Status', renderStatusChanges(state)],
    ['Repository', job?.repository ? `${renderLink(job.repository, run)}${branch}` : ''],
  ];
  // The first row is a header, which GitHub shows in bold.
  const rows = cells.filter(([, value]) => value !== '');
  const [head = '', ...others] = rows.map(([name, value]) => `| **${name}** | ${value} |`);
  // The heading already says what a result alone would say.
  const isOnlyResult = others.length === 0 && result !== '';
  return head === '' || isOnlyResult ? '' : [head, '|:--|:--|', ...others].join('\n');
}

/** Says who pays for the job. */
function renderCost(run: RunInfo): string {
  const { request, job, earlierJob, stage } = run.state;
  if (isRehearsal(run)) {
    return 'none: a rehearsal';
  }
  if (request?.kind === 'create') {
    return `credits for a new job${isOwnService(run) ? ` ([usage](${USAGE_PAGE}))` : ''}`;
  }
  const mayHaveSent = job !== undefined || stage === 'unconfirmed';
  if (request?.kind === 'follow-up' && mayHaveSent) {
    return 'possibly credits for the follow-up';
  }
  return earlierJob?.kind === 'found'
    ? 'none: the step that started the job paid for it'
    : 'none: this step started no job';
}

/** Figures that only a closer look needs. */
function renderDetails({ state, elapsedMs }: FinishedRun): string {
  const { job, polls } = state;
  const model = job?.model === undefined ? [] : [`Model: ${escapeMarkdown(job.model)}`];
  const figures = [...model, `Elapsed: ${formatDuration(elapsedMs)}`, `Polls: ${polls}`];
  return getJobId(state) === undefined ? '' : renderFolded('Details', renderList(figures));
}

function renderFolded(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n</details>`;
}

/** The newest statuses, each with the time of its first poll, and the time of the last poll. */
function renderStatusChanges({ statusChanges, seenMs }: RunState): string {
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

function renderPrompt({ state: { request }, redact }: RunInfo): string {
  if (request === undefined || request.kind === 'attach') {
    return '';
  }
  const text = showLines(request.prompt, redact, PROMPT_LIMIT, PROMPT_LINES).join('\n');
  return renderFolded('Prompt', `<pre>${escapeHtml(text)}</pre>`);
}
