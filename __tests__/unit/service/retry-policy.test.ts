import { describe, expect, it } from 'vitest';
import type { ApiResult } from '../../../src/service/agent-client.ts';
import { classifySend, getRefusalReason } from '../../../src/service/retry-policy.ts';
import { getRetryDelay, type Retry } from '../../../src/time/retry.ts';
import { createResponse } from '../fixtures.ts';

function showCreate(result: ApiResult): string {
  const sent = classifySend(result);
  if (sent.kind === 'accepted') {
    return 'accept';
  }
  if (sent.kind === 'unknown') {
    return `unknown ${sent.failure.code}`;
  }
  const { failure, retry } = sent;
  return retry === undefined
    ? `fail ${failure.code}`
    : `retry ${retry.reason} ${retry.retryAfterMs}`;
}

const limited = 'retry rate-limited undefined';
const noCredits = 'fail no-credits';
it.each<[number, string, string, string?]>([
  [429, 'Out of credits', noCredits],
  [429, 'Insufficient balance', noCredits],
  [429, 'Check your billing details', noCredits],
  [429, 'Overages are off', noCredits],
  [429, 'Your plan includes 50 jobs', noCredits],
  // These name a limit, and not money.
  [429, 'Usage limits reset in 2 seconds', limited],
  [429, 'Request quota exceeded', limited],
  [429, 'usage limit: 100 requests per hour', limited],
  [429, 'Quota exceeded for metric requests_per_minute', limited],
  [429, 'Please upgrade your client', limited],
  [429, 'accredited airplane', limited],
  [429, 'Please upgrade', limited],
  [402, 'Payment required', noCredits],
  [402, 'Please upgrade to access this route.', noCredits],
  [403, 'Upgrade your plan, or add credits', noCredits],
  [401, 'No credits left', noCredits],
  [401, 'Please upgrade to access this route.', 'fail unauthorized', 'plan'],
  [403, 'Your plan does not include the API', 'fail forbidden', 'plan'],
  [401, 'API key has expired', 'fail unauthorized'],
  [401, 'Please explain', 'fail unauthorized'],
  [403, 'Request quota exceeded', 'fail forbidden'],
  // Other errors may quote the prompt.
  [400, 'Invalid prompt: Describe the billing page and its credits', 'fail bad-request'],
  [404, 'No project "credits"', 'fail not-found'],
  [400, 'Please upgrade', 'fail bad-request'],
])('a %i that says "%s" is classified by its words', (status, words, expected, reason) => {
  const detail = `HTTP ${status}: ${words}`;
  expect(getRefusalReason(detail, status)).toBe(expected === noCredits ? 'credits' : reason);
  expect(showCreate(createResponse(status, { detail }))).toBe(expected);
});

describe('getRetryDelay', () => {
  const usual = { retryAfterMs: undefined, retries: 0, remaining: 3_600_000, random: 0 };

  it.each<[Retry['reason'], Partial<Record<keyof typeof usual, number>>, number | undefined]>([
    // Without Retry-After, each pause is longer.
    ['rate-limited', { retries: 0 }, 30_000],
    ['rate-limited', { retries: 4 }, 300_000],
    // The number of retries is limited.
    ['rate-limited', { retries: 5 }, undefined],
    ['not-sent', { retries: 3 }, 1_000],
    ['not-sent', { retries: 4 }, undefined],
    // If nothing was sent, at most these times.
    ['not-sent', { retries: 0, random: 1 }, 2_000],
    ['not-sent', { retries: 1, random: 1 }, 4_000],
    ['not-sent', { retries: 2, random: 1 }, 8_000],
    ['not-sent', { retries: 3, random: 1 }, 15_000],
    ['not-sent', { retries: 0 }, 1_000],
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
