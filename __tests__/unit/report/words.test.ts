import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type NotStartedCode } from '../../../src/errors.ts';
import type { GitHubFailure } from '../../../src/github/api.ts';
import { LAST_RUN } from '../../../src/inputs/changes-since.ts';
import { INPUT_DEFAULTS } from '../../../src/inputs/defaults.ts';
import type { FinalFacts } from '../../../src/report/facts.ts';
import { describeRun, type Words } from '../../../src/report/words.ts';
import type { ReadFailure } from '../../../src/service/retry-policy.ts';
import type { Outcome } from '../../../src/state/outcome.ts';
import type { ClaimState, RunState, Skip } from '../../../src/state/run-state.ts';
import { code, message, toMarkdown, toPlainText } from '../../../src/text/message.ts';
import {
  attach,
  create,
  createRecordedAttempt,
  createResult,
  createState,
  createTestJob,
  followUp,
  KEY,
  NOT_STARTED_CODES,
  OUTCOMES,
  PULL_REQUEST,
} from '../fixtures.ts';

const jobId = 'job_1';
const active = createTestJob();
const completed = createTestJob({ status: 'completed' });
const linked = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
const refused = createTestJob({ status: 'completed', prLink: 'http://example.com' });
const commit = createTestJob({
  status: 'completed',
  prLink: 'https://github.com/acme/docs/commit/1',
});
const attempt = createRecordedAttempt(6, 2);
const step = { ...createRecordedAttempt(7, 1), isSameAttempt: true };

// What may be known at the end.
const asked = { request: create };
const running = { ...asked, job: active, claim: { kind: 'saved' } } as const;
const ended = { ...running, job: completed };
const failedJob = { ...running, job: createTestJob({ status: 'failed' }) };
const waited = { request: attach };
const reused = {
  ...waited,
  earlierJob: { kind: 'found', jobId, attempt },
  claim: { kind: 'saved' },
} as const;
const followed = { request: followUp };
const sending = { stage: 'unconfirmed', sentAt: Date.UTC(2026, 10, 24, 2, 14, 7) } as const;
const second = {
  earlierJob: { kind: 'open', attempt: createRecordedAttempt(7, 1) },
} as const;
const unread = { pollFailure: 'HTTP 503: busy', seenMs: 4_000 };

const opened: Outcome = { result: 'pull-request-opened' };
const without: Outcome = { result: 'no-pull-request' };
const started: Outcome = { result: 'started' };
const dryRun = { result: 'dry-run', keyCheck: 'may-start' } as const;
const failed: Outcome = { result: 'failed', code: 'job-failed' };
const timedOut: Outcome = { result: 'timed-out', code: 'timed-out' };
const cancelled = { result: 'cancelled', code: 'cancelled' } as const;
const detail = 'HTTP 4xx';
const invalid: Outcome = {
  result: 'not-started',
  code: 'invalid-input',
  problems: [message`${code('wait')} must be ${code('true')} or ${code('false')}.`],
};
const unknownCommit = 'HTTP 422: No commit found for SHA: 01';
const notStarted = (code: NotStartedCode, detail: string, httpStatus?: number) =>
  ({ result: 'not-started', code, httpStatus, detail }) as const;
/** A run that may not start a job without the record. */
const denied = (failure: GitHubFailure): Partial<RunState> => ({
  ...asked,
  claim: { kind: failure.kind, detail, httpStatus: failure.httpStatus },
});
const blocked = {
  ...notStarted('forbidden', 'HTTP 403', 403),
  excerpt: '<p>',
  isPage: true,
} as const;
const reuseUnknown = (failure: GitHubFailure, reason = detail): Outcome => ({
  result: 'not-started',
  code: 'reuse-unknown',
  detail: reason,
  failure,
});
const unknown = (code: 'start-unknown' | 'internal', excerpt?: string) =>
  ({ result: 'start-unknown', code, detail: 'HTTP 500', excerpt }) as const;
const lost = (reason: ReadFailure) =>
  ({ result: 'lost', code: 'job-lost', reason, detail }) as const;

const unmatched: Skip = { reason: 'no-match', since: 'v1.1.0', files: 3 };
const unchanged: Skip = { reason: 'no-commits', since: 'v1.1.0' };
const skipped = (skip: Skip): Outcome => ({ result: 'skipped', skip });

