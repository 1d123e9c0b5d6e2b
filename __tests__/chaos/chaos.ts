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
    log: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const usage = `Plays random schedules of faults, signals, stops and clock jumps against the bundle.

  --runs <n>       how many (default 200)
  --seed <n>       of the first; the next ones count up (default: random, and printed)
  --parallel <n>   at the same time (default: twice the processors)
  --replay <file>  plays one schedule from a JSON file instead; '-' reads standard input
  --entry <file>   another script than dist/index.js
  --log            prints the log of every run`;

/** Plays the schedules, some at a time, and gives how many violated an invariant. */
async function playAll(schedules: Iterator<Schedule>, total: number): Promise<number> {
  const outcomes: Record<string, number> = {};
  const startMs = performance.now();
  let done = 0;
  let violations = 0;

  function report(schedule: Schedule, { outcome, violation, log, durationMs }: Play): void {
    done += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (values.log)
      console.log(`--- seed ${schedule.seed}, ${outcome}, ${Math.round(durationMs)} ms\n${log}`);
    if (violation !== undefined) {
      violations += 1;
      console.log(`VIOLATION with seed ${schedule.seed} (${outcome}): ${violation}\n${log}`);
      console.log(`To play it again, with --replay:\n${JSON.stringify(schedule)}`);
    }
    if (done % 50 === 0 || done === total) {
      const seconds = Math.round((performance.now() - startMs) / 1000);
      const list = Object.entries(outcomes).sort(([, a], [, b]) => b - a);
      const counts = list.map(([name, count]) => `${name} ${count}`).join(', ');
      console.log(`${done}/${total} in ${seconds} s, violations: ${violations} | ${counts}`);
    }
  }

  async function work(): Promise<void> {
    for (let next = schedules.next(); next.done !== true; next = schedules.next()) {
      report(next.value, await play(next.value, values.entry));
    }
  }

  await Promise.all(Array.from({ length: Math.max(1, Number(values.parallel)) }, work));
  return violations;
}

function* createSchedules(seed: number, count: number): Generator<Schedule> {
  for (let index = 0; index < count; index += 1) yield createSchedule(seed + index);
}

if (values.help) {
  console.log(usage);
} else if (values.replay !== undefined) {
  const schedule = JSON.parse(readFileSync(values.replay === '-' ? 0 : values.replay, 'utf8')) as Schedule;
  process.exitCode = (await playAll([schedule].values(), 1)) === 0 ? 0 : 1;
} else {
  const [seed, runs] = [Number(values.seed), Number(values.runs)];
  console.log(`${runs} runs from seed ${seed}, ${values.parallel} at a time`);
  process.exitCode = (await playAll(createSchedules(seed, runs), runs)) === 0 ? 0 : 1;
}
