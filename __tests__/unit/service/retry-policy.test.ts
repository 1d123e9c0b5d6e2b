import { describe, expect, it } from 'vitest';
import type { ConnectFailure } from '../../../src/http/connect-error.ts';
import type { ApiResponse, ApiResult } from '../../../src/service/agent-client.ts';
import { classifyPoll, classifySend, getRetryDelay, type Retry } from '../../../src/service/retry-policy.ts';
import { createResponse, createTestJob } from '../fixtures.ts';

type Form = Pick<ApiResponse, 'job' | 'hasErrorBody' | 'retryAfterMs'>;
const job = createTestJob();
const none: Form = { job: undefined, hasErrorBody: false, retryAfterMs: undefined };

const forms: [string, Form][] = [
  ['no other field', none],
  ['Retry-After', { ...none, retryAfterMs: 3_000 }],
  ['a JSON error', { ...none, hasErrorBody: true }],
  ['both', { ...none, hasErrorBody: true, retryAfterMs: 0 }],
  ['a record', { ...none, job }],
  ['a record and Retry-After', { ...none, job, retryAfterMs: 3_000 }],
];

const retried = new Set([429]);
const unknown = new Set([408, 425]);
const codes: Record<number, string> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not-found' };

/** The table of docs/reliability.md in another form. */
function expectCreate(status: number, form: Form): string {
  if (status >= 200 && status < 300) return form.job ? 'accept' : 'unknown start-unknown';
  if (retried.has(status)) return 'retry rate-limited';
  if (status === 302 || status === 303) return 'unknown redirected';
  if (unknown.has(status) || status < 300 || status >= 500) return 'unknown start-unknown';
  return `fail ${codes[status] ?? (status < 400 ? 'redirected' : 'bad-request')}`;
}

function expectPoll(status: number, form: Form): string {
  if (status >= 200 && status < 300) return form.job ? 'accept' : 'read-failure unreadable';
  if (status === 429) return `retry ${form.retryAfterMs} true`;
  if (status >= 500 || unknown.has(status)) return `retry ${form.retryAfterMs} false`;
  if (!form.hasErrorBody) return 'read-failure unreadable';
  return `read-failure ${status === 404 ? 'not-found' : 'refused'}`;
}

function showCreate(result: ApiResult): string {
  const sent = classifySend(result);
  if (sent.kind === 'accepted') return 'accept';
  if (sent.kind === 'unknown') return `unknown ${sent.code}`;
  return sent.retry === undefined ? `fail ${sent.failure.code}` : `retry ${sent.retry.reason}`;
}

function showPoll(result: ApiResult): string {
  const decision = classifyPoll(result);
  if (decision.kind === 'retry') return `retry ${decision.retryAfterMs} ${decision.isRateLimit}`;
  return decision.kind === 'read-failure' ? `read-failure ${decision.failure}` : decision.kind;
}

const statuses = Array.from({ length: 500 }, (_, index) => index + 100);

describe.each(forms)('a response with %s', (_, form) => {
  it('is classified by its status after a create', () => {
    const actual = statuses.map((status) => [status, showCreate(createResponse(status, form))]);
    expect(actual).toEqual(statuses.map((status) => [status, expectCreate(status, form)]));
  });

  it('is classified by its status after a get', () => {
    const actual = statuses.map((status) => [status, showPoll(createResponse(status, form))]);
    expect(actual).toEqual(statuses.map((status) => [status, expectPoll(status, form)]));
  });

  it('keeps the pause that the service asks for, the job, and the detail', () => {
    const limited = createResponse(429, form);
    const { job, retryAfterMs } = form;
    const code = 'rate-limited';
    expect(classifySend(limited)).toEqual({
      kind: 'not-started',
      failure: { code, httpStatus: 429, detail: 'HTTP 429' },
      retry: { reason: code, retryAfterMs },
    });
    const detail = 'HTTP 429';
    expect(classifyPoll(limited)).toEqual({ kind: 'retry', retryAfterMs, detail, isRateLimit: true });
    for (const classify of [classifySend, classifyPoll]) {
      expect(classify(createResponse(200, form))).toMatchObject(job ? { job } : { detail: 'HTTP 200' });
      for (const status of [303, 401, 403, 404, 500, 503]) {
        const result = classify(createResponse(status, form));
        const failure = result.kind === 'not-started' ? result.failure : result;
        expect(failure).toMatchObject({ detail: `HTTP ${status}` });
      }
    }
  });
});

