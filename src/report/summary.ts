import type { PullRequest } from '../github/pull-request.ts';
import { getEffect } from '../state/outcome.ts';
import { getJobId, isWaiting } from '../state/run-state.ts';
import { getLinkName } from '../text/link.ts';
import { escapeMarkdown } from '../text/markdown.ts';
import { joinSentences, type Message, message, replaceLink, toMarkdown } from '../text/message.ts';
import { sanitize, showLines } from '../text/sanitize.ts';
import { MAY_HAVE_STARTED } from './ends.ts';
import { completeTitle, type Facts, type FinalFacts, isFollowUp } from './facts.ts';
import { describeRemedy } from './remedies.ts';
import { count, getDetails, getTable } from './table.ts';
import { describeEnd, getPage, type Words } from './words.ts';

const MAX_BYTES = 64 * 1024;
const PROMPT_LIMIT = 4_000;
const PROMPT_LINES = 200;
const PATH_LIMIT = 120;
const ICONS = { notice: '✅', warning: '⚠️', error: '❌', none: 'ℹ️' } as const;

/** Returns the last summary: at most 64 KiB of Markdown. Texts of `pullRequest` are untrusted. */
export function renderSummary(facts: FinalFacts, pullRequest?: PullRequest): string {
  const { outcome, redact } = facts;
  const words = describeEnd(facts);
  const isSuccess = outcome.result === 'pull-request-opened' || outcome.result === 'started';
  const icon = words.level === 'notice' && !isSuccess ? ICONS.none : ICONS[words.level];
  return joinBlocks([
    `## ${icon} ${words.title}`,
    renderPullRequest(facts, pullRequest),
    renderWords(words, facts),
    renderList(words.problems.map((problem) => toMarkdown(problem, redact))),
    words.copiesJobId ? renderLineToCopy(facts) : '',
    renderRows(getTable(facts)),
    renderFolded('Details', renderList(getDetails(facts).map((row) => row.join(': ')))),
    renderPrompt(facts),
  ]);
}

/** What happened, in bold, what to do, and the long story. */
function renderWords(words: Words, facts: FinalFacts): string {
  const page = getPage(words, facts);
  // Its link and title are already shown.
  const pull = message`this pull request`;
  const named = replaceLink(words.happened, facts.state.job?.prLink, pull);
  const happened = toMarkdown(named, facts.redact);
  const bold = happened === '' ? '' : `**${happened}**`;
  const more = page === '' ? '' : `[What to do](${page})`;
  return [bold, toMarkdown(words.next, facts.redact), more].filter((part) => part !== '').join(' ');
}

/** Returns the summary to show while the run goes on: what a killed step would leave. */
export function renderInterimSummary(facts: Facts): string {
  const [title, text] = describeKill(facts);
  return joinBlocks([
    `## ⏳ ${completeTitle(title, facts)}`,
    `If the step has ended, it was killed ${toMarkdown(text, facts.redact)}`,
    renderRows(getTable(facts)),
    renderPrompt(facts),
  ]);
}

/** One of three fixed titles and texts: before the request, after it, and while the run waits. */
function describeKill(facts: Facts): readonly [string, Message] {
  if (getEffect(facts.state) === 'possible') {
    const happened = isFollowUp(facts) ? [] : MAY_HAVE_STARTED;
    const next = joinSentences(happened, describeRemedy('check', facts));
    return ['Sending the request …', message`before the answer. ${next}`];
  }
  return isWaiting(facts.state)
    ? ['Waiting for the documentation job', message`while it waited. The job may continue.`]
    : ['Preparing …', message`before it sent anything, so it started no job.`];
}

/** Joins blocks. Leaves out what would exceed 64 KiB, because escaping can lengthen text. */
function joinBlocks(blocks: readonly string[]): string {
  return blocks.reduce((summary, block) => {
    const longer = `${summary}\n\n${block}`;
    return block === '' || Buffer.byteLength(longer) > MAX_BYTES ? summary : longer;
  });
}

function renderList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** The first row is a header, which GitHub shows in bold. */
function renderRows(rows: readonly (readonly [string, string])[]): string {
  const [head = '', ...others] = rows.map(([name, value]) => `| **${name}** | ${value} |`);
  return [head, '|:--|:--|', ...others].join('\n');
}

/** Quoted, because YAML reads an id such as `1e5` as a number. */
function renderLineToCopy({ state, inputs }: FinalFacts): string {
  const jobId = getJobId(state);
  const wait = inputs?.wait === false ? '\nwait: true' : '';
  return jobId === undefined ? '' : `\`\`\`yaml\njob-id: ${JSON.stringify(jobId)}${wait}\n\`\`\``;
}

/** The link of a pull request, with its details and its first files if they could be read. */
function renderPullRequest({ state: { job }, github }: Facts, pull?: PullRequest): string {
  const { prLink } = job ?? {};
  if (prLink === undefined) {
    return '';
  }
  const name = escapeMarkdown(getLinkName(prLink, github.serverUrl));
  if (pull === undefined) {
    return `**[${name}](${prLink})**`;
  }
  const { title, state, additions, deletions, changedFiles, files } = pull;
  const size =
    changedFiles === undefined
      ? 'size unknown'
      : `+${additions} −${deletions} in ${count(changedFiles, 'file')}`;
  const list = files.map(
    ({ path, link, additions, deletions }) =>
      `[${escapeMarkdown(path, PATH_LIMIT)}](${link}) +${additions} −${deletions}`,
  );
  const rest = (changedFiles ?? 0) - files.length;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const header = `**[${renderTitle(title)}](${prLink})**\n${name}, ${state}, ${size}`;
  return `${header}\n\n${renderList([...list, ...more])}`;
}

/** As GitHub does, shows as code what is between two backticks. Nothing else has a meaning. */
function renderTitle(title: string): string {
  const parts = sanitize(title).split(/`([^`]+)`/);
  return parts
    .map((part, index) => (index % 2 === 0 ? escapeMarkdown(part) : `\`${part}\``))
    .join('');
}

function renderFolded(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n</details>`;
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
