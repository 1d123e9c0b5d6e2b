import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type NotStartedCode } from '../../../src/errors.ts';
import type { LostReason } from '../../../src/job/poll-job.ts';
import { getErrorCode, type Outcome } from '../../../src/outcome.ts';
import { describeOutcome, describeUnwritable } from '../../../src/report/messages.ts';
import type { OutcomeMessage, RunResult } from '../../../src/report/outcome-message.ts';
import type { RunState } from '../../../src/state.ts';
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
const earlierJob = { kind: 'found', record, isOtherRun: true } as const;

// What may be known at the end.
const asked = { request: create };
const known = { request: create, jobId };
const recorded = { ...known, fingerprint: 'f', job: active };
const waited = { request: attach, jobId };
const followed = { request: followUp, jobId };

const without: Outcome = { outcome: 'no-pull-request' };
const failed: Outcome = { outcome: 'failed', code: 'job-failed' };
const timedOut: Outcome = { outcome: 'timed-out', code: 'timed-out' };
const cancelled: Outcome = { outcome: 'cancelled', code: 'cancelled' };
const problem = message`${code('wait')} must be ${code('true')} or ${code('false')}.`;
const detail = 'HTTP 4xx';
const invalid = { outcome: 'not-started', code: 'invalid-input' } as const;
const notStarted = (code: NotStartedCode, detail: string) =>
  ({ outcome: 'not-started', code, httpStatus: undefined, detail }) as const;
const noProject = notStarted('not-found', 'HTTP 404');
const unsearched = { outcome: 'not-started', code: 'reuse-unknown', detail } as const;
const unknown = (code: 'start-unknown' | 'redirected' | 'internal', detail: string) =>
  ({ outcome: 'start-unknown', code, detail, namedId: undefined }) as const;
const lost = (reason: LostReason) => ({ outcome: 'lost', code: 'job-lost', reason, detail }) as const;

const at = (address: string): RunResult['inputs'] => ({ baseUrl: new URL(address), reuse: 'rerun' });
const version = at('https://x/v2');
const never: RunResult['inputs'] = { baseUrl: new URL('https://x/'), reuse: 'never' };

type Ending = readonly [string, Outcome, Partial<RunState>, RunResult['inputs']?];

/** Every ending, with what may be known by then. */
const endings: readonly Ending[] = [
  ['opened a pull request', { outcome: 'pull-request-opened' }, { ...known, job: linked }],
  ['no pull request', without, { ...known, job: completed }],
  ['a link that was refused', without, { ...known, job: refused }],
  ['no pull request of a job without a record', without, asked],
  ['archived', { outcome: 'archived' }, { ...known, job: completed }],
  ['archived without a record', { outcome: 'archived' }, asked],
  ['archived with a pull request', { outcome: 'archived' }, { ...known, job: linked }],
  ['archived with a refused link', { outcome: 'archived' }, { ...known, job: refused }],
  ['started', { outcome: 'started' }, { ...known, job: active }],
  ['sent a follow-up', { outcome: 'started' }, { ...followed, job: active }],
  ['looked at a job', { outcome: 'started' }, { ...waited, job: active }],
  ['dry run', { outcome: 'dry-run' }, asked],
  ['failed', failed, { ...known, job: completed }],
  ['failed with a pull request', failed, { ...known, job: linked }],
  ['failed with a refused link', failed, { ...known, job: refused }],
  ['timed out', timedOut, { ...known, job: active }],
  ['timed out before a first record', timedOut, waited],
  ['timed out with the status before the follow-up', timedOut, { ...followed, job: completed }],
  ['timed out without a record', timedOut, recorded, never],
  ['timed out with a record', timedOut, recorded, at('https://x/')],
  ['timed out after a job-id without a record', timedOut, { ...waited, job: active }, never],
  ['nothing that matters changed', { outcome: 'skipped', previousTag: 'v1.1.0', files: 3 }, asked],
  ['canceled before the create', cancelled, asked],
  ['canceled during the create', cancelled, { ...asked, isCreateInFlight: true }],
  ['canceled while waiting', cancelled, { ...known, job: active }],
  ['canceled before a first record', cancelled, waited],
  ['canceled before the follow-up', cancelled, followed],
  ['canceled during the follow-up', cancelled, { ...followed, isCreateInFlight: true }],
  ['canceled after the follow-up', cancelled, { ...followed, job: active }],
  ...(['impossible', 'not-permitted', 'bad-token', 'incomplete'] as const).map(
    (failure): Ending => [`earlier jobs unknown: ${failure}`, { ...unsearched, failure }, asked],
  ),
  ['one wrong input', { ...invalid, problems: [problem] }, {}],
  ['two wrong inputs', { ...invalid, problems: [problem, problem] }, {}],
  ...NOT_STARTED_CODES.map((code): Ending => [`not started: ${code}`, notStarted(code, detail), asked]),
  ['no project at an address with the version', noProject, asked, at('https://x/a/v2/')],
  ['a wrong request at an address with the version', notStarted('bad-request', 'HTTP 400'), asked, version],
  ['no project at an address that ends in the version', noProject, asked, version],
  ['no project at an address with another version', noProject, asked, at('https://x/v2/a')],
  ['no job for the follow-up', noProject, followed],
  ['no follow-up: unauthorized', notStarted('unauthorized', ''), followed],
  ['start unknown', unknown('start-unknown', 'HTTP 500'), { ...asked, isCreateInFlight: true }],
  ['start unknown, redirected', unknown('redirected', 'HTTP 303'), asked],
  ['start unknown, a bug', unknown('internal', ' '), asked],
  ['the create of another run unknown', { outcome: 'start-unknown', code: 'start-unknown', record }, asked],
  ['follow-up unknown', unknown('start-unknown', 'HTTP 500'), followed],
  ['not found', lost('not-found'), waited],
  ['not found anymore', lost('not-found'), { ...known, job: active }],
  ['not found on a re-run', lost('not-found'), { ...waited, earlierJob }],
  ['not readable', lost('unreadable'), waited],
  ['lost, a bug', { outcome: 'lost', code: 'internal', detail: 'bug' }, waited],
];

