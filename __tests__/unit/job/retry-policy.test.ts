import { describe, expect, it } from 'vitest';
import type { ConnectFailure } from '../../../src/http/connection.ts';
import {
  classifyCreate,
  classifyPoll,
  type Evidence,
  getRetryDelay,
  type RetryReason,
  toBackOffMs,
} from '../../../src/job/retry-policy.ts';

type Answered = Extract<Evidence, { kind: 'response' }>;

function answered(httpStatus: number, more: Partial<Answered> = {}): Answered {
  return { kind: 'response', httpStatus, hasJob: false, hasError: false, retryAfterMs: undefined, ...more };
}

const forms: [string, Partial<Answered>][] = [
  ['nothing', {}],
  ['Retry-After', { retryAfterMs: 3_000 }],
  ['a JSON error', { hasError: true }],
  ['both', { hasError: true, retryAfterMs: 0 }],
  ['a record', { hasJob: true }],
  ['a record and Retry-After', { hasJob: true, retryAfterMs: 3_000 }],
];

const retried = new Set([429]);
const unknown = new Set([303, 408, 425]);
const codes: Record<number, string> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not-found' };

/** The table of docs/reliability.md, written a second time in another form. */
function expectStart(status: number, form: Partial<Answered>): string {
  if (status >= 200 && status < 300) return form.hasJob ? 'accept' : 'unknown start-unknown';
  if (status === 503 && form.hasError && form.retryAfterMs !== undefined) return 'retry unavailable';
  if (retried.has(status)) return 'retry rate-limited';
  if (status === 303) return 'unknown redirected';
  if (unknown.has(status) || status < 300 || status >= 500) return 'unknown start-unknown';
  return `fail ${codes[status] ?? (status < 400 ? 'redirected' : 'bad-request')}`;
}

function expectCheck(status: number, form: Partial<Answered>): string {
  if (status >= 200 && status < 300) return form.hasJob ? 'accept' : 'strike unreadable';
  if (status === 404) return 'strike missing';
  if (status === 403 && !form.hasError) return 'strike blocked';
  if (status === 429) return `retry ${form.retryAfterMs} true`;
  return status >= 500 || status === 408 || status === 425 ? `retry ${form.retryAfterMs} false` : 'fail';
}

function showStart(evidence: Evidence): string {
  const decision = classifyCreate(evidence);
  switch (decision.kind) {
    case 'accept':
      return 'accept';
    case 'retry':
      return `retry ${decision.reason}`;
    default:
      return `${decision.kind} ${decision.code}`;
  }
}

function showCheck(evidence: Evidence): string {
  const decision = classifyPoll(evidence);
  switch (decision.kind) {
    case 'retry':
      return `retry ${decision.retryAfterMs} ${decision.isRateLimit}`;
    case 'strike':
      return `strike ${decision.strike}`;
    default:
      return decision.kind;
  }
}

const statuses = Array.from({ length: 500 }, (_, index) => index + 100);

describe.each(forms)('an answer with %s', (_, form) => {
  it('decides every status after a create', () => {
    const actual = statuses.map((status) => [status, showStart(answered(status, form))]);
    expect(actual).toEqual(statuses.map((status) => [status, expectStart(status, form)]));
  });

  it('decides every status after a get', () => {
    const actual = statuses.map((status) => [status, showCheck(answered(status, form))]);
    expect(actual).toEqual(statuses.map((status) => [status, expectCheck(status, form)]));
  });

  it('keeps the pause that the service asks for', () => {
    const retryAfterMs = form.retryAfterMs;
    expect(classifyCreate(answered(429, form))).toEqual({
      kind: 'retry',
      reason: 'rate-limited',
      retryAfterMs,
    });
  });
});

