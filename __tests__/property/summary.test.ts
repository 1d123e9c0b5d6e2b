import fc from 'fast-check';
import { expect } from 'vitest';
import type { PullRequest } from '../../src/github/pull-request.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { RunResult } from '../../src/report/facts.ts';
import { describeOutcome, type OutcomeMessage } from '../../src/report/messages.ts';
import { renderInterimSummary, renderSummary } from '../../src/report/summary.ts';
import { type EarlierJob, getJobId, type RecordState } from '../../src/state.ts';
import { code, message, toPlainText } from '../../src/text/message.ts';
import { quote } from '../../src/text/sanitize.ts';
import {
  attach,
  create,
  createRecordedAttempt,
  createState,
  followUp,
  NOT_STARTED_CODES,
  PULL_REQUEST,
} from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';
import { hostileJob } from './jobs.ts';
import { type MarkdownNode, parseMarkdown, walk } from './markdown.ts';
import { hostileText } from './parameters.ts';

const FILE_LINK = `${PULL_REQUEST}/files#diff-0`;
const attempt = createRecordedAttempt(6, 1);
const usagePage = 'https://github.com/acme/docs-agent/blob/v1/docs/usage.md';
const ADDRESSES = [
  'https://api.mintlify.com',
  'https://x.example/a%7Cb*_(c)/',
  'http://127.0.0.1:4010',
];
const OUR_PAGES = [
  'https://app.mintlify.com/settings/organization/usage',
  'https://app.mintlify.com/settings/organization/api-keys',
  'https://www.mintlify.com/docs/agent#connect-repositories-as-context',
];

const outcome = hostileText.chain((detail) =>
  fc.constantFrom<Outcome[]>(
    { outcome: 'pull-request-opened' },
    { outcome: 'no-pull-request' },
    { outcome: 'archived' },
    { outcome: 'started' },
    { outcome: 'dry-run', keyCheck: 'unchecked', detail },
    { outcome: 'skipped', previousTag: detail, files: 3 },
    { outcome: 'failed', code: 'job-failed' },
    { outcome: 'timed-out', code: 'timed-out' },
    { outcome: 'cancelled', code: 'cancelled' },
    {
      outcome: 'not-started',
      code: 'invalid-input',
      problems: [message`${code(detail)} ${detail}`],
    },
    { outcome: 'not-started', code: 'reuse-unknown', detail },
    ...NOT_STARTED_CODES.map(
      (errorCode) =>
        ({ outcome: 'not-started', code: errorCode, httpStatus: undefined, detail }) as const,
    ),
    ...[undefined, detail].map(
      (excerpt) =>
        ({ outcome: 'not-started', code: 'forbidden', httpStatus: 403, detail, excerpt }) as const,
    ),
    { outcome: 'start-unknown', code: 'start-unknown', detail, excerpt: detail },
    { outcome: 'start-unknown', code: 'start-unknown', attempt },
    { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail },
    { outcome: 'start-unknown', code: 'redirected', detail },
    { outcome: 'lost', code: 'internal', detail },
  ),
);

const earlierJob: fc.Arbitrary<EarlierJob> = fc.oneof(
  fc
    .boolean()
    .map(
      (isOtherRun) =>
        ({ kind: 'found', jobId: 'job_1', attempt: { ...attempt, isOtherRun } }) as const,
    ),
  fc
    .tuple(hostileText, fc.boolean())
    .map(
      ([detail, isFirst]) =>
        ({ kind: 'unreadable', problem: 'unavailable', detail, isFirst }) as const,
    ),
);

const recordState = hostileText.chain((detail) =>
  fc.constantFrom<RecordState[]>(
    { kind: 'off' },
    { kind: 'starting' },
    { kind: 'saved' },
    { kind: 'refused', detail },
    { kind: 'unavailable', detail },
  ),
);

const pullRequest: fc.Arbitrary<PullRequest> = fc.record({
  title: hostileText,
  state: fc.constantFrom('open', 'draft', 'merged', 'closed'),
  additions: fc.nat(),
  deletions: fc.nat(),
  changedFiles: fc.nat(),
  files: fc.array(
    fc.record({
      path: hostileText,
      link: fc.constant(FILE_LINK),
      additions: fc.nat(),
      deletions: fc.nat(),
    }),
    { maxLength: 3 },
  ),
});

