import type { PollDecision } from '../../src/service/retry-policy.ts';
import type { Limiter } from './limiter.ts';
import { POLL_INTERVAL_MS, SEED } from './notice.ts';
import { createSharedClock, type SharedClock } from './shared-clock.ts';
import { createAcceptDecision, simulateWait } from './simulated-wait.ts';
import { createRandom } from './statistics.ts';

/** One poll. Its time counts from the earliest start of a wait. */
export interface Get {
  readonly atMs: number;
  readonly isRefused: boolean;
}

export interface Crowd {
  readonly gets: readonly Get[];
  /** The delay from the final status to the poll that saw it, for each job whose end was seen. */
  readonly delaysMs: readonly number[];
}

/**
 * How the waits of a crowd poll: as the action does, or every ten seconds regardless of the
 * responses.
 */
export type Manner = 'action' | 'synchronous';

const START_SPREAD_MS = 1_000;

/**
 * Simulates waits that begin within one second, each for its own job, on one project behind a
 * limiter.
 */
export async function simulateCrowd(
  lengths: readonly number[],
  limiter: Limiter,
  manner: Manner,
): Promise<Crowd> {
  const clock = createSharedClock();
  const random = createRandom(SEED);
  const gets: Get[] = [];
  const delaysMs: number[] = [];
  const never = new AbortController().signal;

  const waitFor = async (lengthMs: number): Promise<void> => {
    await clock.sleep(manner === 'action' ? random() * START_SPREAD_MS : 0, never);
    const finalAtMs = clock.now() + lengthMs;
    const poll = (): PollDecision => {
      const refusal = limiter(clock.now());
      gets.push({ atMs: clock.now(), isRefused: refusal !== undefined });
      return refusal === undefined
        ? createAcceptDecision(clock.now() >= finalAtMs)
        : {
            kind: 'failed',
            detail: '429',
            pause: { reason: 'rate-limited', retryAfterMs: refusal.retryAfterMs },
          };
    };
    await (manner === 'action'
      ? simulateWait({ clock, random, pollIntervalMs: POLL_INTERVAL_MS, poll })
      : pollSynchronously(clock, poll, never));
    delaysMs.push(clock.now() - finalAtMs);
  };

  const all = Promise.all(lengths.map(waitFor));
  await clock.run();
  await all;
  return { gets, delaysMs };
}

async function pollSynchronously(
  clock: SharedClock,
  poll: () => PollDecision,
  never: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(POLL_INTERVAL_MS, never);
    const decision = poll();
    if (decision.kind === 'accept' && decision.job.status === 'completed') {
      return;
    }
  }
}

/** The share of polls before `untilMs` that were refused. */
export function toRefusedShare({ gets }: Crowd, untilMs = Number.POSITIVE_INFINITY): number {
  const counted = gets.filter(({ atMs }) => atMs < untilMs);
  return counted.filter(({ isRefused }) => isRefused).length / counted.length;
}

/** Polls per minute between two times. */
export function toRate({ gets }: Crowd, fromMs: number, untilMs: number): number {
  const counted = gets.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
  return (counted.length * 60_000) / (untilMs - fromMs);
}

/**
 * How much polls bunch up: the busiest second compared with the average second of the minute around
 * it. Ignores seconds with fewer than `minGets` polls, because a few polls bunch up by chance.
 */
export function toBurst({ gets }: Crowd, minGets: number): number {
  const seconds: number[] = [];
  for (const { atMs } of gets) {
    const second = Math.floor(atMs / 1000);
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
  const bursts = Array.from(seconds, (count = 0, second) => {
    const around = seconds.slice(Math.max(0, second - 30), second + 31);
    const usual = around.reduce((total, other) => total + (other ?? 0), 0) / around.length;
    return count >= minGets ? count / usual : 0;
  });
  return Math.max(...bursts);
}
