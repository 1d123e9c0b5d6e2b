import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinalStatus, type Job, parseJob } from '../../src/job/job.ts';
import { type Check, type PollEvent, type PollResult, pollJob } from '../../src/job/poll-job.ts';
import { createVirtualClock } from '../helpers/virtual-clock.ts';
import { parameters } from './parameters.ts';
import { fraction } from './results.ts';

const MINUTE = 60_000;
const LAST_CHECK_LIMIT_MS = 1_800;
const LONGEST_CHECK_MS = 30_000;
const LONGEST_SILENCE_MS = MINUTE + LONGEST_CHECK_MS + LAST_CHECK_LIMIT_MS;
const LEAST_PAUSE_MS = 1_000;
const MAX_TROUBLE_LINES = 9;
/** Sums of floating-point times differ by less. */
const EPSILON = 0.001;

function toJob(status: string): Job {
  const job = parseJob({ id: 'job_1', status }, (text) => text);
  if (job === undefined) {
    throw new Error('no job');
  }
  return job;
}

const active: Check = { kind: 'job', job: toJob('active') };

const check: fc.Arbitrary<Check> = fc.oneof(
  fc
    .constantFrom('active', 'active', 'paused', 'completed', 'archived', 'failed')
    .map((status) => ({ kind: 'job' as const, job: toJob(status) })),
  fc.record({
    kind: fc.constant('transient' as const),
    detail: fc.constant('HTTP 502'),
    retryAfterMs: fc.constantFrom(undefined, 0, 45_000, 400_000, 999_999_999_000),
    slowDown: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('strike' as const),
    strike: fc.constantFrom('missing', 'blocked', 'unreadable'),
    detail: fc.constant('HTTP 404'),
  }),
  fc.constant({ kind: 'refused' as const, detail: 'HTTP 401' }),
);

const rarely = <T>(usual: T, rare: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });

const turn = fc.record({
  check,
  tookMs: fc.constantFrom(0, 0.5, 500, LONGEST_CHECK_MS),
  isCancelled: rarely(false, true),
  isCancelledInSleep: rarely(false, true),
  jumpMs: rarely(0, 3_600_000),
  jumpInSleepMs: rarely(0, 3_600_000),
});

const settings = fc.record({
  turns: fc.array(turn, { maxLength: 12 }),
  created: fc.constantFrom(undefined, 'active', 'completed', 'queued'),
  pollOnce: fc.boolean(),
  pollIntervalMs: fc.constantFrom(1_000, 10_000, 300_000),
  timeoutMs: fc.constantFrom(1, 5_000, 90_000, 300_000),
  missingMs: fc.constantFrom(0, 60_000),
  staleMs: fc.constantFrom(0, 30_000),
  share: fraction,
});

interface Seen {
  readonly check: Check;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly timeoutMs: number;
  readonly isCancelled: boolean;
}

interface Rules {
  readonly created: string | undefined;
  readonly startedAt: number;
  readonly deadline: number;
  readonly notFoundGraceUntil: number;
  readonly staleStatusUntil: number;
  readonly pollOnce: boolean;
}

/** Tells after each check how the wait has to end, or undefined when it has to go on. */
function createJudge({
  created,
  startedAt,
  deadline,
  notFoundGraceUntil,
  staleStatusUntil,
  pollOnce,
}: Rules) {
  let isSettled = startedAt >= staleStatusUntil || (created !== undefined && !isFinalStatus(created));
  let strikes: string[] = [];
  return ({ check: said, beganAt, endedAt, isCancelled }: Seen): PollResult['kind'] | undefined => {
    const isLast = beganAt >= deadline;
    if (isCancelled && said.kind !== 'job') return 'cancelled';
    if (said.kind === 'refused') return 'lost';
    if (said.kind === 'job') {
      const isFinal = isFinalStatus(said.job.status);
      strikes = [];
      isSettled ||= !isFinal || endedAt >= staleStatusUntil || isLast;
      if (isFinal && isSettled) return 'final';
      if (pollOnce) return 'open';
    }
    if (said.kind === 'strike' && !(said.strike === 'missing' && endedAt < notFoundGraceUntil)) {
      strikes.push(said.strike);
      const alike = strikes.filter((strike) => strike === said.strike).length;
      if (strikes.length === 5 || (alike === 3 && said.strike !== 'unreadable')) return 'lost';
    }
    return isLast ? 'timed-out' : undefined;
  };
}

