import { expect, it } from 'vitest';
import { getErrorText } from '../../src/errors.ts';
import { getFinalOutcome } from '../../src/state/outcome.ts';
import { RunTracker } from '../../src/state/run-state.ts';
import { createVirtualClock } from '../harness/virtual-clock.ts';
import { createTestJob } from './fixtures.ts';

// e2e/internal-error.test.ts shows the outcomes of other errors.
it('an error without a message has the name of its kind', () => {
  expect(getErrorText(new TypeError(''))).toBe('TypeError');
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
  expect(getFinalOutcome(job, 'https://github.com')?.result).toBe(result);
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
