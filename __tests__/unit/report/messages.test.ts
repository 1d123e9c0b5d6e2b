import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type NotStartedCode } from '../../../src/errors.ts';
import { getErrorCode, type Outcome, type RunState } from '../../../src/outcome.ts';
import { describeOutcome, describeUnwritable } from '../../../src/report/messages.ts';
import type { OutcomeMessage, RunResult } from '../../../src/report/outcome-message.ts';
import { code, message, toPlainText } from '../../../src/text/message.ts';
import { createState, createTestJob, OUTCOMES, PULL_REQUEST } from '../fixtures.ts';

const create = { kind: 'create', prompt: 'x' } as const;
const attach = { kind: 'attach', jobId: 'job_1' } as const;
const followUp = { kind: 'follow-up', jobId: 'job_1', prompt: 'x' } as const;
const jobId = 'job_1';
const active = createTestJob();
const completed = createTestJob({ status: 'completed' });
const linked = createTestJob({ status: 'completed', prLink: PULL_REQUEST });
const refused = createTestJob({ status: 'completed', prLink: 'http://example.com' });
const known = { request: create, jobId };
const record = {
  jobId,
  runId: 6,
  attempt: 2,
  page: 'https://github.com/acme/app/actions/runs/6/attempts/2',
  leftBy: { runId: 6, attempt: 2 },
};
const reuse = { kind: 'reused', record, isOtherRun: true } as const;

const notStartedCodes = ERROR_CODES.filter(
  (code): code is NotStartedCode =>
    ![
      'invalid-input',
      'reuse-unknown',
      'start-unknown',
      'job-lost',
      'job-failed',
      'timed-out',
      'cancelled',
    ].includes(code),
);
const problem = message`${code('wait')} must be ${code('true')} or ${code('false')}.`;
const lostReason = (reason: 'not-found' | 'blocked' | 'unreadable' | 'refused'): Outcome => ({
  outcome: 'lost',
  code: 'job-lost',
  reason,
  detail: 'HTTP 4xx',
});

const at = (address: string): RunResult['inputs'] => ({ baseUrl: new URL(address), reuse: 'rerun' });
const never: RunResult['inputs'] = { baseUrl: new URL('https://x/'), reuse: 'never' };

