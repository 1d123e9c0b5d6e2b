import { expect, it } from 'vitest';
import type { PullRequest } from '../../../src/github/pull-request.ts';
import type { FinalFacts } from '../../../src/report/facts.ts';
import { renderInterimSummary, renderSummary } from '../../../src/report/summary.ts';
import type { Outcome } from '../../../src/state/outcome.ts';
import type { RunState } from '../../../src/state/run-state.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  attach,
  createInputs,
  createRecordedAttempt,
  createResult,
  createState,
  createTestJob,
  followUp,
  KEY,
  PULL_REQUEST,
} from '../fixtures.ts';

const create = { kind: 'create', prompt: 'Describe <b>it</b>\n$x$' } as const;
const opened: Outcome = { result: 'pull-request-opened' };
const timedOut: Outcome = { result: 'timed-out', code: 'timed-out' };
const failed: Outcome = { result: 'failed', code: 'job-failed' };
const own = createInputs({ baseUrl: new URL('https://api.mintlify.com') });
const job = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
const statusChanges = [
  { status: 'active', atMs: 1_200 },
  { status: 'completed', atMs: 250_000 },
];
const settled = { request: create, job, claim: { kind: 'settled' } } as const;
const state = createState({ ...settled, polls: 12, seenMs: 250_000, statusChanges });
const toFile = (path: string, diff: string, additions: number, deletions: number) => {
  return { path, link: `${PULL_REQUEST}/files#diff-${diff}`, additions, deletions };
};
const pullRequest: PullRequest = {
  title: 'Document *gauges* for $5',
  branch: 'docs-agent/update',
  state: 'open',
  additions: 120,
  deletions: 3,
  changedFiles: 3,
  files: [toFile('guides/gauges.mdx', 'a', 118, 0), toFile(`${'x'.repeat(119)}|y`, 'b', 2, 3)],
};

function render(
  outcome: Outcome,
  known = state,
  pull?: PullRequest,
  changes: Partial<FinalFacts> = {},
): string {
  const redact = createRedactor(KEY);
  const result = createResult(outcome, { state: known, inputs: own, redact, ...changes });
  return renderSummary(result, pull);
}

const renderInterim = (known = state, inputs: FinalFacts['inputs'] = own): string =>
  renderInterimSummary(createResult(opened, { state: known, inputs }));

it('shows the pull request first, then cost and re-run, the job, and the prompt', () => {
  const shown = render(opened, state, pullRequest);
  const parts = [
    '## ✅ ',
    `**[Document \\*gauges\\* for <span>$</span>5](${PULL_REQUEST})**\n`,
    'acme/docs\\#123, open, +120 −3 in 3 files\n',
    `- [guides/gauges.mdx](${PULL_REQUEST}/files#diff-a) +118 −0\n- [xxx`,
    `x…](${PULL_REQUEST}/files#diff-b) +2 −3\n- and 1 more\n`,
    '| **Cost** | 1 job (',
    '| **Re‑run** | ',
    '| **Job** | `job_1` |',
    '| **Status** | active (1 s) → completed (4 min 10 s) |',
    '| **Repository** | [acme/docs](https://github.com/acme/docs), branch docs-agent/update |',
    '- `job-result`: `pull-request-opened`\n- Project: `docs`\n- Model: sonnet\n',
    '<summary>Prompt</summary>\n\nDescribe &lt;b&gt;it&lt;/b&gt;<br>\n<span>$</span>x<span>',
  ];
  let at = 0;
  for (const part of parts) {
    expect(shown.slice(at)).toContain(part);
    at = shown.indexOf(part, at) + part.length;
  }
});

it.each([
  ['Add `gauges` for $5', 'Add `gauges` for <span>$</span>5'],
  ['`[x](y)` *b*', '`[x](y)` \\*b\\*'],
  ['a ` b', 'a \\` b'],
  ['\\`a` <b>', '\\\\`a` &lt;b&gt;'],
  ['``', '\\`\\`'],
])('shows code in the title %j as code', (title, shown) => {
  expect(render(opened, state, { ...pullRequest, title })).toContain(`**[${shown}](`);
});

it('says after a failure why no re-run finds the job, with a line to copy', () => {
  const request = { kind: 'attach', jobId: '1e5' } as const;
  const known = createState({ request: create, job: createTestJob({ id: '1e5' }) });
  const unsettled = { kind: 'unsettled', detail: `HTTP 503 ${KEY}` } as const;
  const shown = render(timedOut, { ...known, claim: unsettled });
  expect(shown).toContain('HTTP 503 \\*\\*\\*');
  expect(shown).toContain('```yaml\njob-id: "1e5"\n```\n\n| **Cost** | 1 job (');
  expect(render(timedOut, createState({ request }))).not.toContain('yaml');
});

