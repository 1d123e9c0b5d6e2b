import { expect, it } from 'vitest';
import { getErrorOutcome, getFinalOutcome, Stop } from '../../src/state/outcome.ts';
import { type RunState, RunTracker } from '../../src/state/run-state.ts';
import { createVirtualClock } from '../harness/virtual-clock.ts';
import { attach, createState, createTestJob, followUp } from './fixtures.ts';

const bug = new Error('bug');
const posting = { isUnconfirmed: true } as const;
const followingUp = { ...posting, request: followUp };

it.each<[string, unknown, Partial<RunState>, string, string]>([
  ['a bug', bug, {}, 'not-started', 'bug'],
  ['a bug during the create', bug, posting, 'start-unknown', 'bug'],
  ['a bug during a follow-up', new TypeError(''), followingUp, 'start-unknown', 'TypeError'],
  ['a bug once a job is known', 'text', { request: attach }, 'lost', 'text'],
  ['an object without a text', Object.create(null), {}, 'not-started', 'unknown error'],
])('returns the outcome of %s', (_, error, state, result, detail) => {
  const expected = { result, code: 'internal', detail };
  expect(getErrorOutcome(error, createState(state))).toEqual(expected);
});

it('returns the outcome that a `Stop` carries', () => {
  const canceled = { result: 'cancelled', code: 'cancelled' } as const;
  expect(getErrorOutcome(new Stop(canceled), createState(posting))).toBe(canceled);
});

it.each([
  ['completed', null, 'no-pull-request'],
  ['completed', 'https://github.com/acme/docs/pull/7', 'pull-request-opened'],
  ['completed', 'https://github.com/acme/docs/compare/a...b', 'no-pull-request'],
  ['completed', 'https://other.example/acme/docs/compare/a...b', 'pull-request-opened'],
  ['archived', 'https://github.com/acme/docs/pull/7', 'archived'],
  ['failed', 'https://github.com/acme/docs/pull/7', 'failed'],
] as const)('a job that ends as %s with the link %s is %s', (status, prLink, result) => {
  const job = createTestJob({ status, prLink });
  expect(getFinalOutcome(status, job, 'https://github.com').result).toBe(result);
});

it('RunTracker records each change of the status once', () => {
  const clock = createVirtualClock();
  const tracker = new RunTracker(clock);
  for (const status of ['active', 'active', 'paused', 'active', 'completed', 'completed']) {
    tracker.setJob(createTestJob({ status }));
    clock.pass(1);
  }
  expect(tracker.state.statusChanges).toEqual([
    { status: 'active', atMs: 0 },
    { status: 'paused', atMs: 2 },
    { status: 'active', atMs: 3 },
    { status: 'completed', atMs: 4 },
  ]);
});
