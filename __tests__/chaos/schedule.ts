import fc from 'fast-check';
import type { FileState } from '../../harness/action-environment.ts';
import type { ProxyMode } from '../helpers/servers.ts';
import { stepNames } from './steps.ts';

const { constantFrom: pick } = fc;
const between = (min: number, max: number) => fc.integer({ min, max });

/** Generates one of two values, the first with this percentage. */
const either = <A, B>(percent: number, first: fc.Arbitrary<A>, second: fc.Arbitrary<B>) =>
  fc.oneof({ weight: percent, arbitrary: first }, { weight: 100 - percent, arbitrary: second });
const sometimes = <T>(percent: number, arbitrary: fc.Arbitrary<T>) =>
  either(percent, arbitrary, fc.constant(undefined));
const upTo = <T>(maxLength: number, arbitrary: fc.Arbitrary<T>) =>
  fc.array(arbitrary, { maxLength, size: 'max' });
/** Generates a list that ends with this item, and usually has no other items. */
const endingWith = <T, U>(early: fc.Arbitrary<T>, last: fc.Arbitrary<U>) =>
  fc
    .tuple(either(30, upTo(3, early), fc.constant<T[]>([])), last)
    .map(([items, item]): (T | U)[] => [...items, item]);

const { records, unproven, pauses, refusals, finals } = stepNames;
const badFile = pick<FileState[]>('unset', 'missing', 'directory', 'read-only');
const badProxy = pick<ProxyMode[]>('hang-up', 'silence', 403, 407, 502, 503, 504);
const lastPost = either(
  55,
  pick(...records, ...finals),
  either(70, pick(...unproven), pick(...refusals, ...pauses)),
);
const lastGet = either(70, pick(...finals), pick(...records, ...unproven, ...refusals));
const onTheWay = either(
  40,
  upTo(6, pick(...records)),
  upTo(6, pick(...records, ...records, ...records, ...unproven, ...pauses)),
);

/** A signal or a stop, in real time after the first line of the log. */
const toDisturbance = (lastsMs: number) => {
  const atMs = either(40, between(0, 80), between(0, lastsMs));
  return either(
    50,
    fc.record({ atMs, signal: pick('SIGINT', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGKILL') }),
    fc.record({ atMs, stoppedMs: between(20, Math.round(lastsMs * 1.2)) }),
  );
};

const schedules = fc
  .record({ timeScale: pick(8, 12, 16), timeoutSeconds: pick(4, 8, 16, 24) })
  .chain(({ timeScale, timeoutSeconds }) => {
    const disturbance = toDisturbance(Math.round((timeoutSeconds * 1_000) / timeScale) + 200);
    return fc.record({
      intent: pick('create', 'create', 'create', 'create', 'attach', 'follow-up'),
      isWaiting: either(90, fc.constant(true), fc.constant(false)),
      timeScale: fc.constant(timeScale),
      timeoutSeconds: fc.constant(timeoutSeconds),
      pollSeconds: pick(1, 1, 1, 2, 5),
      transport: pick('http', 'http', 'https', 'proxy'),
      /** With TLS: the connections to reset in the handshake, and how long to hold the next one. */
      resets: either(30, between(1, 6), fc.constant(0)),
      heldMs: either(20, between(50, 1_500), fc.constant(0)),
      /** The proxy's responses to CONNECT, in order. */
      proxy: endingWith(badProxy, either(90, pick('tunnel'), pick('hang-up'))),
      /** How long the port refuses connections. */
      refusedMs: either(10, between(50, 600), fc.constant(0)),
      /**
       * The responses to create requests and follow-ups, and to polls. The last response repeats.
       */
      posts: endingWith(pick(...pauses), lastPost),
      gets: fc.tuple(onTheWay, lastGet).map(([early, last]) => [...early, last]),
      disturbances: either(75, upTo(2, disturbance), upTo(0, disturbance)),
      clockJump: sometimes(
        15,
        fc.record({
          afterMs: between(0, timeoutSeconds * 1_000),
          byMs: pick(
            3_600_000,
            -3_600_000,
            86_400_000,
            -86_400_000,
            315_360_000_000,
            -315_360_000_000,
          ),
        }),
      ),
      /** Trouble inside the process; see fault-inside.cjs. */
      inside: sometimes(
        8,
        fc
          .tuple(pick('throw', 'reject', 'throw-odd', 'reject-odd'), between(1, 4))
          .map(([trouble, request]) => `${trouble}:${request}`),
      ),
      outputFile: either(3, badFile, pick('file')),
      summaryFile: either(10, badFile, pick('file')),
    });
  });

/**
 * Returns the schedule of a seed: the inputs of one run and its faults. It can be stored as JSON.
 */
export function createSchedule(seed: number) {
  const [schedule] = fc.sample(schedules, { seed, numRuns: 1, unbiased: true });
  if (schedule === undefined) throw new Error('No schedule');
  return { seed, ...schedule };
}

export type Schedule = ReturnType<typeof createSchedule>;