it('has an icon for every level', () => {
  expect(render(opened)).toMatch(/^## ✅ /);
  expect(render(failed)).toMatch(/^## ❌ /);
  expect(render({ result: 'archived' })).toMatch(/^## ⚠️ /);
  expect(render({ result: 'dry-run' })).toMatch(/^## ℹ️ /);
  const outputProblem = 'ENOSPC';
  expect(render(opened, state, undefined, { outputProblem })).toMatch(/^## ❌ .*not written\n/);
});

// A forwarder on the runner may lead to a service that costs: only the key decides.
it.each([
  ['mint_emulator_admin_key_0001', 'https://agent.example.com', 'Rehearsal: Documentation'],
  [KEY, 'http://localhost:4010/v1', 'Documentation'],
])('with %s, shows the address %s, which is not the default', (apiKey, address, title) => {
  const inputs = { ...own, apiKey, baseUrl: new URL(`${address}/`) };
  const shown = render(opened, state, undefined, { inputs });
  expect(shown).toContain(`## ✅ ${title} pull request opened\n`);
  expect(shown).toContain(`\n| **Service** | \`${address}\` |\n`);
  expect(renderInterim(state, inputs)).toMatch(/^## ⏳ .*[\s\S]*\n\| \*\*Service\*\* \|/);
});

const otherRun = createRecordedAttempt(8, 2).page;
it.each<[string, number, Partial<RunState>, string]>([
  ['found', 7, {}, '| **Job** | `job_1` of attempt 2 |'],
  ['found', 8, {}, `| **Job** | \`job_1\` of another run (<${otherRun}>) |`],
  ['failed', 7, { request: create }, '| **Failed job** | `job_1` of attempt 2 |'],
])('names whose job was %s (run %i)', (kind, runId, changes, row) => {
  const attempt = createRecordedAttempt(runId, 2);
  const earlierJob = { kind: kind as 'found' | 'failed', jobId: 'job_1', attempt };
  const known = createState({ ...state, request: attach, earlierJob, ...changes });
  expect(render(opened, known)).toContain(row);
});

it('leaves out unknown values', () => {
  const bare = createTestJob({ status: 'completed', source: null, model: null });
  const known = createState({ ...state, job: bare, request: attach });
  const shown = render({ result: 'no-pull-request' }, known);
  expect(shown).not.toMatch(/Repository|Model|Prompt|Record|yaml|Service/);
});

const markup = ['<', '&', '$', '"', '|', '\\', '`'];
const others = ['文', '🧪', 'a🧪', '\ud800', '\u200b', '\0', '\n', 'a\n', `${'\0'.repeat(19)}\n`];
it.each([...markup, ...others])('stays below 64 KiB with the longest texts of %o', (unit) => {
  const text = unit.repeat(6_000 / unit.length);
  const prLink = `https://github.com/${'o'.repeat(100)}/${'r'.repeat(100)}/pull/1`;
  const size = { additions: 1e15, deletions: 1e15 };
  const file = { path: text, link: `${prLink}/files#diff-${'0'.repeat(64)}`, ...size };
  const known = createState({
    request: { ...create, prompt: text },
    claim: { kind: 'unsettled', detail: text },
    job: createTestJob({ id: 'j'.repeat(128), status: text, prLink }),
    statusChanges: Array(50).fill({ status: text.slice(0, 256), atMs: 1 }),
  });
  const files = Array(20).fill(file);
  const pull = { ...pullRequest, title: text, ...size, changedFiles: 1e15, files };
  const summary = render(timedOut, known, pull);
  expect(summary).toContain('job-id: "jjj');
  for (const markdown of [summary, renderInterim(known)]) {
    expect(markdown).toContain('| **Job** | jjj');
    expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
    expect(markdown.isWellFormed()).toBe(true);
  }
});

const unconfirmed = { isUnconfirmed: true, sentAt: Date.UTC(2026, 10, 24) } as const;
const sendingMore = { ...unconfirmed, request: followUp };
const sending = { ...unconfirmed, request: create };
const waiting = { request: create, job: createTestJob(), claim: { kind: 'settled' } } as const;
it.each<[string, Partial<RunState>, string, string, string]>([
  ['before the request', { request: create }, 'Preparing …', 'nothing', 'may start a paid job'],
  ['during the request', sending, 'Sending the request …', 'maybe 1 job', 'free'],
  [
    'during a follow-up',
    sendingMore,
    'Sending the request …',
    'maybe 1 follow-up',
    'sends it again, paid',
  ],
  [
    'while it waits',
    waiting,
    'Waiting for the documentation job',
    '1 job',
    'free, unless the job fails',
  ],
])('says what a killed step leaves %s', (_, known, title, cost, rerun) => {
  const shown = renderInterim(createState(known));
  expect(shown).toContain(`## ⏳ ${title}\n\nIf the step has ended, it was killed `);
  expect(shown).toMatch(new RegExp(`\n\\| \\*\\*Cost\\*\\* \\| ${cost}( \\(|\\s\\|)`));
  expect(shown).toContain(`\n| **Re‑run** | ${rerun} |\n`);
  expect(shown.includes('A job may have started')).toBe(cost === 'maybe 1 job');
});
