import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runAction } from '../../helpers/action.ts';

/** Ways to wait for thirty seconds. */
const waits = {
  setTimeout: 'new Promise((resolve) => setTimeout(resolve, 30_000))',
  'setTimeout of node:timers': 'new Promise((resolve) => timers.setTimeout(resolve, 30_000))',
  'a timer by name': 'new Promise((resolve) => byName(resolve, 30_000))',
  'a promisified timer': 'promisify(setTimeout)(30_000)',
  'node:timers/promises': 'sleep(30_000)',
  'the scheduler': 'scheduler.wait(30_000)',
  'AbortSignal.timeout': "once(AbortSignal.timeout(30_000), 'abort')",
  setInterval:
    'new Promise((resolve) => { let n = 0; const timer = setInterval(() => { if (++n === 3) { clearInterval(timer); resolve(); } }, 10_000) })',
  'an interval of promises':
    '(async () => { let n = 0; for await (const _ of every(10_000)) if (++n === 3) break })()',
  'a refreshed timer':
    'new Promise((resolve) => { const timer = setTimeout(resolve, 20_000); setTimeout(() => timer.refresh(), 10_000) })',
};

/** Prints by how many milliseconds each clock went on during each wait, and during a timer that is out of range. */
const script = `
import { once } from 'node:events';
import timers, { setTimeout as byName } from 'node:timers';
import { scheduler, setInterval as every, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
const keepAlive = setInterval(() => {}, 1e8);
const clocks = () => [
  Date.now(), new Date().getTime(), performance.now(), process.uptime() * 1000,
  Number(process.hrtime.bigint()) / 1e6, process.hrtime()[0] * 1000 + process.hrtime()[1] / 1e6,
];
const measure = async (wait) => {
  const before = clocks();
  await wait();
  return clocks().map((clock, index) => clock - before[index]);
};
const tooLong = await measure(() => new Promise((resolve) => setTimeout(resolve, 2 ** 31)));
const waits = { ${Object.entries(waits).map(([name, wait]) => `'${name}': () => ${wait}`)} };
const elapsed = await Promise.all(Object.entries(waits).map(async ([name, wait]) => [name, await measure(wait)]));
console.log(JSON.stringify({ tooLong, elapsed }));
clearInterval(keepAlive);`;

it('a hundred times as fast, time passes for every wait and on every clock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'time-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, 'script.mjs');
  writeFileSync(entry, script);
  const env = { NODE_NO_WARNINGS: '1' };
  const { stdout, stderr, durationMs } = await runAction({ entry, timeScale: 100, env }).ended;
  expect(stderr).toBe('');
  expect(durationMs).toBeLessThan(20_000);
  const result: { tooLong: number[]; elapsed: [string, number[]][] } = JSON.parse(stdout);
  expect(result.elapsed.map(([name]) => name)).toEqual(Object.keys(waits));
  for (const [name, times] of result.elapsed) {
    expect(times, name).toHaveLength(6);
    expect(Math.min(...times), name).toBeGreaterThanOrEqual(29_800);
    expect(Math.max(...times), name).toBeLessThan(1_000_000);
  }
  // Node fires it at once, and that stays visible.
  expect(Math.max(...result.tooLong)).toBeLessThan(1_000_000);
});
