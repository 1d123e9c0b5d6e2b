import { describe, expect, it } from 'vitest';
import type { PullRequest } from '../../../src/github/pull-request.ts';
import type { Words } from '../../../src/report/phrases.ts';
import { describeResult } from '../../../src/report/results.ts';
import {
  renderInterimSummary,
  renderStartSummary,
  renderSummary,
} from '../../../src/report/summary.ts';
import type { Outcome } from '../../../src/state/outcome.ts';
import { message } from '../../../src/text/message.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  attach,
  createGitHubContext,
  createRecordedAttempt,
  createResult,
  createState,
  createTestJob,
  followUp,
  KEY,
  MINUTE,
  PULL_REQUEST,
  type StateChanges,
} from '../fixtures.ts';

const create = { kind: 'create', prompt: 'Describe <b>it</b>\n$x$' } as const;
const opened: Outcome = { result: 'pull-request-opened' };
const timedOut: Outcome = { result: 'timed-out', code: 'timed-out' };
const failed: Outcome = { result: 'failed', code: 'job-failed' };
const dryRun: Outcome = { result: 'dry-run', keyCheck: 'may-start' };
const own = {
  baseUrl: new URL('https://api.mintlify.com'),
  reuse: 'rerun',
  dryRun: false,
  timeoutMs: 30 * MINUTE,
} as const;
const job = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
const state = createState({
  request: create,
  job,
  claim: { kind: 'saved' },
  polls: 12,
  seenMs: 250_000,
  statusChanges: [
    { status: 'active', atMs: 1_200 },
    { status: 'completed', atMs: 250_000 },
  ],
});
const usage = 'app.mintlify.com/settings/organization/usage';
const cost = `credits for a new job ([usage](https://${usage}))`;
const pullRequest: PullRequest = {
  title: 'Document *gauges* for $5',
  state: 'open',
  additions: 120,
  deletions: 3,
  changedFiles: 3,
  files: [
    {
      path: 'guides/gauges.mdx',
      link: `${PULL_REQUEST}/files#diff-a`,
      additions: 118,
      deletions: 0,
    },
    {
      path: `${'x'.repeat(119)}|y`,
      link: `${PULL_REQUEST}/files#diff-b`,
      additions: 2,
      deletions: 3,
    },
  ],
};

function render(outcome: Outcome, known = state, pull?: PullRequest, changes: Partial<Words> = {}) {
  const result = createResult(outcome, { state: known, inputs: own, redact: createRedactor(KEY) });
  return renderSummary(result, { ...describeResult(result), ...changes }, pull);
}

const renderInterim = (known = state, inputs = own): string =>
  renderInterimSummary(createResult(opened, { state: known, inputs }));

