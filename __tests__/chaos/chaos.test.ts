import { describe, expect, it } from 'vitest';
import { play } from './play.ts';
import { createSchedule } from './schedule.ts';

// Among the first 2,000 seeds, these eight cover the most kinds of faults.
const firstSeed = Number(process.env['CHAOS_SEED'] ?? 758);
const seeds = Array.from({ length: 8 }, (_, index) => firstSeed + index);

describe.concurrent('a random schedule of faults, signals, stops, and clock jumps', () => {
  it.each(seeds)('keeps every promise with CHAOS_SEED=%i', async (seed) => {
    const schedule = createSchedule(seed);
    const { violation, log } = await play(schedule);
    expect(violation, `${log}\n${JSON.stringify(schedule)}`).toBeUndefined();
  });
});
