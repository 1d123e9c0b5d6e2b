import { describe, expect, it } from 'vitest';
import type { PullRequest } from '../../../src/github/pull-request.ts';
import type { FinalFacts } from '../../../src/report/facts.ts';
import { renderInterimSummary, renderSummary } from '../../../src/report/summary.ts';
import { describeRun, type Words } from '../../../src/report/words.ts';
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
  PULL_REQUEST,
  type StateChanges,
} from '../fixtures.ts';

const EMULATOR_KEY = 'mint_emulator_admin_key_0001';
const create = { kind: 'create', prompt: 'Describe <b>it</b>\n$x$' } as const;
const opened: Outcome = { result: 'pull-request-opened' };
const timedOut: Outcome = { result: 'timed-out', code: 'timed-out' };
const failed: Outcome = { result: 'failed', code: 'job-failed' };
const dryRun: Outcome = { result: 'dry-run', keyCheck: 'may-start' };
const own = {
  apiKey: KEY,
  projectId: 'docs',
  baseUrl: new URL('https://api.mintlify.com'),
  reuse: 'rerun',
  dryRun: false,
  wait: true,
  tag: undefined,
  paths: undefined,
  includeChanges: false,
  changesSince: undefined,
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
const pullRequest: PullRequest = {
  title: 'Document *gauges* for $5',
  branch: 'docs-agent/update',
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
  return renderSummary(result, { ...describeRun(result), ...changes }, pull);
}

const renderInterim = (known = state, inputs: FinalFacts['inputs'] = own): string =>
  renderInterimSummary(createResult(opened, { state: known, inputs }));

describe('renderSummary', () => {
  it('shows the pull request first, then its size, the job, and the prompt', () => {
    expect(render(opened, state, pullRequest)).toBe(`## ✅ Documentation pull request opened

**[Document \\*gauges\\* for <span>$</span>5](${PULL_REQUEST})**
acme/docs\\#123, open, +120 −3 in 3 files

- [guides/gauges.mdx](${PULL_REQUEST}/files#diff-a) +118 −0
- [${'x'.repeat(119)}…](${PULL_REQUEST}/files#diff-b) +2 −3
- and 1 more

| **Cost** | credits for one job. See the [Usage page](https://app.mintlify.com/settings/organization/usage). |
|:--|:--|
| **Re-run** | reports this job at no cost if \`prompt\` is the same and the job hasn't failed or disappeared. Otherwise, it starts another paid job. |
| **Job** | \`job_1\` |
| **Status** | active (1 s) → completed (4 min 10 s) |
| **Repository** | [acme/docs](https://github.com/acme/docs), branch docs-agent/update |

<details><summary>Details</summary>

- \`job-result\`: \`pull-request-opened\`
- Model: sonnet
- Elapsed: 4 min 12 s
- Polls: 12
</details>

<details><summary>Prompt</summary>

Describe &lt;b&gt;it&lt;/b&gt;<br>
<span>$</span>x<span>$</span>
</details>`);
  });

  it('lists the next steps after a failure, with a line to paste', () => {
    const request = { kind: 'attach', jobId: '1e5' } as const;
    const earlierJob = {
      kind: 'found',
      jobId: '1e5',
      attempt: createRecordedAttempt(7, 2),
    } as const;
    const claim = { kind: 'saved' } as const;
    const known = createState({ request, earlierJob, claim, pollFailure: 'HTTP 503' });
    expect(render(timedOut, known)).toBe(`## ❌ Timed out waiting for the documentation job

The service didn't return the status of agent job \`1e5\` (HTTP 503). The job may still open a pull request.

| **Cost** | nothing for this step. |
|:--|:--|
| **Re-run** | waits for this job at no cost if \`prompt\` is the same and the job hasn't failed or disappeared. Otherwise, it starts another paid job. |
| **Job** | \`1e5\` |
| **Record** | job started by attempt 2: <https://github.com/acme/app/actions/runs/7/attempts/2>. |

**What to do next**

- To wait for the job, re-run the workflow job.
- Or start a new run with this \`job-id\` and no prompt.

  \`\`\`yaml
  job-id: "1e5"
  \`\`\`

<details><summary>Details</summary>

- \`job-result\`: \`timed-out\`
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
    expect(render(opened, state, undefined, changes)).toMatch(/^## ❌ .*\n\nWhy\.\n\n\*\*\[acme/);
    const earlierJob = { kind: 'open', attempt: createRecordedAttempt(7, 1) } as const;
    const second = { ...state, earlierJob };
    const title = 'Documentation pull request opened (possible duplicate)';
    expect(render(opened, second)).toMatch(`## ⚠️ ${title}\n`);
    expect(render(opened, second)).toContain('| **Record** | Attempt 1 may have started a job');
    expect(render(failed, second)).toContain(
      '## ❌ Documentation job failed (possible duplicate)\n',
    );
    expect(renderInterim(second)).toContain('(possible duplicate)\n');
    expect(
      render({ result: 'archived' }, createState({ request: attach, earlierJob })),
    ).not.toContain('possible duplicate');
  });

  // A forwarder on the runner may lead to a service that costs: only the key decides.
  it.each([
    [EMULATOR_KEY, 'https://agent.example.com', 'Rehearsal: Documentation'],
    [KEY, 'http://localhost:4010/v1', 'Documentation'],
  ])('with %s, shows the address %s, which is not the default', (apiKey, address, title) => {
    const inputs = { ...own, apiKey, baseUrl: new URL(`${address}/`) };
    const row = `\`${address}\``;
    const result = createResult(opened, { state, inputs });
    const shown = renderSummary(result, describeRun(result));
    expect(shown).toContain(`## ✅ ${title} pull request opened\n`);
    expect(shown).toContain(`\n| **Service** | ${row} |\n`);
    expect(renderInterim(state, inputs)).toMatch(/^## ⏳ .*[\s\S]*\n\| \*\*Service\*\* \|/);
  });

  const reusing = (runId: number) => {
    const attempt = createRecordedAttempt(runId, 2);
    return { request: attach, earlierJob: { kind: 'found', jobId: 'job_1', attempt } } as const;
  };
  it.each<[string, StateChanges, string]>([
    [
      'a job of an earlier attempt',
      reusing(7),
      `| **Record** | job started by attempt 2: <${createRecordedAttempt(7, 2).page}>. |`,
    ],
    [
      'a job of another run',
      reusing(8),
      `| **Record** | job started by run 8, attempt 2: <${createRecordedAttempt(8, 2).page}>. |`,
    ],
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
      "| **Record** | new job, because the record on GitHub can't be read or written (\\*earlier\\* \\*\\*\\*). |",
    ],
    [
      'a record that could not be written',
      { claim: { kind: 'refused', detail: 'HTTP 403' } },
      "| **Record** | The record on GitHub can't be read or written (HTTP 403). To make later re-runs wait, give the workflow job, or a token of your own, `statuses: write`. |",
    ],
    [
      'a job that may not be the only one',
      {
        ...reusing(6),
        earlierJob: { ...reusing(6).earlierJob, other: createRecordedAttempt(7, 1) },
      },
      'Another job may exist, from attempt 1. |',
    ],
    [
      'the claim of a run that waits for another job',
      { ...reusing(7), claim: { kind: 'saved', leftOpen: 'HTTP 502' } },
      'GitHub may still list this run as starting a job (HTTP 502). If the job fails, other runs may stop because of that. |',
    ],
    [
      'a claim that could not be withdrawn',
      { claim: { kind: 'left-open', detail: 'HTTP 502' } },
      '| **Record** | GitHub may still list this run as starting a job (HTTP 502). |',
    ],
    [
      'the cost of a follow-up',
      { request: followUp },
      '| **Cost** | possibly credits for the follow-up. See the [Usage page](',
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
    expect(shown).not.toMatch(/Repository|Model|Prompt|Record|yaml|Service/);
    expect(shown).toMatch(/^## ℹ️ No documentation pull request\n\nAgent job `job_1` completed /);
  });

  it('offers an id to paste, unless the inputs name a job that is not found', () => {
    const lost: Outcome = {
      result: 'lost',
      code: 'job-lost',
      reason: 'not-found',
      detail: 'HTTP 404',
    };
    expect(render(lost, createState({ request: attach }))).not.toContain('yaml');
    const line = '\n\n  ```yaml\n  job-id: "job_1"\n  ```\n';
    expect(render(lost, createState({ ...state, job: createTestJob() }))).toContain(line);
    expect(render(failed)).toContain(line);
  });

  it('links how to find a job, and how to start a new run', () => {
    const docsUrl = 'https://github.com/acme/action/blob/v1/docs';
    const github = createGitHubContext({ docsUrl });
    const show = (outcome: Outcome, known: StateChanges): string => {
      const result = createResult(outcome, { state: createState(known), inputs: own, github });
      return renderSummary(result, describeRun(result));
    };
    const button = `[How to start a new run](${docsUrl}/recipes.md#a-button-in-the-actions-tab)`;
    expect(show(failed, { request: create, job })).toContain(`\n\n${button}\n\n`);
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

| **Cost** | credits for one job. See the [Usage page](https://app.mintlify.com/settings/organization/usage). |
|:--|:--|
| **Re-run** | waits for this job at no cost if \`prompt\` is the same and the job hasn't failed or disappeared. Otherwise, it starts another paid job. |
| **Job** | \`job_1\` |
| **Status** | active (1 s) |

**What to do next**

- To wait for the job, re-run the workflow job.
- Or start a new run with this \`job-id\` and no prompt.

  \`\`\`yaml
  job-id: "job_1"
  \`\`\`

<details><summary>Prompt</summary>

Describe &lt;b&gt;it&lt;/b&gt;<br>
<span>$</span>x<span>$</span>
</details>`);
  });

  it.each<[string, StateChanges, string, string]>([
    [
      'before the request',
      { request: create },
      '## ⏳ Preparing …\n\nIf you see this after the step has ended, the step was killed before it started a job.',
      'nothing for this step.',
    ],
    [
      'during the request',
      { request: create, stage: 'unconfirmed' },
      '## ⏳ Starting a documentation job …\n\nIf you see this after the step has ended, the step was killed before it knew the result. A job may have been started.',
      'possibly credits for one job.',
    ],
    [
      'before a follow-up',
      { request: followUp },
      '## ⏳ Preparing …\n\n',
      'nothing for this step.',
    ],
    [
      'during a follow-up',
      { request: followUp, stage: 'unconfirmed' },
      '## ⏳ Sending a follow-up …\n\n',
      'possibly credits for the follow-up.',
    ],
  ])('says what a killed step leaves %s', (when, known, start, cost) => {
    const shown = renderInterim(createState(known));
    expect(shown.slice(0, start.length)).toBe(start);
    expect(shown).toContain(`\n| **Cost** | ${cost} |\n`);
    expect(shown.includes('yaml')).toBe(when === 'during a follow-up');
  });
});
