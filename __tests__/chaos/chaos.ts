import { availableParallelism } from 'node:os';
import { parseCount, parseOptions, runCommand } from '../../emulator/options.ts';
import { type Play, play } from './play.ts';
import { createSchedule, type Schedule } from './schedule.ts';

const PROGRESS_MS = 10_000;

const usage = `Plays random schedules of faults, signals, stops and clock jumps against the bundle.

Usage: npm run chaos -- [options]

  --runs <n>      number of schedules (default: 200)
  --seed <n>      first seed; the others count up from it (default: random)
  --parallel <n>  schedules at the same time (default: twice the processors)
  --help          show this text`;

/** Plays the schedules, several at a time, and returns how many broke a promise. */
async function playAll(schedules: readonly Schedule[], parallel: number): Promise<number> {
  const outcomes: Record<string, number> = {};
  let violations = 0;
  let played = 0;

  function report(schedule: Schedule, { outcome, violation, log }: Play): void {
    played += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (violation === undefined) return;
    violations += 1;
    console.log(`VIOLATION with seed ${schedule.seed} (${outcome}): ${violation}\n${log}`);
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

await runCommand(async () => {
  const { values } = parseOptions({
    options: {
      runs: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
      parallel: { type: 'string', default: String(2 * availableParallelism()) },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const runs = parseCount('--runs', values.runs, 1);
  const seed = parseCount('--seed', values.seed, 0);
  const parallel = parseCount('--parallel', values.parallel, 1);
  const schedules = Array.from({ length: runs }, (_, index) => createSchedule(seed + index));
  console.log(`${runs} runs from seed ${seed}, ${parallel} at a time`);
  const violations = await playAll(schedules, parallel);
  process.exitCode = violations === 0 ? 0 : 1;
});
