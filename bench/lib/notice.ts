import { createVirtualClock } from '../../harness/virtual-clock.ts';
import { createAcceptDecision, simulateWait } from './simulated-wait.ts';
import { createRandom, mean } from './statistics.ts';

/** The seed of every simulation here. */
export const SEED = 20_260_801;
export const POLL_INTERVAL_MS = 10_000;

/** How the end of one job was noticed. */
export interface Notice {
  readonly lengthMs: number;
  /** From the final status to the poll that saw it. */
  readonly delayMs: number;
  readonly gets: number;
}

export interface NoticeFigures {
  readonly gets: number;
  readonly delaySeconds: number;
  /** Of the jobs that take less than half a minute. */
  readonly shortDelaySeconds: number;
}

const SHORT_JOB_MS = 30_000;

/** Simulates the wait of the action for each job, on its own clock, at the default interval. */
export async function simulateNotices(lengths: readonly number[]): Promise<Notice[]> {
  const random = createRandom(SEED);
  const notices: Notice[] = [];
  for (const lengthMs of lengths) {
    const clock = createVirtualClock(0);
    let gets = 0;
    await simulateWait({
      clock,
      random,
      pollIntervalMs: POLL_INTERVAL_MS,
      poll: () => {
        gets += 1;
        return createAcceptDecision(clock.now() >= lengthMs);
      },
    });
    notices.push({ lengthMs, delayMs: clock.now() - lengthMs, gets });
  }
  return notices;
}

/** Simulates a fixed interval for each job: a sleep, a poll, a sleep. */
export function toFixedNotices(lengths: readonly number[], intervalMs: number): Notice[] {
  return lengths.map((lengthMs) => {
    const gets = Math.ceil(lengthMs / intervalMs);
    return { lengthMs, delayMs: gets * intervalMs - lengthMs, gets };
  });
}

/** The means over all jobs. */
export function toFigures(notices: readonly Notice[]): NoticeFigures {
  const short = notices.filter(({ lengthMs }) => lengthMs < SHORT_JOB_MS);
  return {
    gets: mean(notices.map(({ gets }) => gets)),
    delaySeconds: mean(notices.map(({ delayMs }) => delayMs)) / 1000,
    shortDelaySeconds: mean(short.map(({ delayMs }) => delayMs)) / 1000,
  };
}
