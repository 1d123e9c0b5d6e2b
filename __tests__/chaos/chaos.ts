import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Play, play } from './play.ts';
import { createSchedule, type Schedule } from './schedule.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
    parallel: { type: 'string', default: String(2 * availableParallelism()) },
    entry: { type: 'string' },
    replay: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const usage = `Plays random schedules of faults, signals, stops and clock jumps against the bundle.

  --runs <n>       number of schedules (default: 200)
  --seed <n>       first seed; the others count up from it (default: random)
  --parallel <n>   schedules at the same time (default: twice the processors)
  --replay <file>  plays one schedule from a JSON file and prints its log; '-' reads standard input
  --entry <file>   plays against another script than dist/index.js`;

/** Plays the schedules, some at a time, and returns how many broke a promise. */
async function playAll(schedules: Iterator<Schedule>): Promise<number> {
  const outcomes: Record<string, number> = {};
  let violations = 0;

  function report(schedule: Schedule, { outcome, violation, log, durationMs }: Play): void {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (values.replay !== undefined) console.log(`${log}${outcome} after ${Math.round(durationMs)} ms`);
    if (violation === undefined) return;
    violations += 1;
    console.log(`VIOLATION with seed ${schedule.seed} (${outcome}): ${violation}\n${log}`);
    console.log(`Play it again with --replay:\n${JSON.stringify(schedule)}`);
  }

  async function work(): Promise<void> {
    for (let next = schedules.next(); next.done !== true; next = schedules.next()) {
      report(next.value, await play(next.value, values.entry));
    }
  }

  await Promise.all(Array.from({ length: Math.max(1, Number(values.parallel)) }, work));
  console.log(`violations: ${violations}`, outcomes);
  return violations;
}

function* createSchedules(seed: number, count: number): Generator<Schedule> {
  for (let index = 0; index < count; index += 1) yield createSchedule(seed + index);
}

if (values.help) {
  console.log(usage);
} else if (values.replay !== undefined) {
  const schedule = JSON.parse(readFileSync(values.replay === '-' ? 0 : values.replay, 'utf8')) as Schedule;
  process.exitCode = (await playAll([schedule].values())) === 0 ? 0 : 1;
} else {
  const [seed, runs] = [Number(values.seed), Number(values.runs)];
  console.log(`${runs} runs from seed ${seed}, ${values.parallel} at a time`);
  process.exitCode = (await playAll(createSchedules(seed, runs))) === 0 ? 0 : 1;
}
