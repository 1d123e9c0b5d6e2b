import type { Clock } from '../src/clock.ts';
import { pollJob } from '../src/service/poll-job.ts';
import type { PollDecision } from '../src/service/retry-policy.ts';
import type { Measure, Row } from './measure.ts';

const WAITS = 200;
const INTERVAL_MS = 10_000;
const MINUTE_MS = 60_000;
const JOB_MS = 15 * MINUTE_MS;
const DEADLINE_MS = 60 * MINUTE_MS;
/** Half of the polls of these waits at a fixed interval of ten seconds. */
const POLLS_PER_MINUTE = 600;
const SEED = 20_260_801;
const NEVER = new AbortController().signal;

export const many: Measure = {
  name: 'many',
  description: `${WAITS} waits that start within a second, at ${POLLS_PER_MINUTE} polls a minute (simulated)`,
  async run() {
    const rows: Row[] = [];
    for (const tellsRetryAfter of [true, false]) {
      const server = tellsRetryAfter ? 'with Retry-After' : 'without Retry-After';
      rows.push(
        await toRow(`this action, 429 ${server}`, waitAsAction, tellsRetryAfter, 5),
        await toRow(`fixed interval of 10 s, 429 ${server}`, waitAtFixedInterval, tellsRetryAfter),
      );
    }
    return rows;
  },
};

type Poll = () => PollDecision;
type WaitForJob = (clock: Clock, random: () => number, poll: Poll) => Promise<void>;

async function toRow(
  what: string,
  waitForJob: WaitForJob,
  tellsRetryAfter: boolean,
  limit?: number,
): Promise<Row> {
  const { polls, refused } = await simulate(waitForJob, tellsRetryAfter);
  return {
    what: `many: refused polls, ${what}`,
    value: (100 * refused) / polls,
    unit: '%',
    ...(limit !== undefined && { limit }),
    note: `${polls} polls`,
  };
}

/** Simulates waits for jobs of the same length, at a service that allows some polls a minute. */
async function simulate(waitForJob: WaitForJob, tellsRetryAfter: boolean) {
  const { clock, run } = createSharedClock();
  const random = createRandom(SEED);
  let polls = 0;
  let refused = 0;
  let minute = 0;
  let pollsOfMinute = 0;

  function poll(finalAtMs: number): PollDecision {
    const nowMs = clock.now();
    const current = Math.floor(nowMs / MINUTE_MS);
    pollsOfMinute = current === minute ? pollsOfMinute + 1 : 1;
    minute = current;
    polls += 1;
    if (pollsOfMinute <= POLLS_PER_MINUTE) {
      return readJob(nowMs >= finalAtMs);
    }
    refused += 1;
    const seconds = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1_000);
    const retryAfterMs = tellsRetryAfter ? seconds * 1_000 : undefined;
    return { kind: 'failed', detail: '429', pause: { reason: 'rate-limited', retryAfterMs } };
  }

  async function wait(): Promise<void> {
    await clock.sleep(random() * 1_000, NEVER);
    const finalAtMs = clock.now() + JOB_MS;
    await waitForJob(clock, random, () => poll(finalAtMs));
  }

  const waits = Promise.all(Array.from({ length: WAITS }, wait));
  await run();
  await waits;
  return { polls, refused };
}

const waitAsAction: WaitForJob = async (clock, random, poll) => {
  const deadline = clock.now() + DEADLINE_MS;
  const { kind } = await pollJob(async () => poll(), {
    timing: { clock, random, deadline, cancel: NEVER, forceCancel: NEVER },
    onEvent: () => {},
    created: createJob('active'),
    untilFinal: true,
    pollIntervalMs: INTERVAL_MS,
  });
  if (kind !== 'final') {
    throw new Error(`A wait ended as ${kind}`);
  }
};

const waitAtFixedInterval: WaitForJob = async (clock, _random, poll) => {
  for (;;) {
    await clock.sleep(INTERVAL_MS, NEVER);
    const decision = poll();
    if (decision.kind === 'accept' && decision.job.status === 'completed') {
      return;
    }
  }
};

function readJob(isFinal: boolean): PollDecision {
  return { kind: 'accept', job: createJob(isFinal ? 'completed' : 'active') };
}

function createJob(status: 'active' | 'completed') {
  return {
    id: 'job',
    status,
    prLink: undefined,
    refusedLink: undefined,
    repository: undefined,
    ref: undefined,
    model: undefined,
    createdAt: undefined,
    archivedAt: undefined,
    json: '{}',
  };
}

/** Returns a clock for many waits. `run` moves it from one sleeper to the next. */
function createSharedClock() {
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ atMs: nowMs + Math.max(0, ms), wake });
      }),
  };
  async function run(): Promise<void> {
    while (sleepers.length > 0) {
      sleepers.sort((a, b) => b.atMs - a.atMs);
      const next = sleepers.pop();
      nowMs = next?.atMs ?? nowMs;
      next?.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { clock, run };
}

/** Returns a source of numbers in [0, 1) that is the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
