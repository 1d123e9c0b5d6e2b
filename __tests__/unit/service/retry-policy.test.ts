import { describe, expect, it } from 'vitest';
import {
  classifySend,
  type NotStarted,
  type NotStartedCode,
} from '../../../src/service/retry-policy.ts';
import { getRetryDelay, type Retry } from '../../../src/time/retry.ts';
import { createResponse } from '../fixtures.ts';

// retries.test.ts shows which of these are sent again, and each word about money.
it.each<[number, string, NotStartedCode, NotStarted['kind']?]>([
  // These name a limit, and not money.
  [429, 'Usage limits reset in 2 seconds', 'rate-limited'],
  [429, 'Quota exceeded for metric requests_per_minute', 'rate-limited'],
  [429, 'accredited airplane', 'rate-limited'],
  [429, 'Please upgrade', 'rate-limited'],
  [402, 'Payment required', 'no-credits'],
  [402, 'Please upgrade to access this route.', 'no-credits'],
  [403, 'Upgrade your plan, or add credits', 'no-credits'],
  [401, 'No credits left', 'no-credits'],
  [401, 'Please upgrade to access this route.', 'unauthorized', 'plan'],
  [403, 'Your plan does not include the API', 'forbidden', 'plan'],
  [401, 'API key has expired', 'unauthorized'],
  [401, 'Please explain', 'unauthorized'],
  // Other errors may quote the prompt.
  [400, 'Invalid prompt: Describe the billing page and its credits', 'bad-request'],
  [404, 'No project "credits"', 'not-found'],
  [400, 'Please upgrade', 'bad-request'],
  [410, 'Gone', 'bad-request', 'outdated'],
])('a %i that says "%s" is classified by its words', (status, words, code, kind) => {
  const detail = `HTTP ${status}: ${words}`;
  const refusal = { kind: 'not-started', failure: { code, kind } };
  expect(classifySend(createResponse(status, { detail }))).toMatchObject(refusal);
});

it.each<[number, NotStartedCode, NotStarted['kind']?]>([
  [403, 'forbidden', 'blocked'],
  [404, 'not-found', 'blocked'],
  [429, 'rate-limited'],
  [308, 'redirected'],
])('a web page with the status %i is %s, kind %s', (status, code, kind) => {
  const refusal = { kind: 'not-started', failure: { code, kind } };
  expect(classifySend(createResponse(status, { isPage: true }))).toMatchObject(refusal);
});

// unit/run/start-job.test.ts shows the number of retries.
describe('getRetryDelay', () => {
  const usual = { retryAfterMs: undefined, retries: 0, remaining: 3_600_000, random: 0 };

  it.each<[Retry['reason'], Partial<Record<keyof typeof usual, number>>, number | undefined]>([
    // Without Retry-After, each pause is longer.
    ['rate-limited', { retries: 0 }, 30_000],
    ['rate-limited', { retries: 4 }, 300_000],
    // If nothing was sent, at most these times.
    ['not-sent', { retries: 0, random: 1 }, 2_000],
    ['not-sent', { retries: 1, random: 1 }, 4_000],
    ['not-sent', { retries: 2, random: 1 }, 8_000],
    ['not-sent', { retries: 3, random: 1 }, 15_000],
    ['rate-limited', { retryAfterMs: 7_000, random: 0.5 }, 7_350],
    ['rate-limited', { retryAfterMs: 100_000, random: 0.9, remaining: 105_000 }, 100_000],
    ['rate-limited', { retryAfterMs: 0 }, 1_000],
    ['rate-limited', { retryAfterMs: 7_000, remaining: 7_000 }, undefined],
    ['not-sent', { remaining: 1_000 }, undefined],
  ])('for a call that was %s, with %o, returns %s ms', (reason, changes, delayMs) => {
    const { retryAfterMs, retries, remaining, random } = { ...usual, ...changes };
    expect(getRetryDelay({ reason, retryAfterMs }, retries, remaining, random)).toBe(delayMs);
  });
});
