import type { FileState } from '../helpers/action-environment.ts';
import type { ProxyMode } from '../helpers/servers.ts';
import { createRandom, type Random } from './random.ts';
import { type StepName, stepNames } from './steps.ts';

/** Something that is done to the process so many milliseconds of real time after its first line in the log. */
export type Disturbance =
  | { readonly atMs: number; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGBREAK' | 'SIGKILL' }
  | { readonly atMs: number; readonly stoppedMs: number };

/** One run and all that happens in it; as JSON it can be played again. */
export interface Schedule {
  readonly seed: number;
  readonly intent: 'create' | 'attach' | 'follow-up';
  readonly isWaiting: boolean;
  readonly timeScale: number;
  readonly timeoutSeconds: number;
  readonly pollSeconds: number;
  readonly transport: 'http' | 'https' | 'proxy';
  /** Connections that are reset in the TLS handshake, and the time for which the next one is held. */
  readonly resets: number;
  readonly heldMs: number;
  /** What the proxy does with one CONNECT after the other. */
  readonly proxy: readonly ProxyMode[];
  /** How long the port stays refused. */
  readonly refusedMs: number;
  /** What creates and follow-ups are met with, the last one forever; likewise gets. */
  readonly posts: readonly StepName[];
  readonly gets: readonly StepName[];
  readonly disturbances: readonly Disturbance[];
  readonly clockJump: { readonly afterMs: number; readonly byMs: number } | undefined;
  /** Trouble inside the process; see faults-inside.cjs. */
  readonly inside: string | undefined;
  readonly outputFile: FileState;
  readonly summaryFile: FileState;
}

const signals = ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGKILL'] as const;
const jumps = [3_600_000, 86_400_000, 315_360_000_000].flatMap((ms) => [ms, -ms]);
const badFiles: FileState[] = ['unset', 'missing', 'directory', 'read-only'];

/** The schedule that a seed stands for. */
export function createSchedule(seed: number): Schedule {
  const random = createRandom(seed);
  const timeScale = random.pick([8, 12, 16]);
  const timeoutSeconds = random.pick([4, 8, 16, 24]);
  const lastsMs = (timeoutSeconds * 1_000) / timeScale + 200;
  const transport = random.pick(['http', 'http', 'https', 'proxy'] as const);
  return {
    seed,
    intent: random.pick(['create', 'create', 'create', 'create', 'attach', 'follow-up'] as const),
    isWaiting: random.chance(0.9),
    timeScale,
    timeoutSeconds,
    pollSeconds: random.pick([1, 1, 1, 2, 5]),
    transport,
    resets: transport === 'https' && random.chance(0.3) ? random.between(1, 6) : 0,
    heldMs: transport === 'https' && random.chance(0.2) ? random.between(50, 1_500) : 0,
    proxy: toProxyModes(random),
    refusedMs: random.chance(0.1) ? random.between(50, 600) : 0,
    posts: [...random.list(stepNames.pauses, 0, random.chance(0.3) ? 3 : 0), toLastPost(random)],
    gets: toGets(random),
    disturbances: toDisturbances(random, lastsMs),
    clockJump: random.chance(0.15)
      ? { afterMs: random.between(0, timeoutSeconds * 1_000), byMs: random.pick(jumps) }
      : undefined,
    inside: random.chance(0.08)
      ? `${random.pick(['throw', 'reject', 'throw-odd', 'reject-odd'])}:${random.between(1, 4)}`
      : undefined,
    outputFile: random.chance(0.03) ? random.pick(badFiles) : 'file',
    summaryFile: random.chance(0.1) ? random.pick(badFiles) : 'file',
  };
}

function toLastPost(random: Random): StepName {
  if (random.chance(0.55)) return random.pick([...stepNames.records, ...stepNames.finals]);
  return random.pick(random.chance(0.7) ? stepNames.unproven : [...stepNames.refusals, ...stepNames.pauses]);
}

function toGets(random: Random): StepName[] {
  const { records, unproven, pauses, refusals, finals } = stepNames;
  const onTheWay = random.list(
    random.chance(0.4) ? records : [...records, ...records, ...records, ...unproven, ...pauses],
    0,
    6,
  );
  const last = random.chance(0.7) ? random.pick(finals) : random.pick([...records, ...unproven, ...refusals]);
  return [...onTheWay, last];
}

function toProxyModes(random: Random): ProxyMode[] {
  const bad = random.list<ProxyMode>(
    ['hang-up', 'silence', 403, 407, 502, 503, 504],
    0,
    random.chance(0.3) ? 3 : 0,
  );
  return random.chance(0.9) ? [...bad, 'tunnel'] : [...bad, 'hang-up'];
}

function toDisturbances(random: Random, lastsMs: number): Disturbance[] {
  const count = random.pick([0, 0, 0, 1, 1, 2]);
  return Array.from({ length: count }, () => {
    const atMs = random.between(0, random.chance(0.4) ? 80 : Math.round(lastsMs));
    return random.chance(0.5)
      ? { atMs, signal: random.pick(signals) }
      : { atMs, stoppedMs: random.between(20, Math.round(lastsMs * 1.2)) };
  });
}
