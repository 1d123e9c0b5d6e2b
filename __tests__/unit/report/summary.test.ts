import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PullRequest } from '../../../src/github/pull-request.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { describeOutcome } from '../../../src/report/messages.ts';
import type { OutcomeMessage } from '../../../src/report/outcome-message.ts';
import { renderInterimSummary, renderSummary } from '../../../src/report/summary.ts';
import type { RunState } from '../../../src/state.ts';
import { code, message } from '../../../src/text/message.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  attach,
  createJobRecord,
  createState,
  createTestJob,
  followUp,
  KEY,
  OUTCOMES,
  PULL_REQUEST,
} from '../fixtures.ts';

const record = createJobRecord('job_1', 7, 2);
const create = { kind: 'create', prompt: 'Describe <b>it</b>\n$x$' } as const;
const opened: Outcome = { outcome: 'pull-request-opened' };
const timedOut: Outcome = { outcome: 'timed-out', code: 'timed-out' };
const failed: Outcome = { outcome: 'failed', code: 'job-failed' };
const keep = (text: string): string => text;
const job = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
const state = createState({
  request: create,
  jobId: 'job_1',
  job,
  polls: 12,
  statusChanges: [
    { status: 'active', atMs: 1_200 },
    { status: 'completed', atMs: 250_000 },
  ],
});
const pullRequest: PullRequest = {
  title: 'Document *gauges* for $5',
  state: 'open',
  additions: 120,
  deletions: 3,
  changedFiles: 3,
  files: [
    { path: 'guides/gauges.mdx', link: `${PULL_REQUEST}/files#diff-a`, additions: 118, deletions: 0 },
    { path: `${'x'.repeat(119)}|y`, link: `${PULL_REQUEST}/files#diff-b`, additions: 2, deletions: 3 },
  ],
};

function render(outcome: Outcome, known = state, pull?: PullRequest, changes: Partial<OutcomeMessage> = {}) {
  const result = { outcome, state: known, elapsedMs: 252_000, inputs: undefined };
  return renderSummary(result, { ...describeOutcome(result), ...changes }, createRedactor(KEY), pull);
}

