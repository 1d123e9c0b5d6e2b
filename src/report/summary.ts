import type { PullRequest } from '../github/pull-request.ts';
import { getEffect, type Outcome } from '../state/outcome.ts';
import {
  type ClaimState,
  type EarlierJob,
  type FoundJob,
  getJobId,
  isWaiting,
  type RunState,
} from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName } from '../text/link.ts';
import { escapeMarkdown } from '../text/markdown.ts';
import { code, joinSentences, link, type Message, message, toMarkdown } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { showLines } from '../text/sanitize.ts';
import { summarizeChanges } from './changes.ts';
import { describeCost } from './cost.ts';
import { askForLaterRuns, describeEarlierJob, nameAttempt } from './earlier-job.ts';
import {
  completeTitle,
  type Facts,
  type FinalFacts,
  getServiceAddress,
  isDryRun,
  isFollowUp,
  isOwnService,
  isPossibleDuplicate,
  isRehearsal,
} from './facts.ts';
import { checkEffect, checkRival, waitForJob } from './next-steps.ts';
import { USAGE_PAGE } from './pages.ts';
import { describeRerun } from './rerun.ts';
import type { Words } from './words.ts';

const MAX_BYTES = 64 * 1024;
const PROMPT_LIMIT = 4_000;
const PROMPT_LINES = 200;
const MAX_SHOWN_CHANGES = 8;
const STATUS_LIMIT = 60;
const PATH_LIMIT = 120;

/**
 * Returns the summary of a run that has ended: at most 64 KiB of Markdown. The texts of the pull
 * request are untrusted.
 */
export function renderSummary(facts: FinalFacts, words: Words, pullRequest?: PullRequest): string {
  const { outcome, state, redact } = facts;
  const { prLink } = state.job ?? {};
  const pull = prLink === undefined ? '' : renderPullRequest(prLink, pullRequest, facts);
  const isShownByLink = outcome.result === 'pull-request-opened' && words.level === 'notice';
  const text = isShownByLink ? '' : toMarkdown(words.happened, redact);
  return joinBlocks([
    `## ${getIcon(facts, words.level)} ${words.title}`,
    ...(words.level === 'error' ? [text, pull] : [pull, text]),
    renderMessages(words.problems ?? [], redact),
    renderTable(facts, words),
    renderSteps(words.next, redact),
    words.next.length === 0 ? '' : renderLinks(facts),
    renderDetails(facts),
    renderPrompt(facts),
  ]);
}

/** Links to the documentation of the running version: about unknown starts, and new runs. */
function renderLinks({ outcome, state, github: { docsUrl } }: FinalFacts): string {
  if (docsUrl === undefined) {
    return '';
  }
  const isUnknown = getEffect(state, outcome) === 'possible' || outcome.result === 'start-unknown';
  const mayExist = isUnknown && state.request?.kind !== 'follow-up';
  const about = mayExist ? `[Did a job start?](${docsUrl}/usage.md#did-a-job-start) · ` : '';
  return `${about}[How to start a new run](${docsUrl}/recipes.md#a-button-in-the-actions-tab)`;
}

const ICONS = { notice: '✅', warning: '⚠️', error: '❌', none: 'ℹ️' } as const;
const SUCCESSES: readonly Outcome['result'][] = ['pull-request-opened', 'started'];

function getIcon(facts: FinalFacts, level: Words['level']): string {
  if (level === 'notice' && isPossibleDuplicate(facts)) {
    return ICONS.warning;
  }
  const isSuccess = SUCCESSES.includes(facts.outcome.result);
  return level === 'notice' && !isSuccess ? ICONS.none : ICONS[level];
}

/** Returns the summary to show while the run goes on: what a killed step would leave. */
export function renderInterimSummary(facts: Facts): string {
  const { title, effect, next } = describeKill(facts);
  const { redact } = facts;
  const killed = `If you see this after the step has ended, the step was killed${effect}`;
  return joinBlocks([
    `## ⏳ ${completeTitle(title, facts)}`,
    killed,
    renderTable(facts, { cost: describeCost(facts), rerun: describeRerun(facts) }),
    renderSteps(next, redact),
    renderPrompt(facts),
  ]);
}