const elsewhere = {
  apiKey: KEY,
  projectId: 'docs',
  baseUrl: new URL('https://x.example'),
  reuse: 'rerun',
  dryRun: false,
  wait: true,
  tag: undefined,
  paths: undefined,
  includeChanges: false,
  changesSince: undefined,
} as const;
const dry = { ...elsewhere, dryRun: true } as const;
const own = { ...elsewhere, baseUrl: new URL(`${INPUT_DEFAULTS['base-url']}/`) };
const release = { ...elsewhere, reuse: 'release' } as const;
const sinceLastRun = { ...own, changesSince: LAST_RUN };
const local = {
  ...elsewhere,
  apiKey: 'mint_emulator_admin_key_0001',
  baseUrl: new URL('http://127.0.0.1:4010'),
};

type Ending = readonly [string, Outcome, Partial<RunState>, FinalFacts['inputs']?];

/** Each cause has its own heading. */
const refusals: readonly Ending[] = [
  ...NOT_STARTED_CODES.map(
    (code): Ending => [`not started: ${code}`, notStarted(code, detail), asked, own],
  ),
  ['blocked by a firewall', blocked, asked],
  [
    'an earlier job that may exist: no permission',
    reuseUnknown({ kind: 'refused' }),
    denied({ kind: 'refused' }),
    release,
  ],
  ['a wrong input', invalid, {}],
];

const unrecorded = { claim: { kind: 'unavailable', detail: 'HTTP 502' } } as const;

const records: readonly ClaimState[] = [
  { kind: 'saved' },
  { kind: 'open' },
  { kind: 'off' },
  { kind: 'refused', detail: 'HTTP 403' },
  { kind: 'unavailable', detail: 'HTTP 502' },
];
/** What a re-run does. */
const reruns: readonly Ending[] = [
  ...records.map((claim): Ending => [`a record: ${claim.kind}`, timedOut, { ...running, claim }]),
  ['a job of another run', timedOut, { ...reused, job: active }],
  ['a job that the inputs name', timedOut, { ...waited, job: active }],
  ['a follow-up', timedOut, { ...followed, job: active }],
];