describe('no answer', () => {
  it.each<[ConnectFailure, string, string]>([
    ['unreachable', 'retry not-sent', 'retry undefined false'],
    ['connect-timeout', 'retry not-sent', 'retry undefined false'],
    ['proxy-unavailable', 'retry not-sent', 'retry undefined false'],
    ['tls', 'fail tls-failed', 'fail'],
    ['proxy-refused', 'fail proxy-refused', 'fail'],
    ['proxy-invalid', 'fail proxy-refused', 'fail'],
  ])('when nothing was sent: %s', (failure, start, check) => {
    const evidence: Evidence = { kind: 'not-sent', failure };
    expect(showStart(evidence)).toBe(start);
    expect(classifyCreate(evidence)).not.toHaveProperty('retryAfterMs', expect.any(Number));
    expect(showCheck(evidence)).toBe(check);
  });

  it('when the request was sent', () => {
    expect(showStart({ kind: 'no-response' })).toBe('unknown start-unknown');
    expect(showCheck({ kind: 'no-response' })).toBe('retry undefined false');
  });
});

describe('getRetryDelay', () => {
  function plan(
    reason: RetryReason,
    options: Partial<{
      retryAfterMs: number;
      retries: number;
      elapsedMs: number;
      remaining: number;
      random: number;
    }>,
  ): number | undefined {
    const { retryAfterMs, retries = 0, elapsedMs = 0, remaining = 3_600_000, random = 0 } = options;
    const none = { 'not-sent': 0, 'rate-limited': 0, unavailable: 0 };
    const history = { retries: { ...none, [reason]: retries }, elapsedMs };
    return getRetryDelay({ kind: 'retry', reason, retryAfterMs }, history, remaining, random);
  }

  it.each<[RetryReason, number]>([
    ['not-sent', 4],
    ['rate-limited', 5],
    ['unavailable', 2],
  ])('repeats %s %i times', (reason, limit) => {
    expect(plan(reason, { retries: limit - 1 })).toBeGreaterThan(0);
    expect(plan(reason, { retries: limit })).toBeUndefined();
  });

  it('counts the reasons apart', () => {
    const history = { retries: { 'not-sent': 4, 'rate-limited': 4, unavailable: 2 }, elapsedMs: 0 };
    const decision = { kind: 'retry', reason: 'rate-limited', retryAfterMs: 1_000 } as const;
    expect(getRetryDelay(decision, history, 60_000, 0)).toBe(1_000);
  });

  it.each([
    [0, 30_000],
    [1, 60_000],
    [2, 120_000],
    [3, 240_000],
    [4, 300_000],
  ])('waits without Retry-After, at retry %i, for %i ms', (retries, ms) => {
    expect(plan('rate-limited', { retries })).toBe(ms);
    expect(plan('rate-limited', { retries, random: 0.5 })).toBe(ms * 1.05);
  });

  it('takes Retry-After as a floor, and never less than a second', () => {
    expect(plan('rate-limited', { retryAfterMs: 7_000 })).toBe(7_000);
    expect(plan('rate-limited', { retryAfterMs: 7_000, random: 0.5 })).toBe(7_350);
    expect(plan('unavailable', { retryAfterMs: 0, random: 0 })).toBe(1_000);
    expect(plan('rate-limited', { retryAfterMs: 100_000, random: 0.9, remaining: 105_000 })).toBe(100_000);
  });

  it('gives up when the pause would reach the deadline', () => {
    expect(plan('rate-limited', { retryAfterMs: 7_000, remaining: 7_001 })).toBe(7_000);
    expect(plan('rate-limited', { retryAfterMs: 7_000, remaining: 7_000 })).toBeUndefined();
    expect(plan('not-sent', { remaining: 1_000 })).toBeUndefined();
  });

  it('gives an unreachable service two minutes, and no such bound to one that answers', () => {
    expect(plan('not-sent', { elapsedMs: 118_999 })).toBe(1_000);
    expect(plan('not-sent', { elapsedMs: 119_000 })).toBeUndefined();
    expect(plan('rate-limited', { retryAfterMs: 500_000, elapsedMs: 119_000 })).toBe(500_000);
  });

  it.each([
    [0, 1_000, 2_000],
    [1, 1_000, 4_000],
    [2, 1_000, 8_000],
    [3, 1_000, 15_000],
    [9, 1_000, 15_000],
  ])('backs off at retry %i between %i and %i ms', (retries, least, most) => {
    expect(toBackOffMs(retries, 0)).toBe(least);
    expect(toBackOffMs(retries, 1)).toBe(most);
    expect(plan('not-sent', { retries: Math.min(3, retries), random: 0 })).toBe(1_000);
  });
});
