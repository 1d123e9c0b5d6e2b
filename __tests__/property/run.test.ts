import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/http/retry-after.ts';
import type { AgentApi, ApiResult, CallLimits } from '../../src/job/agent-client.ts';
import { parseJob } from '../../src/job/job.ts';
import { classifyCreate, type Evidence, getRetryDelay, toBackOffMs } from '../../src/job/retry-policy.ts';
import { createRunState, type RunState } from '../../src/outcome.ts';
import { describeOutcome } from '../../src/report/messages.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { run } from '../../src/run.ts';
import { createVirtualClock } from '../helpers/virtual-clock.ts';
import { hostileText, parameters } from './parameters.ts';
import { evidence, fraction } from './results.ts';

describe('classifyCreate', () => {
  it('repeats or refuses only what surely had no effect', () => {
    fc.assert(
      fc.property(evidence, (known) => {
        const decision = classifyCreate(known);
        const { httpStatus, hasError, hasJob, retryAfterMs } =
          known.kind === 'response'
            ? known
            : { httpStatus: 0, hasError: false, hasJob: false, retryAfterMs: 0 };
        const isPolite = httpStatus === 503 && hasError && retryAfterMs !== undefined;
        const isRefusal = httpStatus >= 300 && httpStatus < 500 && ![303, 408, 425].includes(httpStatus);
        const isHarmless = known.kind === 'not-sent' || isPolite || isRefusal;
        expect(decision.kind === 'retry' || decision.kind === 'fail').toBe(isHarmless);
        expect(decision.kind === 'accept').toBe(httpStatus >= 200 && httpStatus < 300 && hasJob);
      }),
      parameters,
    );
  });
});

describe('getRetryDelay', () => {
  it('pauses within its bounds, or not at all', () => {
    const reason = fc.constantFrom('not-sent' as const, 'rate-limited' as const, 'unavailable' as const);
    const count = fc.integer({ min: 0, max: 10 });
    fc.assert(
      fc.property(
        fc.record({ reason, retryAfterMs: fc.option(fc.nat(999_999_999_000), { nil: undefined }) }),
        fc.record({ 'not-sent': count, 'rate-limited': count, unavailable: count }),
        fc.nat(300_000),
        fc.integer({ min: -1_000, max: 30_000_000 }),
        fraction,
        (decision, retries, elapsedMs, remainingMs, random) => {
          const delayMs = getRetryDelay(
            { kind: 'retry', ...decision },
            { retries, elapsedMs },
            remainingMs,
            random,
          );
          if (delayMs === undefined) {
            return;
          }
          expect(delayMs).toBeGreaterThanOrEqual(1_000);
          expect(delayMs).toBeLessThan(remainingMs);
          expect(retries[decision.reason]).toBeLessThan(5);
          if (decision.reason === 'not-sent') {
            expect(delayMs).toBeLessThanOrEqual(15_000);
            expect(elapsedMs + delayMs).toBeLessThan(120_000);
          } else {
            expect(delayMs).toBeGreaterThanOrEqual(decision.retryAfterMs ?? 30_000);
          }
        },
      ),
      parameters,
    );
  });

  it('backs off within bounds at any attempt', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, noNaN: true }), (retries, random) => {
        const ms = toBackOffMs(retries, random);
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(1_000);
        expect(ms).toBeLessThanOrEqual(15_000);
      }),
      parameters,
    );
  });
});

describe('parseRetryAfter', () => {
  it('makes nothing or a number in range of any text', () => {
    const date = fc.date({ noInvalidDate: true }).map((instant) => instant.toUTCString());
    const field = fc.option(fc.oneof(hostileText, date, fc.stringMatching(/^[0-9 +.-]{0,12}$/)), {
      nil: undefined,
    });
    fc.assert(
      fc.property(field, field, (value, now) => {
        const ms = parseRetryAfter(value, now);
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }),
      parameters,
    );
  });
});

describe('parseJob', () => {
  it('makes a typed record or nothing of any JSON', () => {
    const fields = [
      'id',
      'status',
      'source',
      'repository',
      'ref',
      'model',
      'prLink',
      'createdAt',
      'archivedAt',
    ];
    const reply = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...fields), fc.oneof(fc.jsonValue(), hostileText)),
      fc.record(
        { id: fc.constantFrom('job_1', 'a.b'), status: hostileText },
        { requiredKeys: ['id', 'status'] },
      ),
    );
    fc.assert(
      fc.property(reply, (value) => {
        const job = parseJob(value, (text) => text);
        if (job === undefined) {
          return;
        }
        expect(job.id).toMatch(/^[\w-][\w.~-]{0,127}$/);
        expect(job.status.length).toBeLessThanOrEqual(256);
        expect(() => JSON.parse(job.json)).not.toThrow();
        expect(job.json.length).toBeLessThanOrEqual(65_536);
        expect(job.json).not.toMatch(/[\r\n]/);
      }),
      parameters,
    );
  });
});