/** Every ending, with what may be known by then. */
const endings: readonly (readonly [string, Outcome, Partial<RunState>, RunResult['inputs']?])[] = [
  [
    'opened a pull request',
    { outcome: 'pull-request-opened', prLink: PULL_REQUEST },
    { ...known, job: linked },
  ],
  ['no pull request', { outcome: 'no-pull-request' }, { ...known, job: completed }],
  ['a link that was refused', { outcome: 'no-pull-request' }, { ...known, job: refused }],
  ['archived', { outcome: 'archived' }, { ...known, job: completed }],
  ['archived with a pull request', { outcome: 'archived' }, { ...known, job: linked }],
  ['archived with a refused link', { outcome: 'archived' }, { ...known, job: refused }],
  ['started', { outcome: 'started' }, { ...known, job: active }],
  ['sent a follow-up', { outcome: 'started' }, { request: followUp, jobId, job: active }],
  ['looked at a job', { outcome: 'started' }, { request: attach, jobId, job: active }],
  ['dry run', { outcome: 'dry-run' }, { request: create }],
  ['failed', { outcome: 'failed', code: 'job-failed' }, { ...known, job: completed }],
  ['failed with a pull request', { outcome: 'failed', code: 'job-failed' }, { ...known, job: linked }],
  ['failed with a refused link', { outcome: 'failed', code: 'job-failed' }, { ...known, job: refused }],
  ['timed out', { outcome: 'timed-out', code: 'timed-out' }, { ...known, job: active }],
  [
    'timed out before a first record',
    { outcome: 'timed-out', code: 'timed-out' },
    { request: attach, jobId },
  ],
  [
    'timed out with the status before the follow-up',
    { outcome: 'timed-out', code: 'timed-out' },
    { request: followUp, jobId, job: completed },
  ],
  [
    'timed out without a record',
    { outcome: 'timed-out', code: 'timed-out' },
    { ...known, fingerprint: 'f', job: active },
    never,
  ],
  [
    'timed out with a record',
    { outcome: 'timed-out', code: 'timed-out' },
    { ...known, fingerprint: 'f', job: active },
    at('https://x/'),
  ],
  [
    'timed out after a job-id without a record',
    { outcome: 'timed-out', code: 'timed-out' },
    { request: attach, jobId, job: active },
    never,
  ],
  [
    'nothing that matters changed',
    { outcome: 'skipped', previousTag: 'v1.1.0', files: 3 },
    { request: create },
  ],
  ['canceled before the create', { outcome: 'cancelled', code: 'cancelled' }, { request: create }],
  [
    'canceled during the create',
    { outcome: 'cancelled', code: 'cancelled' },
    { request: create, isCreateInFlight: true },
  ],
  ['canceled while waiting', { outcome: 'cancelled', code: 'cancelled' }, { ...known, job: active }],
  ['canceled before a first record', { outcome: 'cancelled', code: 'cancelled' }, { request: attach, jobId }],
  [
    'canceled before the follow-up',
    { outcome: 'cancelled', code: 'cancelled' },
    { request: followUp, jobId },
  ],
  [
    'canceled during the follow-up',
    { outcome: 'cancelled', code: 'cancelled' },
    { request: followUp, jobId, isCreateInFlight: true },
  ],
  [
    'canceled after the follow-up',
    { outcome: 'cancelled', code: 'cancelled' },
    { request: followUp, jobId, job: active },
  ],
  ...(['impossible', 'not-permitted', 'bad-token', 'incomplete'] as const).map(
    (failure) =>
      [
        `earlier jobs unknown: ${failure}`,
        { outcome: 'not-started', code: 'reuse-unknown', failure, detail: 'HTTP 4xx' } as const,
        { request: create },
      ] as const,
  ),
  ['one wrong input', { outcome: 'not-started', code: 'invalid-input', problems: [problem] }, {}],
  ['two wrong inputs', { outcome: 'not-started', code: 'invalid-input', problems: [problem, problem] }, {}],
  ...notStartedCodes.map(
    (code) =>
      [
        `not started: ${code}`,
        { outcome: 'not-started', code, detail: 'HTTP 4xx' } as const,
        { request: create },
      ] as const,
  ),
  [
    'no project at an address with the version',
    { outcome: 'not-started', code: 'not-found', detail: 'HTTP 404' },
    { request: create },
    at('https://x/a/v2/'),
  ],
  [
    'a wrong request at an address with the version',
    { outcome: 'not-started', code: 'bad-request', detail: 'HTTP 400' },
    { request: create },
    at('https://x/v2'),
  ],
  [
    'no project at an address that ends in the version',
    { outcome: 'not-started', code: 'not-found', detail: 'HTTP 404' },
    { request: create },
    at('https://x/v2'),
  ],
  [
    'no project at an address with another version',
    { outcome: 'not-started', code: 'not-found', detail: 'HTTP 404' },
    { request: create },
    at('https://x/v2/a'),
  ],
  [
    'no job for the follow-up',
    { outcome: 'not-started', code: 'not-found', detail: 'HTTP 404' },
    { request: followUp, jobId },
  ],
  [
    'no follow-up: unauthorized',
    { outcome: 'not-started', code: 'unauthorized', detail: '' },
    { request: followUp, jobId },
  ],
  [
    'start unknown',
    { outcome: 'start-unknown', code: 'start-unknown', detail: 'HTTP 500' },
    { request: create, isCreateInFlight: true },
  ],
  [
    'start unknown, redirected',
    { outcome: 'start-unknown', code: 'redirected', detail: 'HTTP 303' },
    { request: create },
  ],
  ['start unknown, a bug', { outcome: 'start-unknown', code: 'internal', detail: ' ' }, { request: create }],
  [
    'the create of another run unknown',
    { outcome: 'start-unknown', code: 'start-unknown', record },
    { request: create },
  ],
  [
    'follow-up unknown',
    { outcome: 'start-unknown', code: 'start-unknown', detail: 'HTTP 500' },
    { request: followUp, jobId },
  ],
  ['not found', lostReason('not-found'), { request: attach, jobId }],
  ['not found anymore', lostReason('not-found'), { ...known, job: active }],
  ['not found on a re-run', lostReason('not-found'), { request: attach, jobId, reuse }],
  ['not readable', lostReason('unreadable'), { request: attach, jobId }],
  ['lost, a bug', { outcome: 'lost', code: 'internal', detail: 'bug' }, { request: attach, jobId }],
];

function createResult([, outcome, state, inputs]: (typeof endings)[number]): RunResult {
  return {
    outcome,
    state: createState(state),
    elapsedMs: 252_000,
    inputs,
  };
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

describe('describeOutcome without a job', () => {
  it.each<[Outcome, string]>([
    [{ outcome: 'no-pull-request' }, 'The agent job completed without'],
    [{ outcome: 'archived' }, 'The agent job was archived.'],
    [{ outcome: 'started' }, 'The agent job continues'],
    [{ outcome: 'failed', code: 'job-failed' }, 'The agent job failed.'],
  ])('still has words for %o', (outcome, text) => {
    expect(toPlainText(describeOutcome(createResult(['', outcome, {}])).text)).toContain(text);
  });
});

describe('describeUnwritable', () => {
  it('adds that the outputs are missing, and makes it an error', () => {
    const passed = describeOutcome(
      createResult(['', { outcome: 'no-pull-request' }, { ...known, job: completed }]),
    );
    expect(show(describeUnwritable(passed, 'ENOSPC', createState(known)))).toBe(
      [
        '**No documentation pull request, but the outputs were not written** (error)',
        `${toPlainText(passed.text)} The outputs couldn't be written (ENOSPC), so later steps don't get them (\`unwritable-output\`). The job id is \`job_1\`.`,
      ].join('\n'),
    );
  });

  it('keeps the title and the next steps of a failure', () => {
    const failed = describeOutcome(
      createResult(['', { outcome: 'failed', code: 'job-failed' }, { ...known, job: completed }]),
    );
    expect(describeUnwritable(failed, 'ENOSPC', createState(known))).toEqual({
      ...failed,
      text: expect.any(Array),
    });
  });
});