describe('renderSummary', () => {
  it('shows the pull request first, then its size, the job, and the prompt', () => {
    expect(render(opened, state, pullRequest)).toBe(`## ✅ Documentation pull request opened

**[Document \\*gauges\\* for <span>$</span>5](${PULL_REQUEST})**
acme/docs\\#123, open, +120 −3 in 3 files

- [guides/gauges.mdx](${PULL_REQUEST}/files#diff-a) +118 −0
- [${'x'.repeat(119)}…](${PULL_REQUEST}/files#diff-b) +2 −3
- and 1 more

| **Result** | \`pull-request-opened\` |
|:--|:--|
| **Job** | \`job_1\` |
| **Cost** | ${cost} |
| **Status** | active (1 s) → completed (4 min 10 s) |
| **Repository** | [acme/docs](https://github.com/acme/docs), branch docs-agent/update |

<details><summary>Details</summary>

- Model: sonnet
- Elapsed: 4 min 12 s
- Polls: 12
</details>

<details><summary>Prompt</summary>

<pre>Describe &#60;b&#62;it&#60;/b&#62;
$x$</pre>
</details>`);
  });

  it('lists the next steps after a failure, with a line to paste', () => {
    const request = { kind: 'attach', jobId: '1e5' } as const;
    const known = createState({ request, pollFailure: 'HTTP 503' });
    expect(render(timedOut, known)).toBe(`## ❌ Timed out waiting for the documentation job

The service didn't return the status of agent job \`1e5\` (HTTP 503). The job may still open a pull request. This step started nothing and spent nothing.

**What to do next**

- A re-run waits for this job again.
- To wait for the job, start a new run with this \`job-id\` and no prompt.

  \`\`\`yaml
  job-id: "1e5"
  \`\`\`
- If polls keep failing, check the service's status page and the runner's network.

| **Result** | \`timed-out\` |
|:--|:--|
| **Cost** | none: this step started no job |

<details><summary>Details</summary>

- Elapsed: 4 min 12 s
- Polls: 0
</details>`);
  });

  it('has an icon for every level, and warns about a possible second job', () => {
    expect(render(opened)).toMatch(/^## ✅ /);
    expect(render(failed)).toMatch(/^## ❌ /);
    expect(render({ result: 'archived' })).toMatch(/^## ⚠️ /);
    expect(render(dryRun)).toMatch(/^## ℹ️ /);
    const changes = { level: 'error', happened: message`Why.` } as const;
    expect(render(opened, state, undefined, changes)).toMatch(
      /^## ❌ .*\n\nWhy\. .*\n\n\*\*\[acme/,
    );
    const earlierJob = { kind: 'open', attempt: createRecordedAttempt(7, 1) } as const;
    const second = { ...state, earlierJob };
    const title = 'Documentation pull request opened (possible duplicate)';
    expect(render(opened, second)).toMatch(`## ⚠️ ${title}\n`);
    expect(render(opened, second)).toContain('| **Reuse** | Attempt 1 may have started a job');
    expect(render(failed, second)).toContain(
      '## ❌ Documentation job failed (possible duplicate)\n',
    );
    expect(renderInterim(second)).toContain('(possible duplicate)\n');
    expect(
      render({ result: 'archived' }, createState({ request: create, earlierJob })),
    ).not.toContain('second');
  });

  it.each([
    ['http://localhost:4010/v1/', 'Rehearsal: Documentation', '`http://localhost:4010/v1`'],
    ['https://agent.example.com', 'Documentation', '`https://agent.example.com`'],
  ])('shows the address %s, which is not the default', (address, title, row) => {
    const inputs = { ...own, baseUrl: new URL(address) };
    const result = createResult(opened, { state, inputs });
    const shown = renderSummary(result, describeResult(result));
    expect(shown).toContain(`## ✅ ${title} pull request opened\n`);
    expect(shown).toContain(`\n| **Service** | ${row} |\n`);
    expect(renderInterim(state, inputs)).toMatch(/^## ⏳ .*[\s\S]*\n\| \*\*Service\*\* \|/);
  });

  const reusing = (runId: number) => {
    const attempt = createRecordedAttempt(runId, 2);
    return { request: attach, earlierJob: { kind: 'found', jobId: 'job_1', attempt } } as const;
  };
  const startedBy = (runId: number, name: string): string =>
    `| **Cost** | none: the step that started the job paid for it |
| **Reuse** | started by [${name}](${createRecordedAttempt(runId, 2).page}); this step did not start another |`;

  it.each<[string, StateChanges, string]>([
    ['a job of an earlier attempt', reusing(7), startedBy(7, 'attempt 2')],
    [
      'a new job',
      {
        earlierJob: {
          kind: 'unreadable',
          problem: 'unavailable',
          detail: `*earlier* ${KEY}`,
          isFirst: true,
          isClaimed: false,
        },
      },
      "| **Reuse** | new job: the record on GitHub can't be read or written (\\*earlier\\* \\*\\*\\*) |",
    ],
    [
      'the cost of a follow-up',
      { request: followUp },
      '| **Cost** | possibly credits for the follow-up |',
    ],
  ])('shows %s', (_, changes, expected) => {
    expect(render(opened, createState({ ...state, ...changes }))).toContain(expected);
  });

  it('leaves out unknown values', () => {
    const bare = createTestJob({ status: 'completed', source: null, model: null });
    const shown = render(
      { result: 'no-pull-request' },
      createState({ ...state, job: bare, request: attach }),
    );
    expect(shown).not.toMatch(/Repository|Model|Prompt|Reuse|yaml|Service/);
    expect(shown).toMatch(/^## ℹ️ No documentation pull request\n\nAgent job `job_1` completed /);
    expect(render(dryRun, createState())).toBe(
      '## ℹ️ no problem found\n\nThe inputs are valid, and the key can start jobs. Only a real run shows whether the project id is right and whether any credits are left. A real run would start a new job. This step started nothing and spent nothing.',
    );
  });

  it('offers no id to paste if the job is not found', () => {
    const lost: Outcome = {
      result: 'lost',
      code: 'job-lost',
      reason: 'not-found',
      detail: 'HTTP 404',
    };
    expect(render(lost, createState({ request: attach }))).not.toContain('yaml');
    const gone = render(lost, createState({ ...state, job: createTestJob() }));
    expect(gone).toContain('- Look for a new pull request in the documentation repository');
    expect(gone).toContain('If there is none, re-run: the re-run waits for this job, or starts');
    expect(gone).not.toContain('yaml');
    expect(render(failed)).toContain('\n\n  ```yaml\n  job-id: "job_1"\n  ```\n');
  });

  it('links the documentation of an error, and how to start a new run', () => {
    const docsUrl = 'https://github.com/acme/action/blob/v1/docs';
    const github = createGitHubContext({ docsUrl });
    const show = (outcome: Outcome, known: StateChanges): string => {
      const result = createResult(outcome, { state: createState(known), inputs: own, github });
      return renderSummary(result, describeResult(result));
    };
    const button = `[How to start a new run](${docsUrl}/recipes.md#a-button-in-the-actions-tab)`;
    expect(show(failed, { request: create, job })).toContain(
      `(${docsUrl}/usage.md#job-failed) · ${button}`,
    );
    const unknown: Outcome = { result: 'start-unknown', code: 'start-unknown', detail: '' };
    expect(show(unknown, { request: create })).toContain(`(${docsUrl}/usage.md#did-a-job-start)`);
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
      earlierJob: {
        kind: 'unreadable',
        problem: 'unavailable',
        detail: text,
        isFirst: true,
        isClaimed: true,
      },
      job: createTestJob({ id: 'j'.repeat(128), status: text, prLink }),
      statusChanges: Array(50).fill({ status: text.slice(0, 256), atMs: 1 }),
    });
    const pull = {
      ...pullRequest,
      title: text,
      ...size,
      changedFiles: 1e15,
      files: Array(20).fill(file),
    };
    const summary = render(failed, known, pull);
    expect(summary).toMatch(/^## ❌ Documentation job failed \(possible duplicate\)\n/);
    for (const markdown of [summary, renderInterim(known)]) {
      expect(markdown).toContain('job-id: "jjj');
      expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
      expect(markdown.isWellFormed()).toBe(true);
    }
  });
});

describe('renderInterimSummary', () => {
  it('shows how to wait for the job if the step is killed', () => {
    const statusChanges = [{ status: 'active', atMs: 1_200 }];
    const running = createTestJob({ source: null });
    const known = createState({ ...state, job: running, statusChanges, seenMs: 1_200 });
    expect(renderInterim(known)).toBe(`## ⏳ Waiting for the documentation job

If you see this after the step has ended, the step was killed. The job may still open a pull request.

- With the same prompt, a re-run waits for this job, or starts another paid job if this one failed or is gone.
- To wait for the job, start a new run with this \`job-id\` and no prompt.

  \`\`\`yaml
  job-id: "job_1"
  \`\`\`

| **Cost** | ${cost} |
|:--|:--|
| **Status** | active (1 s) |

<details><summary>Prompt</summary>

<pre>Describe &#60;b&#62;it&#60;/b&#62;
$x$</pre>
</details>`);
  });

  it('before the create request, says that a job may have been started', () => {
    const known = createState({ request: create });
    const shown = renderStartSummary(createResult(opened, { state: known, inputs: own }));
    expect(shown).toMatch(/^## ⏳ Starting a documentation job …\n\nIf you see this after/);
    expect(shown).toContain('A job may have been started, which may cost credits. Look for');
    expect(shown).not.toContain('yaml');
  });
});