/** One answer of the service, how long it takes, and what else happens meanwhile. */
interface Turn {
  readonly evidence: Evidence;
  readonly status: string;
  readonly tookMs: number;
  readonly signal: 'none' | 'cancel' | 'abandon';
  readonly jumpMs: number;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  evidence,
  status: fc.constantFrom('active', 'active', 'completed', 'archived', 'failed', 'paused'),
  tookMs: fc.constantFrom(0, 5, 500, 30_000, 60_000),
  signal: fc.constantFrom('none', 'none', 'none', 'none', 'cancel', 'abandon'),
  jumpMs: fc.constantFrom(0, 0, 0, 0, 0, 7_200_000),
});

const intents = [
  { kind: 'create', prompt: 'x' },
  { kind: 'attach', jobId: 'job_1' },
  { kind: 'follow-up', jobId: 'job_1', prompt: 'x' },
] as const;

describe('run', () => {
  it('ends once, in time, with at most one start that may have had an effect', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...intents),
        fc.boolean(),
        fc.constantFrom(100, 20_000, 1_800_000),
        fraction,
        async (turns, intent, isWaiting, timeoutMs, random) => {
          const clock = createVirtualClock();
          const startedAt = clock.now();
          const cancel = new AbortController();
          const abandon = new AbortController();
          const progress: RunState = createRunState();
          progress.intent = intent;
          let turnIndex = 0;
          let jumpsMs = 0;
          let effects = 0;
          let startsAfterEffect = 0;

          const answer = async (isStart: boolean, limits: CallLimits): Promise<ApiResult> => {
            const {
              evidence: known,
              status,
              tookMs,
              signal,
              jumpMs,
            } = turns[turnIndex++ % turns.length] as Turn;
            startsAfterEffect += isStart && effects > 0 ? 1 : 0;
            clock.pass(Math.max(0, Math.min(tookMs, limits.timeoutMs)) + jumpMs);
            jumpsMs += jumpMs;
            if (signal !== 'none') {
              cancel.abort();
            }
            if (signal === 'abandon') {
              abandon.abort();
            }
            const hasJob =
              known.kind === 'response' && known.hasJob && known.httpStatus >= 200 && known.httpStatus < 300;
            const kind = classifyCreate(known).kind;
            effects += isStart && (kind === 'accept' || kind === 'unknown') ? 1 : 0;
            return {
              evidence: known,
              job: hasJob ? parseJob({ id: 'job_1', status }, (text) => text) : undefined,
              detail: 'detail',
            };
          };
          const api: AgentApi = {
            createJob: (_, limits) => answer(true, limits),
            followUp: (_, __, limits) => answer(true, limits),
            getJob: (_, limits) => answer(false, limits),
          };
          const inputs = {
            intent,
            projectId: 'docs',
            apiKey: 'mint_0123456789abcdef',
            baseUrl: new URL('https://api.example.com'),
            isWaiting,
            isDryRun: false,
            release: undefined,
            isReusing: true,
            timeoutMs,
            pollIntervalMs: 10_000,
          };
          const conclusion = await run(inputs, {
            prepare: async () => intent,
            api,
            clock,
            random: () => random,
            startedAt,
            progress,
            cancel: cancel.signal,
            abandon: abandon.signal,
            events: {
              onStarting: () => {},
              onRetry: () => {},
              onJob: async () => {},
              onWaitEvent: () => {},
              onCheck: () => {},
            },
          });

          expect(effects).toBeLessThanOrEqual(1);
          expect(startsAfterEffect).toBe(0);
          expect(clock.now() - startedAt - jumpsMs).toBeLessThanOrEqual(timeoutMs + 2_000);
          const isFinal = ['completed', 'archived'].includes(progress.job?.status ?? '');
          expect(conclusion.code === undefined).toBe(
            (isFinal &&
              ['pull-request-opened', 'no-pull-request', 'archived'].includes(conclusion.outcome)) ||
              conclusion.outcome === 'started',
          );
          const result = { ...conclusion, progress, elapsedMs: clock.now() - startedAt };
          expect(getOutputs(result).outcome).toBe(conclusion.outcome);
          expect(renderSummary(result, describeOutcome(result))).toMatch(/^## \S+ \S/);
          expect(clock.sleeps.every((ms) => ms <= timeoutMs)).toBe(true);
        },
      ),
      parameters,
    );
  });
});
