import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type NotStartedCode } from '../../../src/errors.ts';
import { INPUT_DEFAULTS } from '../../../src/inputs/defaults.ts';
import { getErrorCode, type Outcome } from '../../../src/outcome.ts';
import type { KnownInputs, OutcomeMessage, RunResult } from '../../../src/report/facts.ts';
import { describeOutcome } from '../../../src/report/messages.ts';
import type { RunState, SearchFailure } from '../../../src/state.ts';
import { code, message, toPlainText } from '../../../src/text/message.ts';
import {
  attach,
  create,
  createJobRecord,
  createState,
  createTestJob,
  followUp,
  NOT_STARTED_CODES,
  OUTCOMES,
  PULL_REQUEST,
} from '../fixtures.ts';

const jobId = 'job_1';
const active = createTestJob();
const completed = createTestJob({ status: 'completed' });
const linked = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
const refused = createTestJob({ status: 'completed', prLink: 'http://example.com' });
const record = createJobRecord(jobId, 6, 2);
const earlierJob = { kind: 'found', record } as const;
const maybeEarlier = { kind: 'none', reason: message`no permission`, mayBeSecond: true } as const;

// What may be known at the end.
const asked = { request: create, fingerprint: 'f' };
const known = { ...asked, jobId };
const running = { ...known, job: active };
const waited = { request: attach, jobId };
const followed = { request: followUp, jobId };
const sending = { isCreateInFlight: true };
const second = { earlierJob: maybeEarlier };
const unread = { pollFailure: { detail: 'HTTP 503: busy', sinceMs: 72_000 } };

const opened: Outcome = { outcome: 'pull-request-opened' };
const without: Outcome = { outcome: 'no-pull-request' };
const started: Outcome = { outcome: 'started' };
const dryRun = { outcome: 'dry-run', keyCheck: 'may-start' } as const;
const failed: Outcome = { outcome: 'failed', code: 'job-failed' };
const timedOut: Outcome = { outcome: 'timed-out', code: 'timed-out' };
const cancelled = { outcome: 'cancelled', code: 'cancelled' } as const;
const problem = message`${code('wait')} must be ${code('true')} or ${code('false')}.`;
const detail = 'HTTP 4xx';
const invalid = { outcome: 'not-started', code: 'invalid-input' } as const;
const notStarted = (code: NotStartedCode, detail: string, httpStatus?: number) =>
  ({ outcome: 'not-started', code, httpStatus, detail }) as const;
const unsearched = { outcome: 'not-started', code: 'reuse-unknown', detail } as const;
const unknown = (code: 'start-unknown' | 'redirected' | 'internal', excerpt?: string) =>
  ({ outcome: 'start-unknown', code, detail: 'HTTP 500', excerpt }) as const;
const otherUnknown: Outcome = { outcome: 'start-unknown', code: 'start-unknown', record };
const lost = (reason: 'not-found' | 'unreadable') =>
  ({ outcome: 'lost', code: 'job-lost', reason, detail }) as const;

const elsewhere: KnownInputs = {
  baseUrl: new URL('https://x.example'),
  projectId: 'docs',
  reuse: 'rerun',
  hasToken: true,
};
const own = { ...elsewhere, baseUrl: new URL(`${INPUT_DEFAULTS['base-url']}/`) };
const local = { ...elsewhere, baseUrl: new URL('http://127.0.0.1:4010') };
const never = { ...elsewhere, reuse: 'never' } as const;
const tokenless = { ...elsewhere, hasToken: false };

const SEARCH_FAILURES =
  'impossible not-permitted bad-token unreadable-record run-in-progress incomplete'.split(
    ' ',
  ) as SearchFailure[];

type Ending = readonly [string, Outcome, Partial<RunState>, KnownInputs?];

