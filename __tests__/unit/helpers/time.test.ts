import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const helper = fileURLToPath(new URL('../../../harness/scaled-time.cjs', import.meta.url));

/** Prints by how many milliseconds each clock goes on during a wait of 30 s, and during one that is out of range. */
const script = `
const { setTimeout: sleep } = require('node:timers/promises');
const clocks = () => [
  Date.now(), new Date().getTime(), performance.now(), process.uptime() * 1000,
  Number(process.hrtime.bigint()) / 1e6, process.hrtime()[0] * 1000 + process.hrtime()[1] / 1e6,
];
const measure = async (wait) => {
  const before = clocks();
  await wait();
  return clocks().map((clock, index) => clock - before[index]);
};
(async () => {
  const times = [await measure(() => sleep(30_000)), await measure(() => sleep(2 ** 31))];
  console.log(JSON.stringify(times));
})();`;

// A kind of timer that is not scaled shows in every end-to-end test: it takes too long.
it('a hundred times as fast, time passes on every clock', () => {
  const env = { TIME_SCALE: '100', NODE_NO_WARNINGS: '1' };
  const options = { env, timeout: 60_000 };
  const { stdout } = spawnSync(process.execPath, ['--require', helper, '--eval', script], options);
  const [halfMinute = [], tooLong = []]: number[][] = JSON.parse(String(stdout));
  expect(halfMinute).toHaveLength(6);
  expect(Math.min(...halfMinute)).toBeGreaterThanOrEqual(29_800);
  expect(Math.max(...halfMinute)).toBeLessThan(1_000_000);
  // Node fires it at once, and that stays visible.
  expect(Math.max(...tooLong)).toBeLessThan(1_000_000);
});
