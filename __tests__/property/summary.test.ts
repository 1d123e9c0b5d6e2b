import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { ERROR_CODES, InputError, type NotStartedCode } from '../../src/errors.ts';
import type { PullRequest } from '../../src/github/pull-request.ts';
import { INPUT_NAMES, readInputs } from '../../src/inputs/read-inputs.ts';
import type { Job } from '../../src/job/job.ts';
import { type Outcome, type Reuse, type RunState, RunTracker } from '../../src/outcome.ts';
import { describeOutcome } from '../../src/report/messages.ts';
import type { OutcomeMessage, RunResult } from '../../src/report/outcome-message.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { renderInterimSummary, renderSummary } from '../../src/report/summary.ts';
import { type Message, message, toPlainText } from '../../src/text/message.ts';
import { parseCommands } from '../helpers/runner-commands.ts';
import { forAll } from './for-all.ts';
import { hostileJob } from './jobs.ts';
import { type MarkdownNode, parseMarkdown, walk } from './markdown.ts';
import { hostileText } from './parameters.ts';

const ATTEMPT_PAGE = 'https://github.com/acme/app/actions/runs/1/attempts/1';
const PULL_REQUEST = 'https://github.com/acme/docs/pull/1';
const FILE_LINK = 'https://github.com/acme/docs/pull/1/files#diff-0';

const RECORD = {
  jobId: 'job_1',
  runId: 1,
  attempt: 1,
  page: ATTEMPT_PAGE,
  leftBy: { runId: 1, attempt: 1 },
};
const keep = (text: string): string => text;

/** Long texts, most of them of what grows when it is made visible, escaped or encoded. */
const longText = fc
  .tuple(
    fc.oneof(
      hostileText,
      fc.constantFrom('\0', '$', '&', '"', '|', '📖', '\u{e0001}', `${'\0'.repeat(499)}\n`),
    ),
    fc.nat(6_000),
  )
  .map(([text, length]) => text.repeat(Math.ceil(length / Math.max(1, text.length))));

const otherCodes = [
  'invalid-input',
  'reuse-unknown',
  'start-unknown',
  'job-lost',
  'job-failed',
  'timed-out',
  'cancelled',
];
const notStartedCodes = ERROR_CODES.filter((code): code is NotStartedCode => !otherCodes.includes(code));

/** What is wrong with hostile inputs, unknown ones included. */
const problems: fc.Arbitrary<readonly Message[]> = fc
  .dictionary(
    fc.oneof(fc.constantFrom(...INPUT_NAMES.filter((name) => name !== 'prompt-file')), hostileText),
    hostileText,
  )
  .map((inputs) => {
    const env = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
    try {
      readInputs(Object.fromEntries(env), undefined);
      return [];
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      return error.problems;
    }
  });

const detail = hostileText;
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom<Outcome[]>(
    { outcome: 'pull-request-opened', prLink: PULL_REQUEST },
    { outcome: 'no-pull-request' },
    { outcome: 'archived' },
    { outcome: 'started' },
    { outcome: 'dry-run' },
    { outcome: 'failed', code: 'job-failed' },
    { outcome: 'timed-out', code: 'timed-out' },
    { outcome: 'cancelled', code: 'cancelled' },
    { outcome: 'start-unknown', code: 'start-unknown', record: RECORD },
  ),
  fc.record({ outcome: fc.constant('skipped'), previousTag: hostileText, files: fc.nat() }),
  fc.record({
    outcome: fc.constant('not-started'),
    code: fc.constant('reuse-unknown'),
    failure: fc.constantFrom('impossible', 'not-permitted', 'bad-token', 'incomplete'),
    detail,
  }),
  fc.record({ outcome: fc.constant('not-started'), code: fc.constant('invalid-input'), problems }),
  fc.record({ outcome: fc.constant('not-started'), code: fc.constantFrom(...notStartedCodes), detail }),
  fc.record({
    outcome: fc.constant('start-unknown'),
    code: fc.constantFrom('start-unknown', 'redirected', 'internal'),
    detail,
  }),
  fc.record({
    outcome: fc.constant('lost'),
    code: fc.constant('job-lost'),
    reason: fc.constantFrom('not-found', 'blocked', 'unreadable', 'refused'),
    detail,
  }),
  fc.record({ outcome: fc.constant('lost'), code: fc.constant('internal'), detail }),
);

const reuse: fc.Arbitrary<Reuse> = fc.oneof(
  fc.record({
    kind: fc.constant('reused' as const),
    record: fc.constant(RECORD),
    isOtherRun: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('new-job' as const),
    reason: hostileText.map((text) => message`because ${text}`),
  }),
);

const pullRequest: fc.Arbitrary<PullRequest> = fc.record({
  title: hostileText,
  state: fc.constantFrom('open', 'draft', 'merged', 'closed'),
  additions: fc.nat(),
  deletions: fc.nat(),
  changedFiles: fc.nat(),
  files: fc.array(
    fc.record({ path: hostileText, link: fc.constant(FILE_LINK), additions: fc.nat(), deletions: fc.nat() }),
    { maxLength: 3 },
  ),
});

const state: fc.Arbitrary<RunState> = fc
  .record({
    job: fc.option(hostileJob, { nil: undefined }),
    kind: fc.constantFrom('create', 'attach', 'follow-up', undefined),
    prompt: hostileText,
    reuse: fc.option(reuse, { nil: undefined }),
    isCreateInFlight: fc.boolean(),
    polls: fc.nat(),
    statusChanges: fc.array(fc.record({ status: hostileText, atMs: fc.nat(21_600_000) }), { maxLength: 14 }),
  })
  .map(({ kind, prompt, ...known }) => {
    const jobId = known.job?.id ?? (kind === 'create' ? undefined : 'job_1');
    const request =
      kind === undefined
        ? undefined
        : kind === 'create'
          ? { kind, prompt }
          : { kind, jobId: jobId ?? 'job_1', prompt };
    return { ...new RunTracker().state, ...known, request, jobId };
  });