/** Every ending, with the state at that time. */
const endings: readonly Ending[] = [
  ['opened a pull request', opened, { ...known, job: linked }],
  ['opened a pull request in a rehearsal', opened, { ...known, job: linked }, local],
  ['opened a pull request, perhaps the second', opened, { ...known, ...second, job: linked }, own],
  ['no pull request', without, { ...known, job: completed }],
  ['no pull request of the own service', without, { ...known, job: completed }, own],
  ['a link that was refused', without, { ...known, job: refused }],
  ['archived', { outcome: 'archived' }, { ...known, job: completed }],
  ['archived with a pull request', { outcome: 'archived' }, { ...known, job: linked }],
  ['started', started, running],
  ['started, perhaps a second job in a rehearsal', started, { ...running, ...second }, local],
  ['sent a follow-up', started, { ...followed, job: active }],
  ['looked at a job', started, { ...waited, job: active }],
  ['dry run', dryRun, asked],
  ['dry run that could not check the key', { ...dryRun, keyCheck: { unchecked: detail } }, asked],
  ['dry run that waits for a job', { ...dryRun, keyCheck: 'may-read' }, waited],
  ['dry run of a possible second job', dryRun, { ...asked, ...second }],
  ['failed', failed, { ...known, job: completed }],
  ['failed at the own service', failed, { ...known, job: completed }, own],
  ['failed with a pull request', failed, { ...known, job: linked }],
  ['failed with a refused link', failed, { ...known, job: refused }],
  ['timed out', timedOut, running],
  ['timed out before a first record', timedOut, { ...waited, ...unread }],
  ['timed out while no poll succeeded', timedOut, { ...running, ...unread }],
  [
    'timed out when the last poll failed',
    timedOut,
    { ...running, pollFailure: { detail, sinceMs: 252_000 } },
  ],
  ['timed out with the status before the follow-up', timedOut, { ...followed, job: completed }],
  [
    'timed out after a follow-up while no poll succeeded',
    timedOut,
    { ...followed, job: completed, ...unread },
  ],
  ['timed out without a record', timedOut, running, never],
  ['timed out without a token', timedOut, running, tokenless],
  ['timed out with reuse: release', timedOut, running, { ...tokenless, reuse: 'release' }],
  ['timed out waiting for an earlier job', timedOut, { ...running, request: attach, earlierJob }],
  ['nothing that matters changed', { outcome: 'skipped', previousTag: 'v1.1.0', files: 3 }, asked],
  ['canceled before the create', cancelled, asked],
  ['canceled during the create', cancelled, { ...asked, ...sending }],
  ['canceled during the response', { ...cancelled, excerpt: '{"id":"job_7"' }, { ...asked, ...sending }],
  ['canceled while waiting', cancelled, running],
  ['canceled before the follow-up', cancelled, followed],
  ['canceled during the follow-up', cancelled, { ...followed, ...sending }],
  ['canceled after the follow-up', cancelled, { ...followed, job: active }],
  ...SEARCH_FAILURES.map(
    (failure): Ending => [`earlier jobs unknown: ${failure}`, { ...unsearched, failure }, asked],
  ),
  ['one wrong input', { ...invalid, problems: [problem] }, {}],
  ...NOT_STARTED_CODES.map((code): Ending => [`not started: ${code}`, notStarted(code, detail), asked]),
  ['no credits', notStarted('bad-request', 'HTTP 402', 402), asked, own],
  ['no credits, by another code', notStarted('forbidden', 'HTTP 403: out of credits', 403), asked],
  ['no credits, by a rate limit', notStarted('rate-limited', 'HTTP 429: quota exceeded', 429), asked],
  ['an odd refusal', { ...notStarted('bad-request', 'HTTP 409', 409), excerpt: '{"id":7}' }, asked, own],
  [
    'an odd refusal of a follow-up',
    { ...notStarted('forbidden', 'HTTP 403', 403), excerpt: '<p>' },
    followed,
  ],
  ['no plan', notStarted('forbidden', 'HTTP 403: requires a Pro plan', 403), asked],
  ['a status that only mentions a plan', notStarted('bad-request', 'HTTP 400: plan', 400), asked],
  ['no job for the follow-up', notStarted('not-found', 'HTTP 404'), followed],
  ['no follow-up: unauthorized', notStarted('unauthorized', 'HTTP 401'), followed],
  ['start unknown', unknown('start-unknown'), { ...asked, ...sending }, own],
  ['start unknown, with an odd response', unknown('start-unknown', '<p>a`b\n7'), { ...asked, ...sending }],
  ['start unknown, redirected', unknown('redirected'), { ...asked, ...sending }],
  ['start unknown, a bug', unknown('internal'), { ...asked, ...sending }],
  ['the create of another run unknown', otherUnknown, asked],
  ['follow-up unknown', unknown('start-unknown'), { ...followed, ...sending }],
  ['not found', lost('not-found'), waited],
  ['not found anymore', lost('not-found'), running],
  ['not found on a re-run', lost('not-found'), { ...waited, earlierJob }],
  ['not readable', lost('unreadable'), waited],
  ['lost, a bug', { outcome: 'lost', code: 'internal', detail: 'bug' }, waited],
];

function createResult([, outcome, state, inputs = elsewhere]: Ending): RunResult {
  return { outcome, state: createState(state), elapsedMs: 252_000, inputs };
}

function show({ level, title, text, next }: OutcomeMessage): string {
  return [
    `**${title}** (${level === 'none' ? 'no annotation' : level})`,
    toPlainText(text),
    ...next.map((part) => `→ ${toPlainText(part)}`),
  ].join('\n');
}

describe('describeOutcome', () => {
  it('has a message for every outcome and every error code', async () => {
    expect([...new Set(endings.map(([, { outcome }]) => outcome))].sort()).toEqual([...OUTCOMES].sort());
    const codes = new Set(endings.map(([, outcome]) => getErrorCode(outcome)));
    expect([...codes].filter((value) => value !== undefined).sort()).toEqual([...ERROR_CODES].sort());
    const sections = endings.map(
      (ending) => `## ${ending[0]}: ${ending[1].outcome}\n\n${show(describeOutcome(createResult(ending)))}\n`,
    );
    await expect(sections.join('\n')).toMatchFileSnapshot('__snapshots__/messages.md');
  });

  it.each(endings.map((ending) => ({ name: ending[0], ending })))(
    'is consistent for the ending "$name"',
    ({ ending }) => {
      const described = describeOutcome(createResult(ending));
      const fails = getErrorCode(ending[1]) !== undefined && ending[1].outcome !== 'cancelled';
      expect(described.level === 'error').toBe(fails);
      expect(described.next.length > 0 || !fails).toBe(true);
      const text = show(described);
      expect(text).not.toMatch(/undefined|null|\(\)| {2}|\.\.|\s\./);
      expect(toPlainText(described.text)).toMatch(/^[A-Z].*\.$/);
      // Every message says whether the run costs money.
      const isUnspent = /No job was started|not delivered/.test(text);
      expect(text.includes('so nothing was spent')).toBe(isUnspent);
      expect(/an?other job|a new job/i.test(text) && !/credits|pays/.test(text)).toBe(false);
    },
  );

  it('reports unwritten outputs as an error', async () => {
    const names = ['no pull request', 'dry run', 'failed', 'one wrong input'];
    const sections = endings
      .filter(([name]) => names.includes(name))
      .map((ending) => show(describeOutcome(createResult(ending), 'ENOSPC')));
    await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('__snapshots__/unwritable.md');
  });
});