/** Every ending, with the state at that time. */
const endings: readonly Ending[] = [
  ['opened a pull request', opened, { ...running, job: linked }],
  ['opened a pull request in a rehearsal', opened, { ...running, job: linked }, local],
  ['a link to a commit', opened, { ...running, job: commit }],
  ['no pull request', without, ended],
  ['a link that was refused', without, { ...running, job: refused }, own],
  ['archived', { result: 'archived' }, ended],
  ['archived, one job per release', { result: 'archived' }, ended, { ...own, reuse: 'release' }],
  ['started', started, running, { ...elsewhere, wait: false }],
  ['started, possibly a second job in a rehearsal', started, { ...running, ...second }, local],
  ['sent a follow-up', started, { ...followed, job: active }],
  ['dry run', dryRun, asked, dry],
  ['dry run that skips', dryRun, { ...asked, skip: unmatched }, dry],
  ['dry run after a job that may exist', dryRun, { ...asked, ...second }, dry],
  [
    'dry run that could not check the key',
    { ...dryRun, keyCheck: 'unchecked', detail },
    asked,
    dry,
  ],
  [
    'dry run whose question was answered as if the job existed',
    { ...dryRun, keyCheck: 'unchecked', detail: 'HTTP 200', wasAccepted: true },
    asked,
    dry,
  ],
  [
    'dry run that waits for a job',
    { ...dryRun, keyCheck: 'may-read', awaited: active },
    waited,
    dry,
  ],
  ['dry run of a follow-up', { ...dryRun, awaited: active }, followed, dry],
  ['dry run that was canceled', cancelled, asked, dry],
  ['failed', failed, failedJob, own],
  [
    'failed with a pull request',
    failed,
    { ...running, job: createTestJob({ status: 'failed', prLink: PULL_REQUEST }) },
  ],
  ['failed, a job that the inputs name', failed, { ...waited, job: failedJob.job }],
  ['failed without a record', failed, { ...failedJob, ...unrecorded }],
  ...reruns,
  ['timed out before a first record', timedOut, { ...waited, ...unread }],
  ['timed out while no poll succeeded', timedOut, { ...running, ...unread }],
  [
    'timed out when the last poll failed',
    timedOut,
    { ...running, pollFailure: detail, seenMs: 240_000 },
  ],
  ['timed out, since the last successful run', timedOut, running, sinceLastRun],
  ['timed out with the status before the follow-up', timedOut, { ...followed, job: completed }],
  ['nothing that matters changed', skipped(unmatched), { ...asked, skip: unmatched }],
  ['nothing changed', skipped(unchanged), { ...asked, skip: unchanged }],
  ['nothing changed for a follow-up', skipped(unchanged), { ...followed, skip: unchanged }],
  ['the first run', skipped({ reason: 'first-run' }), { ...asked, skip: { reason: 'first-run' } }],
  ...(['gone', 'no-contents', 'no-actions', 'no-access', 'unavailable'] as const).map(
    (cause): Ending => [
      `unknown changes: ${cause}`,
      { result: 'not-started', code: 'changes-unknown', cause, detail },
      asked,
      own,
    ],
  ),
  [
    'unknown changes: the commit of the last run',
    { result: 'not-started', code: 'changes-unknown', cause: 'gone', detail },
    asked,
    sinceLastRun,
  ],
  ['canceled before the create request', cancelled, asked],
  [
    'canceled, but GitHub still lists the claim',
    cancelled,
    { ...asked, claim: { kind: 'left-open', detail } },
    { ...own, reuse: 'release' },
  ],
  ['canceled during the create request', cancelled, { ...asked, ...sending }],
  [
    'canceled during the response',
    { ...cancelled, excerpt: '{"id":"job_7"' },
    { ...asked, ...sending },
  ],
  ['canceled while waiting', cancelled, running],
  ['canceled before the follow-up', cancelled, followed],
  ['canceled during the follow-up', cancelled, { ...followed, ...sending }],
  ...refusals,
  [
    'an earlier job that may exist: no single sign-on',
    reuseUnknown({ kind: 'refused' }, 'HTTP 403: SAML'),
    denied({ kind: 'refused' }),
    release,
  ],
  [
    'an earlier job that may exist: a wrong token',
    reuseUnknown({ kind: 'unavailable', httpStatus: 401 }),
    denied({ kind: 'unavailable', httpStatus: 401 }),
  ],
  [
    'an earlier job that may exist: too many statuses',
    reuseUnknown({ kind: 'unavailable', httpStatus: 422 }),
    denied({ kind: 'unavailable', httpStatus: 422 }),
  ],
  [
    'an earlier job that may exist: an unknown commit',
    reuseUnknown({ kind: 'unavailable', httpStatus: 422 }, unknownCommit),
    { ...asked, claim: { kind: 'unavailable', detail: unknownCommit, httpStatus: 422 } },
  ],
  ['in a rehearsal: a stopped emulator', notStarted('connect-failed', detail), asked, local],
  ['in a rehearsal: a wrong key', notStarted('unauthorized', 'HTTP 401', 401), asked, local],
  ['in a rehearsal: a wrong project', notStarted('not-found', 'HTTP 404', 404), asked, local],
  [
    'an earlier job that may exist: no answer',
    reuseUnknown({ kind: 'unavailable' }),
    denied({ kind: 'unavailable' }),
  ],
  [
    'an earlier job that may exist: no token',
    reuseUnknown({ kind: 'no-access' }, 'the token is empty'),
    denied({ kind: 'no-access' }),
    release,
  ],
  [
    'a plan without API access',
    notStarted('unauthorized', 'HTTP 401: Please upgrade to access this route.', 401),
    asked,
  ],
  ['no follow-up: blocked by a firewall', blocked, followed],
  ['no follow-up: not found', notStarted('not-found', 'HTTP 404'), followed],
  ['no follow-up: unauthorized', notStarted('unauthorized', 'HTTP 401'), followed],
  ['start unknown', unknown('start-unknown'), { ...asked, ...sending }, own],
  [
    'start unknown, with an odd response',
    unknown('start-unknown', '<p>a`b\n7'),
    { ...asked, ...sending },
  ],
  [
    'start unknown, a conflict',
    { ...unknown('start-unknown'), httpStatus: 409, detail: 'HTTP 409: already running' },
    { ...asked, ...sending },
  ],
  [
    'start unknown, with the id in the response',
    { ...unknown('start-unknown'), namedId: 'job_7' },
    { ...asked, ...sending },
  ],
  ['start unknown, a bug', unknown('internal'), { ...asked, ...sending }],
  [
    'start unknown without a record',
    unknown('start-unknown'),
    { ...asked, ...sending, ...unrecorded },
  ],
  [
    'start of another run unknown',
    { result: 'start-unknown', code: 'start-unknown', attempt },
    { ...asked, rival: { ...attempt, isUnknown: false } },
    release,
  ],
  [
    'start of another run unknown, also to that run',
    { result: 'start-unknown', code: 'start-unknown', attempt },
    { ...asked, rival: { ...attempt, isUnknown: true } },
    release,
  ],
  [
    'start of another step unknown',
    { result: 'start-unknown', code: 'start-unknown', attempt: step },
    { ...asked, rival: { ...step, isUnknown: false } },
  ],
  ['follow-up unknown', unknown('start-unknown'), { ...followed, ...sending }],
  ['not found', lost('not-found'), waited],
  ['not found anymore', lost('not-found'), running],
  ['not found anymore in a rehearsal', lost('not-found'), running, local],
  ['not readable', lost('unreadable'), waited],
  ['not readable without permission', lost('refused'), running],
  ['lost, a bug', { result: 'lost', code: 'internal', detail: 'bug' }, waited],
];