const state = fc
  .record({
    job: fc.option(hostileJob, { nil: undefined }),
    request: hostileText.chain((prompt) =>
      fc.constantFrom({ ...create, prompt }, attach, { ...followUp, prompt }, undefined),
    ),
    record: recordState,
    earlierJob: fc.option(earlierJob, { nil: undefined }),
    isUnconfirmed: fc.boolean(),
    polls: fc.nat(),
    pollFailure: fc.option(fc.record({ detail: hostileText, sinceMs: fc.nat(21_600_000) }), {
      nil: undefined,
    }),
    statusChanges: fc.array(fc.record({ status: hostileText, atMs: fc.nat(21_600_000) }), {
      maxLength: 14,
    }),
  })
  .map(({ isUnconfirmed, ...known }) =>
    createState(isUnconfirmed ? { ...known, job: undefined, stage: 'unconfirmed' } : known),
  );

const result: fc.Arbitrary<RunResult> = fc.record({
  outcome,
  state,
  elapsedMs: fc.nat(21_600_000),
  inputs: fc.option(
    fc.record({
      baseUrl: fc.constantFrom(...ADDRESSES).map((address) => new URL(address)),
      reuse: fc.constantFrom('rerun', 'release', 'never'),
      dryRun: fc.boolean(),
    }),
    { nil: undefined },
  ),
  github: fc.record({
    serverUrl: fc.constant('https://github.com'),
    usagePage: fc.constantFrom(usagePage, undefined),
  }),
  redact: fc.constant((text: string) => text),
});

/** Returns the code in a message: our own, or a quoted input, status, or id. */
function findCodes({ text, next }: OutcomeMessage): string[] {
  return [text, ...next]
    .flat()
    .flatMap(({ kind, value }) => (kind === 'code' ? [quote(value, 300)] : []));
}

const PLAIN = ['root', 'paragraph', 'text', 'list', 'listItem', 'table', 'tableRow', 'tableCell'];
const FOLDED =
  /^(?:<details><summary>(?:Prompt|Details)<\/summary>|<\/details>|<pre>[^<>"']*<\/pre>)$/;

/** A dollar sign has its own element, so that it never starts a formula. */
const isSpan = ({ value = '' }: MarkdownNode): boolean => /^<\/?span>$/.test(value);

/** Returns the parts of a summary that are not our own, or that are in an unexpected place. */
function findForeign(
  markdown: string,
  { state, inputs }: RunResult,
  codes: readonly string[],
): string[] {
  const { job } = state;
  const jobId = getJobId(state);
  const tree = parseMarkdown(markdown);
  const links = [job?.prLink, job?.repository, attempt.page, FILE_LINK, PULL_REQUEST, ...OUR_PAGES];
  const isForeign = (node: MarkdownNode): boolean => {
    const { type, value = '', url, depth, children = [] } = node;
    switch (type) {
      case 'heading':
        return node !== tree.children?.[0] || depth !== 2 || children.length !== 1;
      case 'strong':
        return children[0]?.type !== 'link' && children[0]?.value !== 'What to do next';
      case 'link':
        return (
          !(links.includes(url) || url?.startsWith(`${usagePage}#`)) ||
          children.some((child) => child.type !== 'text' && !isSpan(child))
        );
      case 'inlineCode':
        return (
          value !== jobId &&
          value !== inputs?.baseUrl.href.replace(/\/+$/, '') &&
          !codes.includes(value)
        );
      case 'code':
        return ![`job-id: "${jobId}"`, `job-id: "${jobId}" # and no prompt`].includes(value);
      case 'html':
        return !isSpan(node) && !FOLDED.test(value);
      default:
        return !PLAIN.includes(type);
    }
  };
  return [...walk(tree)]
    .filter(isForeign)
    .map(({ type, value, url }) => `${type} ${url ?? value ?? ''}`);
}

forAll(
  'a summary shows untrusted values as plain text, at the end and while the action waits',
  [result, fc.option(pullRequest, { nil: undefined })],
  (ending, pull) => {
    const described = describeOutcome(ending);
    const summary = renderSummary(ending, described, pull);
    expect(findForeign(summary, ending, findCodes(described))).toEqual([]);
    expect(findForeign(renderInterimSummary(ending), ending, [])).toEqual([]);
  },
  1 / 3,
);

// A refusal that mentions credits would mention costs in its heading and advice, but no text here
// does.
forAll(
  'a rehearsal never mentions costs',
  [result, fc.option(pullRequest, { nil: undefined })],
  (ending, pull) => {
    const inputs = {
      baseUrl: new URL('http://127.0.0.1:4010'),
      reuse: 'rerun',
      dryRun: false,
    } as const;
    const rehearsal = { ...ending, inputs };
    const described = describeOutcome(rehearsal);
    const { title, text, next } = described;
    const shown = [
      title,
      ...[text, ...next].map(toPlainText),
      renderSummary(rehearsal, described, pull),
      renderInterimSummary(rehearsal),
    ];
    expect(shown.join('\n')).not.toMatch(/\b(?:costs?|credits?|charges?|pays?|paid|spent)\b/i);
  },
  1 / 3,
);