/** What a killed step would leave. */
function describeKill(facts: Facts) {
  const { state } = facts;
  if (getEffect(state) === 'possible') {
    return isFollowUp(facts)
      ? {
          title: 'Sending a follow-up …',
          effect: ' before it knew the result. The job may have received the follow-up.',
          next: checkEffect(facts),
        }
      : {
          title: 'Starting a documentation job …',
          effect: ' before it knew the result. A job may have been started.',
          next: checkEffect(facts),
        };
  }
  if (isWaiting(state)) {
    return {
      title: 'Waiting for the documentation job',
      effect: '. The job may still open a pull request.',
      next: waitForJob(facts),
    };
  }
  const effect = isFollowUp(facts)
    ? ' before the job got the follow-up.'
    : ' before it started a job.';
  return state.rival === undefined
    ? { title: 'Preparing …', effect, next: [] }
    : {
        title: 'Waiting for another step or run to start the job',
        effect: `${effect} The other one may have started a job.`,
        next: checkRival(state.rival, facts),
      };
}

function renderSteps(next: readonly Message[], redact: Redact): string {
  return next.length === 0 ? '' : `**What to do next**\n\n${renderMessages(next, redact)}`;
}

function renderMessages(messages: readonly Message[], redact: Redact): string {
  return renderList(messages.map((item) => toMarkdown(item, redact)));
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
  { github }: Facts,
  name = getLinkName(url, github.serverUrl),
): string {
  return `[${escapeMarkdown(name)}](${url})`;
}

/**
 * The link of a pull request, with its title, state, size, and first files if they could be read.
 */
function renderPullRequest(prLink: string, pull: PullRequest | undefined, facts: Facts): string {
  if (pull === undefined) {
    return `**${renderLink(prLink, facts)}**`;
  }
  const { title, state, additions, deletions, changedFiles, files } = pull;
  const unit = changedFiles === 1 ? 'file' : 'files';
  const size = `+${additions} −${deletions} in ${changedFiles} ${unit}`;
  const name = escapeMarkdown(getLinkName(prLink, facts.github.serverUrl));
  const list = files.map(
    ({ path, link, additions, deletions }) =>
      `[${escapeMarkdown(path, PATH_LIMIT)}](${link}) +${additions} −${deletions}`,
  );
  const rest = changedFiles - files.length;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const header = `**${renderLink(prLink, facts, title)}**\n${name}, ${state}, ${size}`;
  return `${header}\n\n${renderList([...list, ...more])}`;
}

/**
 * Says which earlier job the run found, or why it can't tell, and what is wrong with the record of
 * this run. Empty if there is nothing to tell.
 */
function renderRecord(facts: Facts): string {
  const { inputs, redact, outcome } = facts;
  const { earlierJob, claim } = facts.state;
  if (outcome?.code === 'reuse-unknown') {
    // The summary begins with it.
    return '';
  }
  const earlier = earlierJob === undefined ? [] : describeEarlier(earlierJob, facts);
  const isSaid = earlierJob?.kind === 'unreadable' && earlier.length > 0;
  return toMarkdown(joinSentences(earlier, describeClaim(claim, inputs, isSaid)), redact);
}

/** A dry run says this in its text, and a run that has started nothing has nothing to explain. */
function describeEarlier(earlierJob: EarlierJob, facts: Facts): Message {
  const { reason, duplicate } = describeEarlierJob(earlierJob, facts);
  if (isDryRun(facts)) {
    return [];
  }
  if (earlierJob.kind === 'found') {
    return describeFound(earlierJob);
  }
  const effect = getEffect(facts.state, facts.outcome);
  if (duplicate !== undefined && effect !== 'none') {
    return duplicate;
  }
  // The record of this run says the same.
  const isSaid = earlierJob.kind === 'unreadable' && 'detail' in facts.state.claim;
  return effect === 'certain' && !isSaid ? message`new job, because ${reason}.` : [];
}

