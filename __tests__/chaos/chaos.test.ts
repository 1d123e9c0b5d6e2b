import { describe, expect, it } from 'vitest';
import { play } from './play.ts';
import { createSchedule } from './schedule.ts';

const RUNS = 8;
// Of the first 2,000 seeds, these eight in a row have most kinds of trouble in them.
const firstSeed = Number(process.env['CHAOS_SEED'] ?? 758);
const seeds = Array.from({ length: RUNS }, (_, index) => firstSeed + index);

describe.concurrent('random schedules of faults, signals, stops and clock jumps', () => {
  it.each(seeds)('CHAOS_SEED=%i', async (seed) => {
    const schedule = createSchedule(seed);
    const { violation, log } = await play(schedule);
    expect(violation, `${log}\n${JSON.stringify(schedule)}`).toBeUndefined();
  });
});

describe('schedules', () => {
  it('are determined by their seed and survive JSON', () => {
    const schedule = createSchedule(firstSeed);
    expect(createSchedule(firstSeed)).toEqual(schedule);
    expect(JSON.parse(JSON.stringify(schedule))).toEqual(schedule);
    expect(createSchedule(firstSeed + 1)).not.toEqual(schedule);
  });
});