describe('a 429 after a create', () => {
  it.each<[string, Partial<ApiResponse>, string]>([
    ['with a page', { excerpt: '<p>' }, 'retry rate-limited'],
    [
      'with an error that has more fields',
      { hasErrorBody: true, excerpt: '{"error":' },
      'retry rate-limited',
    ],
    ['that may be a record', { excerpt: '{"id":"job_7"' }, 'unknown start-unknown'],
    ['about credits', { detail: 'HTTP 429: Out of credits' }, 'fail rate-limited'],
    ['about a quota', { detail: 'HTTP 429: Quota used up', retryAfterMs: 1_000 }, 'fail rate-limited'],
    ['about a usage limit', { detail: 'HTTP 429: usage limit reached' }, 'fail rate-limited'],
    ['about a rate limit', { detail: 'HTTP 429: rate limit reached' }, 'retry rate-limited'],
  ])('%s is classified by its words', (_, changes, expected) => {
    expect(showCreate(createResponse(429, changes))).toBe(expected);
  });
});

describe('a call without a response', () => {
  it.each<[ConnectFailure, string, string, string]>([
    ['unreachable', 'retry not-sent', 'retry undefined false', 'connect-failed'],
    ['proxy-unavailable', 'retry not-sent', 'retry undefined false', 'proxy-refused'],
    ['tls', 'fail tls-failed', 'read-failure refused', 'tls-failed'],
    ['proxy-refused', 'fail proxy-refused', 'read-failure refused', 'proxy-refused'],
  ])('is classified by the failure `%s` if nothing was sent', (failure, create, poll, code) => {
    const result: ApiResult = { kind: 'not-sent', failure, detail: 'why' };
    expect(showCreate(result)).toBe(create);
    const expected = { code, httpStatus: undefined, detail: 'why' };
    expect(classifySend(result)).toMatchObject({ kind: 'not-started', failure: expected });
    expect(showPoll(result)).toBe(poll);
    expect(classifyPoll(result)).toMatchObject({ detail: 'why' });
  });

  it('has an unknown effect if the request was sent', () => {
    const result: ApiResult = { kind: 'no-response', detail: 'why' };
    const pause = { retryAfterMs: undefined, isRateLimit: false };
    const unknown = { kind: 'unknown', code: 'start-unknown' };
    expect(classifySend(result)).toEqual({ ...unknown, detail: 'why' });
    expect(classifyPoll(result)).toEqual({ kind: 'retry', ...pause, detail: 'why' });
  });
});

describe('getRetryDelay', () => {
  const usual = { retryAfterMs: undefined, retries: 0, remaining: 3_600_000, random: 0 };

  it.each<[Retry['reason'], Partial<Record<keyof typeof usual, number>>, number | undefined]>([
    // Without Retry-After, each pause is longer.
    ['rate-limited', { retries: 0 }, 30_000],
    ['rate-limited', { retries: 1 }, 60_000],
    ['rate-limited', { retries: 2 }, 120_000],
    ['rate-limited', { retries: 3 }, 240_000],
    ['rate-limited', { retries: 4 }, 300_000],
    ['rate-limited', { retries: 4, random: 0.5 }, 315_000],
    // The number of retries is limited.
    ['rate-limited', { retries: 5 }, undefined],
    ['not-sent', { retries: 3 }, 1_000],
    ['not-sent', { retries: 4 }, undefined],
    // A pause is at least as long as the service asks, and at least a second.
    ['rate-limited', { retryAfterMs: 7_000 }, 7_000],
    ['rate-limited', { retryAfterMs: 7_000, random: 0.5 }, 7_350],
    ['rate-limited', { retryAfterMs: 100_000, random: 0.9, remaining: 105_000 }, 100_000],
    ['rate-limited', { retryAfterMs: 0 }, 1_000],
    // A pause must end before the deadline.
    ['rate-limited', { retryAfterMs: 7_000, remaining: 7_001 }, 7_000],
    ['rate-limited', { retryAfterMs: 7_000, remaining: 7_000 }, undefined],
    ['rate-limited', { retries: 1, remaining: 60_000 }, undefined],
    ['not-sent', { remaining: 1_000 }, undefined],
  ])('for a call that was %s, with %o, returns %s ms', (reason, changes, delayMs) => {
    const { retryAfterMs, retries, remaining, random } = { ...usual, ...changes };
    expect(getRetryDelay({ reason, retryAfterMs }, retries, remaining, random)).toBe(delayMs);
  });

  it.each([
    [0, 2_000],
    [1, 4_000],
    [2, 8_000],
    [3, 15_000],
  ])('at retry %i, returns between 1 s and %i ms if nothing was sent', (retries, most) => {
    const retry = { reason: 'not-sent' } as const;
    expect([0, 1].map((random) => getRetryDelay(retry, retries, 60_000, random))).toEqual([1_000, most]);
  });
});