function createResult([, outcome, state, inputs]: Ending): RunResult {
  return { outcome, state: createState(state), elapsedMs: 252_000, inputs };
}

function show({ level, title, text, problems, next, canAttach }: OutcomeMessage): string {
  return [
    `**${title}** (${level === 'none' ? 'no annotation' : level})`,
    toPlainText(text),
    ...problems.map((part) => `- ${toPlainText(part)}`),
    ...next.map((part) => `→ ${toPlainText(part)}`),
    ...(canAttach ? ['→ (the job id to paste)'] : []),
  ].join('\n');
}

describe('describeOutcome', () => {
  it('has words for every outcome and every error code', async () => {
    expect([...new Set(endings.map(([, { outcome }]) => outcome))].sort()).toEqual([...OUTCOMES].sort());
    const codes = new Set(endings.map(([, outcome]) => getErrorCode(outcome)));
    expect([...codes].filter((value) => value !== undefined).sort()).toEqual([...ERROR_CODES].sort());
    const sections = endings.map(
      (ending) => `## ${ending[0]}: ${ending[1].outcome}\n\n${show(describeOutcome(createResult(ending)))}\n`,
    );
    await expect(sections.join('\n')).toMatchFileSnapshot('__snapshots__/messages.md');
  });

  it.each(endings.map((ending) => ({ name: ending[0], ending })))('fits together: $name', ({ ending }) => {
    const described = describeOutcome(createResult(ending));
    const fails = getErrorCode(ending[1]) !== undefined && ending[1].outcome !== 'cancelled';
    expect(described.level === 'error').toBe(fails);
    expect(described.next.length > 0 || described.problems.length > 0 || !fails).toBe(true);
    expect(described.canAttach && ending[2].jobId === undefined).toBe(false);
    const text = show(described);
    expect(text).not.toMatch(/undefined|null|\(\)| {2}|\.\.|\s\./);
    expect(toPlainText(described.text)).toMatch(/^[A-Z].*(?:[.:]|https:\/\/\S+)$/);
  });
});

describe('describeUnwritable', () => {
  it('adds that the outputs are missing, which makes it an error', async () => {
    const names = ['no pull request', 'dry run', 'failed', 'two wrong inputs'];
    const sections = endings
      .filter(([name]) => names.includes(name))
      .map(createResult)
      .map((result) => show(describeUnwritable(describeOutcome(result), 'ENOSPC', result.state)));
    await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('__snapshots__/unwritable.md');
  });
});