function describeFound({ attempt, other }: FoundJob): Message {
  const run = attempt.isOtherRun ? message`run ${String(attempt.runId)}, ` : [];
  const starter = attempt.isSameAttempt
    ? message`job started by another step of this attempt.`
    : message`job started by ${run}attempt ${String(attempt.attempt)}: ${link(attempt.page)}.`;
  return other === undefined
    ? starter
    : message`${starter} Another job may exist, from ${nameAttempt(other)}.`;
}

/** Says what is wrong with the record of this run. `isSaid`: the record can't be read, either. */
function describeClaim(claim: ClaimState, inputs: Facts['inputs'], isSaid: boolean): Message {
  switch (claim.kind) {
    case 'off':
    case 'open':
    case 'closed':
      return [];
    case 'saved':
      return claim.leftOpen === undefined
        ? []
        : message`GitHub may still list this run as starting a job (${claim.leftOpen}). If the job
            fails, other runs may stop because of that.`;
    case 'left-open': {
      const others =
        inputs?.reuse === 'release'
          ? message` Other runs for this release may stop without starting a job: {reuse: never} in
              a new run starts one anyway.`
          : [];
      return message`GitHub may still list this run as starting a job (${claim.detail}).${others}`;
    }
    default:
      return joinSentences(
        isSaid ? [] : message`The record on GitHub can't be read or written (${claim.detail}).`,
        askForLaterRuns(claim.kind, claim.detail),
      );
  }
}

function renderTable(facts: Facts, { cost, rerun }: Pick<Words, 'cost' | 'rerun'>): string {
  const { state, redact } = facts;
  const { job } = state;
  const jobId = getJobId(state);
  const address = getServiceAddress(facts);
  const branch = job?.ref === undefined ? '' : `, branch ${escapeMarkdown(job.ref)}`;
  const cells: readonly (readonly [string, string])[] = [
    ['Cost', `${toMarkdown(cost, redact)}${renderUsage(facts)}`],
    ['Re-run', toMarkdown(rerun, redact)],
    ['Changes', toMarkdown(summarizeChanges(state), redact)],
    ['Job', jobId === undefined ? '' : `\`${jobId}\``],
    ['Record', renderRecord(facts)],
    ['Status', renderStatusChanges(state)],
    ['Repository', job?.repository ? `${renderLink(job.repository, facts)}${branch}` : ''],
    ['Service', address === '' || isOwnService(facts) ? '' : toMarkdown(code(address), redact)],
  ];
  // The first row is a header, which GitHub shows in bold.
  const rows = cells.filter(([, value]) => value !== '');
  const [head = '', ...others] = rows.map(([name, value]) => `| **${name}** | ${value} |`);
  return [head, '|:--|:--|', ...others].join('\n');
}

/** Where the service shows what this run has cost. If that is unknown, the steps say so. */
function renderUsage(facts: Facts): string {
  const isPaid = getEffect(facts.state, facts.outcome) === 'certain' && !isRehearsal(facts);
  return isPaid && isOwnService(facts) ? ` See the [Usage page](${USAGE_PAGE}).` : '';
}

/** Figures that only a closer look needs. */
function renderDetails({ state, elapsedMs, outcome }: FinalFacts): string {
  const { job, polls } = state;
  const model = job?.model === undefined ? [] : [`Model: ${escapeMarkdown(job.model)}`];
  const figures = [
    `\`job-result\`: \`${outcome.result}\``,
    ...model,
    `Elapsed: ${formatDuration(elapsedMs)}`,
    `Polls: ${polls}`,
  ];
  return renderFolded('Details', renderList(figures));
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

function renderPrompt({ state: { request }, redact }: Facts): string {
  if (request === undefined || request.kind === 'attach') {
    return '';
  }
  const lines = showLines(request.prompt, redact, PROMPT_LIMIT, PROMPT_LINES);
  // Not preformatted, so that long lines wrap.
  const text = lines.map((line) => escapeMarkdown(line, PROMPT_LIMIT)).join('<br>\n');
  return renderFolded('Prompt', text);
}