describe('pollJob', () => {
  it('ends as its checks say, in time, and tells of it in few words', async () => {
    await fc.assert(
      fc.asyncProperty(
        settings,
        async ({ turns, created, timeoutMs, missingMs, staleMs, share, ...more }) => {
          const clock = createVirtualClock();
          const startedAt = clock.now();
          const deadline = startedAt + timeoutMs;
          const abort = new AbortController();
          const seen: Seen[] = [];
          const events: { readonly at: number; readonly event: PollEvent }[] = [];
          let jumpedMs = 0;
          const jump = (ms: number): void => {
            clock.pass(ms);
            jumpedMs += ms;
          };
          clock.onSleep = () => {
            const { isCancelledInSleep = false, jumpInSleepMs = 0 } = turns[seen.length] ?? {};
            expect(clock.now()).toBeLessThanOrEqual(deadline + EPSILON);
            jump(jumpInSleepMs);
            if (isCancelledInSleep) {
              abort.abort();
            }
          };
          const rules = {
            deadline,
            notFoundGraceUntil: startedAt + missingMs,
            staleStatusUntil: startedAt + staleMs,
            pollOnce: more.pollOnce,
          };
          const result = await pollJob({
            ...rules,
            check: async (timeoutMs) => {
              const {
                check: said = active,
                tookMs = 0,
                jumpMs = 0,
                isCancelled = false,
              } = turns[seen.length] ?? {};
              const beganAt = clock.now();
              clock.pass(Math.min(tookMs, timeoutMs));
              jump(jumpMs);
              if (isCancelled) {
                abort.abort();
              }
              seen.push({ check: said, beganAt, endedAt: clock.now(), timeoutMs, isCancelled });
              return said;
            },
            clock,
            random: () => share,
            signal: abort.signal,
            onEvent: (event) => {
              events.push({ at: clock.now(), event });
            },
            created: created === undefined ? undefined : toJob(created),
            pollIntervalMs: more.pollIntervalMs,
          });
          const endedAt = clock.now();

          const verdicts = seen.map(createJudge({ ...rules, created, startedAt }));
          const last = verdicts.pop();
          expect(verdicts.filter((verdict) => verdict !== undefined)).toEqual([]);
          expect(result.kind).toBe(last ?? (abort.signal.aborted ? 'cancelled' : 'none'));
          expect(endedAt - jumpedMs).toBeLessThanOrEqual(deadline + LAST_CHECK_LIMIT_MS + EPSILON);

          const late = seen.filter(({ beganAt }) => beganAt >= deadline);
          expect(late.length).toBeLessThanOrEqual(1);
          for (const { beganAt, timeoutMs } of seen) {
            expect(timeoutMs).toBe(beganAt >= deadline ? LAST_CHECK_LIMIT_MS : deadline - beganAt);
          }
          for (const [index, { beganAt }] of seen.slice(1).entries()) {
            const before = seen[index];
            const floorMs = before?.check.kind === 'transient' ? (before.check.retryAfterMs ?? 0) : 0;
            const earliest = (before?.endedAt ?? 0) + Math.max(LEAST_PAUSE_MS, floorMs);
            expect(beganAt).toBeGreaterThanOrEqual(Math.min(earliest, deadline) - EPSILON);
          }

          const count = (...kinds: PollEvent['kind'][]): number =>
            events.filter(({ event }) => kinds.includes(event.kind)).length;
          expect(count('trouble', 'pause')).toBeLessThanOrEqual(MAX_TROUBLE_LINES);
          expect(count('recovered')).toBeLessThanOrEqual(count('trouble', 'pause'));
          let quietSince = startedAt;
          for (const { at, event } of events) {
            if (event.kind === 'heartbeat') {
              expect(at - quietSince).toBeGreaterThanOrEqual(MINUTE - EPSILON);
            }
            expect(at - quietSince).toBeLessThanOrEqual(LONGEST_SILENCE_MS + jumpedMs);
            quietSince = at;
          }
          expect(endedAt - quietSince).toBeLessThanOrEqual(LONGEST_SILENCE_MS + jumpedMs);
        },
      ),
      parameters,
    );
  });
});
