import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseCount, parseOptions, runCommand, UsageError } from '../../emulator/options.ts';
import { type Play, play } from './play.ts';
import { createSchedule, type Schedule } from './schedule.ts';

const PROGRESS_MS = 10_000;

const usage = `Plays random schedules of faults, signals, stops and clock jumps against the bundle.

Usage: npm run chaos -- [options]

  --runs <n>       number of schedules (default: 200)
  --seed <n>       first seed; the others count up from it (default: random)
  --parallel <n>   schedules at the same time (default: twice the processors)
  --replay <file>  plays one schedule from a JSON file and prints its log; '-' reads standard input
  --help           show this text`;

interface Options {
  readonly parallel: number;
  readonly isReplay: boolean;
}

/** Plays the schedules, several at a time, and returns how many broke a promise. */
async function playAll(schedules: readonly Schedule[], { parallel, isReplay }: Options): Promise<number> {
  const outcomes: Record<string, number> = {};
  let violations = 0;
  let played = 0;

  function report(schedule: Schedule, { outcome, violation, log, durationMs }: Play): void {
    played += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (isReplay) console.log(`${log}${outcome} after ${Math.round(durationMs)} ms`);
    if (violation === undefined) return;
    violations += 1;
    console.log(`VIOLATION with seed ${schedule.seed} (${outcome}): ${violation}\n${log}`);
    console.log(`Play it again with --replay:\n${JSON.stringify(schedule)}`);
  }

  const left = schedules.values();
  async function work(): Promise<void> {
    for (const schedule of left) report(schedule, await play(schedule));
  }

  const progress = setInterval(
    () => console.error(`${played} of ${schedules.length} played, violations: ${violations}`),
    PROGRESS_MS,
  );
  await Promise.all(Array.from({ length: parallel }, work)).finally(() => clearInterval(progress));
  console.log(`played: ${played}, violations: ${violations}`, outcomes);
  return violations;
}

function readSchedule(file: string): Schedule {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as Schedule;
  } catch (error) {
    throw new UsageError(`--replay needs a file with a schedule in JSON: ${error}`);
  }
}

await runCommand(async () => {
  const { values } = parseOptions({
    options: {
      runs: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
      parallel: { type: 'string', default: String(2 * availableParallelism()) },
      replay: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const { replay } = values;
  const runs = parseCount('--runs', values.runs, 1);
  const seed = parseCount('--seed', values.seed, 0);
  const parallel = parseCount('--parallel', values.parallel, 1);
  const schedules =
    replay === undefined
      ? Array.from({ length: runs }, (_, index) => createSchedule(seed + index))
      : [readSchedule(replay)];
  if (replay === undefined) console.log(`${runs} runs from seed ${seed}, ${parallel} at a time`);
  const violations = await playAll(schedules, { parallel, isReplay: replay !== undefined });
  process.exitCode = violations === 0 ? 0 : 1;
});