function describeEnding(
  [, outcome, state, inputs = elsewhere]: Ending,
  outputProblem?: string,
): Words {
  // Before the inputs are valid, they are unknown.
  const known = outcome.code === 'invalid-input' ? undefined : inputs;
  return describeRun(
    createResult(outcome, { state: createState(state), inputs: known }),
    outputProblem,
  );
}

function findEnding(name: string): Ending {
  const found = endings.find(([title]) => title === name);
  if (found === undefined) {
    throw new Error(`There is no ending "${name}"`);
  }
  return found;
}

function show({ level, title, happened, problems = [], cost, rerun, next }: Words): string {
  return [
    `**${title}** (${level})`,
    ...[happened, ...problems].map(toPlainText),
    `Cost: ${toPlainText(cost)}`,
    `Re-run: ${toPlainText(rerun)}`,
    ...next.map((step) => `→ ${toMarkdown(step, (text) => text)}`),
  ].join('\n');
}

describe('describeRun', () => {
  it('has words for every result and every error code', async () => {
    const results = new Set(endings.map(([, { result }]) => result));
    expect([...results].sort()).toEqual([...OUTCOMES].sort());
    const codes = new Set(endings.map(([, outcome]) => outcome.code));
    expect([...codes].filter((value) => value !== undefined).sort()).toEqual(
      [...ERROR_CODES].sort(),
    );
    const sections = endings.map(
      (ending) => `## ${ending[0]}: ${ending[1].result}\n\n${show(describeEnding(ending))}\n`,
    );
    await expect(sections.join('\n')).toMatchFileSnapshot('__snapshots__/words.md');
  });

  it.each(endings.map((ending) => ({ name: ending[0], ending })))(
    'says what happened and what to do, in whole sentences: $name',
    ({ ending }) => {
      const words = describeEnding(ending);
      const [, outcome, , inputs] = ending;
      const fails = outcome.code !== undefined && outcome.result !== 'cancelled';
      expect(words.level === 'error').toBe(fails);
      expect(words.next.length).toBeGreaterThanOrEqual(fails ? 1 : 0);
      expect(words.next.length).toBeLessThanOrEqual(2);
      const text = show(words);
      expect(text).not.toMatch(/undefined|null|\(\)| {5}|\.\.|\s\.|\{[a-z]/);
      for (const sentence of [words.happened, ...words.next]) {
        expect(toPlainText(sentence)).toMatch(/^[A-Z`].*[.]$/);
      }
      for (const fact of [words.cost, words.rerun]) {
        expect(toPlainText(fact)).toMatch(/^[a-z].*\.$/);
      }
      // Nothing is paid in a rehearsal. Otherwise, each step that starts a job says that it is.
      if (inputs === local) {
        expect(text).not.toMatch(/another paid|which may cost|at no cost/);
      }
      for (const step of words.next.map(toPlainText)) {
        const startsJob = /starts? (?:a|another) job|To start another job/.test(step);
        expect(!startsJob || inputs === local || /cost credits/.test(step)).toBe(true);
      }
    },
  );

  it('names the cause of each refusal in the heading', () => {
    const titles = refusals.map((ending) => describeEnding(ending).title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.filter((title) => !title.endsWith(', no job started'))).toEqual([]);
  });

  it.each(['no pull request', 'dry run', 'failed', 'a wrong input'])(
    'fails with unwritten outputs: %s',
    (name) => {
      const words = describeEnding(findEnding(name), 'ENOSPC');
      expect(words.level).toBe('error');
      expect(toPlainText(words.happened)).toContain("The outputs couldn't be written (ENOSPC)");
      expect(toPlainText(words.next.at(-1) ?? [])).toContain("runner's disk");
    },
  );
});