const result: fc.Arbitrary<RunResult> = fc.record({
  outcome,
  state,
  elapsedMs: fc.nat(21_600_000),
  inputs: fc.constantFrom(undefined, { baseUrl: new URL('https://x.example/v2/'), reuse: 'never' as const }),
});

/** The code in a message: ours, or what quotes an input, a status, or an id as code. */
function findCodes({ text, problems: found, next }: OutcomeMessage): string[] {
  return [text, ...found, ...next].flat().flatMap(({ kind, value }) => (kind === 'code' ? [value] : []));
}

const PLAIN = ['root', 'paragraph', 'text', 'list', 'listItem', 'table', 'tableRow', 'tableCell'];
const PROMPT_TAGS = /^(?:<details><summary>Prompt<\/summary>|<\/details>|<pre>[^<>"']*<\/pre>)$/;

/** A dollar sign stands in an element of its own, so that it never begins mathematics. */
const isSpan = ({ value = '' }: MarkdownNode): boolean => /^<\/?span>$/.test(value);

/** What in a summary is not ours, or is ours at a place where nothing of ours stands. */
function findForeign(markdown: string, { jobId, job }: RunState, codes: readonly string[]): string[] {
  const tree = parseMarkdown(markdown);
  const links = [job?.prLink, job?.repository, ATTEMPT_PAGE, FILE_LINK, PULL_REQUEST];
  const isForeign = (node: MarkdownNode): boolean => {
    const { type, value = '', url, depth, children = [] } = node;
    switch (type) {
      case 'heading':
        return node !== tree.children?.[0] || depth !== 2 || children.length !== 1;
      case 'strong':
        return children[0]?.type !== 'link' && children[0]?.value !== 'What to do next';
      case 'link':
        return !links.includes(url) || children.some((child) => child.type !== 'text' && !isSpan(child));
      case 'inlineCode':
        return value !== jobId && !codes.includes(value);
      case 'code':
        return value !== `job-id: "${jobId}"`;
      case 'html':
        return !isSpan(node) && !PROMPT_TAGS.test(value);
      default:
        return !PLAIN.includes(type);
    }
  };
  return [...walk(tree)].filter(isForeign).map(({ type, value, url }) => `${type} ${url ?? value ?? ''}`);
}

describe('the summary', () => {
  forAll(
    'holds nothing untrusted but text',
    [result, fc.option(pullRequest, { nil: undefined })],
    (ending, pull) => {
      const described = describeOutcome(ending);
      const markdown = renderSummary(ending, described, keep, pull);
      expect(findForeign(markdown, ending.state, findCodes(described))).toEqual([]);
    },
  );

  forAll(
    'holds nothing untrusted but text while it waits',
    [state],
    (known) => {
      expect(findForeign(renderInterimSummary(known, keep), known, [])).toEqual([]);
    },
    1 / 4,
  );

  forAll(
    'is at most 64 KiB',
    [result, longText, longText, longText],
    (ending, prompt, path, status) => {
      const statusChanges = Array.from({ length: 50 }, (_, atMs) => ({
        status: status.slice(0, 256),
        atMs,
      }));
      const request = { kind: 'create', prompt } as const;
      const long = { ...ending, state: { ...ending.state, request, statusChanges } };
      const file = { path, link: FILE_LINK, additions: 1_000_000, deletions: 1_000_000 };
      const pull: PullRequest = {
        title: status,
        state: 'merged',
        additions: 1,
        deletions: 1,
        changedFiles: 300,
        files: Array(20).fill(file),
      };
      for (const markdown of [
        renderSummary(long, describeOutcome(long), keep, pull),
        renderInterimSummary(long.state, keep),
      ]) {
        expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(64 * 1024);
        expect(markdown.isWellFormed()).toBe(true);
      }
    },
    1 / 10,
  );
});

describe('the message', () => {
  forAll('is lines without a command, whatever the service said', [result], (ending) => {
    const { text, problems: found, next } = describeOutcome(ending);
    for (const line of [text, ...found, ...next].map(toPlainText)) {
      expect(parseCommands(`${line}\n`).commands).toEqual([]);
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }
  });
});

describe('the outputs', () => {
  forAll('are well-formed text, with links and times that parse', [result], (ending) => {
    const outputs = getOutputs(ending);
    for (const [name, value] of Object.entries(outputs)) {
      expect(`${name}: ${value}`).toBe(`${name}: ${value.toWellFormed()}`);
    }
    const job: Partial<Job> = ending.state.job ?? {};
    expect(outputs['pr-link']).toBe(job.prLink ?? '');
    for (const link of [outputs['pr-link'], outputs['source-repository']]) {
      expect(link === '' || new URL(link).href === link).toBe(true);
    }
    for (const time of [outputs['created-at'], outputs['archived-at']]) {
      expect(time === '' || !Number.isNaN(Date.parse(time))).toBe(true);
    }
    const number = outputs['pr-number'];
    expect(number).toMatch(/^\d{0,12}$/);
    expect(number === '' || new URL(outputs['pr-link']).pathname.split('/').includes(number)).toBe(true);
    expect(outputs['elapsed-seconds']).toMatch(/^\d{1,5}$/);
  });
});