describe('renderSummary', () => {
  it('shows the pull request first, then its size, the job, and the prompt', () => {
    expect(render(opened, state, pullRequest)).toBe(`## ✅ Documentation pull request opened

**[acme/docs\\#123](${PULL_REQUEST})**

Document \\*gauges\\* for <span>$</span>5 (open, +120 −3 in 3 files)

- [guides/gauges.mdx](${PULL_REQUEST}/files#diff-a) +118 −0
- [${'x'.repeat(119)}…](${PULL_REQUEST}/files#diff-b) +2 −3
- and 1 more

| Agent job | \`job_1\` |
|:--|:--|
| Status | active (1 s) → completed (4 min 10 s) |
| Repository | [acme/docs](https://github.com/acme/docs), branch docs-agent/update |
| Model | sonnet |
| Elapsed | 4 min 12 s |
| Polls | 12 |

<details><summary>Prompt</summary>

<pre>Describe &#60;b&#62;it&#60;/b&#62;
$x$</pre>
</details>`);
  });

  it('says on a failure what to do next, with a line to paste', () => {
    const known = createState({ request: { kind: 'attach', jobId: '1e5' }, jobId: '1e5' });
    expect(render(timedOut, known)).toBe(`## ⏱️ Timed out waiting for the documentation job

Agent job \`1e5\` couldn't be read after 4 min 12 s. It may still be running, and may open a pull request.

**What to do next**

- To keep waiting, re-run the failed jobs. That does not start another job.
- If jobs often take this long, raise \`timeout-minutes\`.

\`\`\`yaml
job-id: "1e5"
\`\`\`

| Agent job | \`1e5\` |
|:--|:--|
| Elapsed | 4 min 12 s |
| Polls | 0 |`);
  });

  it.each([
    ...['1e5', '0123', 'null', '1_000', '0x1F', '0o17', '123', '1.5', 'true', 'no', 'NaN', '2026-01-01'],
    ...['_', '-', '1e400', '0b11'],
  ])('shows a line that is the id in YAML 1.2 and in YAML 1.1: %s', (jobId) => {
    const shown = render(timedOut, createState({ request: { kind: 'attach', jobId }, jobId }));
    const [, yaml = ''] = /```yaml\n([\s\S]*?)\n```/.exec(shown) ?? [];
    for (const version of ['1.1', '1.2'] as const) {
      expect(parse(yaml, { version })).toEqual({ 'job-id': jobId });
    }
  });

  it('lists what is wrong with the inputs, escaped once the secrets are out', () => {
    const problems = [message`${code('wait')} is wrong.`, message`${`<b> ${KEY}`} is wrong.`];
    const invalid: Outcome = { outcome: 'not-started', code: 'invalid-input', problems };
    expect(render(invalid, createState())).toBe(
      `## ❌ Docs agent: invalid inputs

Nothing was sent. Correct these inputs:

- \`wait\` is wrong.
- \\<b\\> \\*\\*\\* is wrong.`,
    );
  });

  it('shows an outcome that passes as an error if the outputs are missing, or else as a warning', () => {
    expect(render(opened, state, undefined, { level: 'warning' })).toMatch(/^## ⚠️ /);
    const changes = { level: 'error', text: message`Why.` } as const;
    expect(render(opened, state, undefined, changes)).toMatch(/^## ❌ .*\n\n\*\*\[acme.*\n\nWhy\.\n\n/);
    expect(render(failed, state, undefined, changes)).toMatch(/^## ❌ /);
    expect(render(timedOut, state, undefined, changes)).toMatch(/^## ⏱️ /);
  });

  it('has an icon for every outcome', () => {
    const known = { state: createState(), elapsedMs: 0, inputs: undefined };
    const described = describeOutcome({ ...known, outcome: opened });
    const icons = OUTCOMES.map((outcome) => {
      const summary = renderSummary({ ...known, outcome: { outcome } as Outcome }, described, keep);
      return summary.split(' ')[1];
    });
    expect(icons.join(' ')).toBe('✅ ✅ ⚠️ 🚀 🧪 ⏭️ ❌ ⏱️ 🛑 ❌ ❓ ❓');
  });

  const changesOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ status: `s${index}`, atMs: 0 }));
  const statuses = (first: number, last: number): string =>
    Array.from({ length: last - first + 1 }, (_, index) => `s${first + index} (0 s)`).join(' → ');

  const reusing = (isOtherRun: boolean) => ({ earlierJob: { kind: 'found', record, isOtherRun } }) as const;
  const startedBy = (name: string): string =>
    `| Reuse | started by [${name}](${record.page}); this run did not start another |`;
  const withoutBranch = createTestJob({ source: { repository: 'https://github.com/a/b' } });

  it.each<[string, Partial<RunState>, string]>([
    ['a job of an earlier attempt', reusing(false), startedBy('attempt 2')],
    ['a job of another run', reusing(true), startedBy('run 7, attempt 2')],
    [
      'a new job',
      { earlierJob: { kind: 'none', reason: message`no ${`*earlier* ${KEY}`} one`, mayBeSecond: false } },
      '| Reuse | new job: no \\*earlier\\* \\*\\*\\* one |',
    ],
    ['no branch', { job: withoutBranch }, '| Repository | [a/b](https://github.com/a/b) |'],
    [
      'a repository as text if a piece of the key was taken out of its link',
      { job: { ...job, repository: 'https://github.com/***' } },
      '| Repository | https:\u2060//github.com/\\*\\*\\*, branch',
    ],
    ['a follow-up', { request: followUp }, '<pre>More</pre>'],
    ['12 changes of the status', { statusChanges: changesOf(12) }, `| Status | ${statuses(0, 11)} |`],
    [
      '14 changes of the status',
      { statusChanges: changesOf(14) },
      `| Status | ${statuses(0, 5)} → … 2 more … → ${statuses(8, 13)} |`,
    ],
  ])('shows %s', (_, changes, expected) => {
    expect(render(opened, { ...state, ...changes })).toContain(expected);
  });

  it('leaves out what is not known', () => {
    const bare = createTestJob({ status: 'completed', source: null, model: null });
    const shown = render({ outcome: 'no-pull-request' }, { ...state, job: bare, request: attach });
    expect(shown).not.toMatch(/Repository|Model|Prompt|\*\*|Reuse|yaml/);
    const start = /^## ✅ No documentation pull request\n\nAgent job `job_1` completed .*\n\n\| Agent job/;
    expect(shown).toMatch(start);
    expect(render({ outcome: 'dry-run' }, createState())).toBe(
      '## 🧪 Dry run\n\nThe inputs are valid. Nothing was sent.',
    );
  });

  it.each([
    [1, '(merged, +1 −0 in 1 file)'],
    [2, '(merged, +1 −0 in 2 files)'],
  ])('counts %i changed files, all of which are listed', (count, expected) => {
    const file = { path: 'a', link: PULL_REQUEST, additions: 0, deletions: 0 };
    const files = Array(count).fill(file);
    const size = { additions: 1, deletions: 0, changedFiles: count };
    const shown = render(opened, state, { ...pullRequest, ...size, state: 'merged', files });
    const list = `- [a](${PULL_REQUEST}) +0 −0\n`.repeat(count);
    expect(shown).toContain(`${expected}\n\n${list}\n| Agent job`);
  });

  it('cuts a long prompt', () => {
    const long = (prompt: string): string =>
      render({ outcome: 'dry-run' }, createState({ request: { ...create, prompt } }));
    expect(long('x'.repeat(4_001))).toContain(`<pre>${'x'.repeat(4_000)}\n… (4001 characters in all)</pre>`);
    expect(long('x\n'.repeat(201))).toContain(`<pre>${'x\n'.repeat(200)}… (402 characters in all)</pre>`);
    expect(long('\0'.repeat(4_000))).toMatch(/<pre>(?:&#60;U\+0000&#62;)+.{0,12}…<\/pre>/);
  });

  const markup = ['<', '&', '$', '"', '|', '\\', '`'];
  const others = ['文', '🧪', 'a🧪', '\ud800', '\u200b', '\0', '\n', 'a\n', `${'\0'.repeat(19)}\n`];
  it.each([...markup, ...others])(
    'stays below 64 KiB if every text is as long as it can be and made of %o',
    (unit) => {
      const text = unit.repeat(6_000 / unit.length);
      const prLink = `https://github.com/${'o'.repeat(100)}/${'r'.repeat(100)}/pull/1`;
      const size = { additions: 1e15, deletions: 1e15 };
      const file = { path: text, link: `${prLink}/files#diff-${'0'.repeat(64)}`, ...size };
      const known = createState({
        request: { ...create, prompt: text },
        earlierJob: { kind: 'none', reason: message`${text}`, mayBeSecond: false },
        jobId: 'j'.repeat(128),
        job: createTestJob({ status: text, prLink }),
        statusChanges: Array(50).fill({ status: text.slice(0, 256), atMs: 1 }),
      });
      const pull = { ...pullRequest, title: text, ...size, changedFiles: 1e15, files: Array(20).fill(file) };
      const summary = render(failed, known, pull);
      expect(summary).toMatch(/^## ❌ Documentation job failed\n/);
      for (const markdown of [summary, renderInterimSummary(known, keep)]) {
        expect(markdown).toContain('job-id: "jjj');
        expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
        expect(markdown.isWellFormed()).toBe(true);
      }
    },
  );
});

describe('a summary that would be too large', () => {
  const file = { path: '$'.repeat(120), link: PULL_REQUEST, additions: 0, deletions: 0 };
  const request = { ...create, prompt: '&'.repeat(4_000) };

  // Each file takes 1.8 kB, each status 3.6 kB, the prompt 20 kB.
  it.each([
    [10, 5, true, true],
    [20, 5, false, true],
    [20, 9, false, false],
  ])(
    'with %i files and %i long statuses leaves out the prompt first, then the files',
    (files, statuses, ...kept) => {
      const statusChanges = Array(statuses).fill({ status: '$'.repeat(256), atMs: 0 });
      const pull = { ...pullRequest, files: Array(files).fill(file) };
      const shown = render(opened, { ...state, request, statusChanges }, pull);
      expect([shown.includes('<details>'), shown.includes(' in 3 files')]).toEqual(kept);
      expect(shown.includes('| Polls |')).toBe(true);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(65_536);
    },
  );

  it('may have exactly 64 KiB', () => {
    const renderLink = (link: string): string =>
      render(opened, state, { ...pullRequest, files: [{ ...file, link }] });
    const padding = 'y'.repeat(65_536 - Buffer.byteLength(renderLink('https://x/')));
    expect(Buffer.byteLength(renderLink(`https://x/${padding}`))).toBe(65_536);
    expect(renderLink(`https://x/${padding}y`).includes('<details>')).toBe(false);
  });
});

describe('renderInterimSummary', () => {
  it('leaves a trace of the job for a runner that is killed', () => {
    const known = { ...state, job: undefined, statusChanges: [] };
    expect(renderInterimSummary(known, keep)).toBe(`## ⏳ Waiting for the documentation job

If you see this after the step has ended, the runner was stopped before the job was final. The job is still running and may still open a pull request.

\`\`\`yaml
job-id: "job_1"
\`\`\`

| Agent job | \`job_1\` |
|:--|:--|

<details><summary>Prompt</summary>

<pre>Describe &#60;b&#62;it&#60;/b&#62;
$x$</pre>
</details>`);
    expect(renderInterimSummary(createState(), keep)).not.toMatch(/yaml|\||\n\n$/);
  });
});
