import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActionOptions, runAction } from '../../helpers/action.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helpers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script with time a hundred times as fast; its last line is JSON. */
async function runScaled(
  script: string,
  options: ActionOptions = {},
): Promise<{ value: unknown; realMs: number }> {
  const entry = join(folder, 'script.mjs');
  writeFileSync(entry, script);
  const env = { NODE_NO_WARNINGS: '1' };
  const { stdout, stderr, durationMs } = await runAction({ entry, timeScale: 100, env, ...options }).ended;
  expect(stderr).toBe('');
  return { value: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), realMs: durationMs };
}

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

describe('scaled time', () => {
  let elapsed: Record<string, number[]> = {};
  let realMs = 0;
  beforeAll(async () => {
    const list = Object.entries(waits).map(([name, wait]) => `${JSON.stringify(name)}: () => ${wait}`);
    const result = await runScaled(`
      import { once } from 'node:events';
      import timers, { setTimeout as byName } from 'node:timers';
      import { scheduler, setInterval as every, setTimeout as sleep } from 'node:timers/promises';
      import { promisify } from 'node:util';
      const keepAlive = setInterval(() => {}, 1e8);
      const clocks = () => [
        Date.now(), new Date().getTime(), performance.now(), process.uptime() * 1000,
        Number(process.hrtime.bigint()) / 1e6, process.hrtime()[0] * 1000 + process.hrtime()[1] / 1e6,
      ];
      const waits = { ${list.join(',\n')} };
      const elapsed = await Promise.all(Object.entries(waits).map(async ([name, wait]) => {
        const before = clocks();
        await wait();
        return [name, clocks().map((clock, index) => clock - before[index])];
      }));
      console.log(JSON.stringify(Object.fromEntries(elapsed)));
      clearInterval(keepAlive);`);
    elapsed = result.value as typeof elapsed;
    realMs = result.realMs;
  });

  it.each(Object.keys(waits))('%s', (name) => {
    expect(realMs).toBeLessThan(20_000);
    expect(elapsed[name]).toHaveLength(6);
    for (const ms of elapsed[name] ?? []) {
      expect(ms).toBeGreaterThanOrEqual(29_800);
      expect(ms).toBeLessThan(1_000_000);
    }
  });

  it('keeps what dates and timers otherwise do', async () => {
    const { value } = await runScaled(`
      const timer = setTimeout(() => {}, 2 ** 40);
      const args = await new Promise((resolve) => setTimeout((...all) => resolve(all), 100, 'a', 'b'));
      clearTimeout(timer);
      const date = new Date('2026-01-02T03:04:05Z');
      class Sub extends Date {}
      console.log(JSON.stringify([
        args, date, date instanceof Date, date.constructor === Date, Date.UTC(2026, 0), typeof Date(),
        new Sub(0) instanceof Sub, process.hrtime(process.hrtime()).length, timer.hasRef(),
      ]));`);
    expect(value).toEqual([
      ['a', 'b'],
      '2026-01-02T03:04:05.000Z',
      true,
      true,
      Date.UTC(2026, 0),
      'string',
      true,
      2,
      true,
    ]);
  });

  it('fires a timer that is out of range at once, as node does', async () => {
    const { value } = await runScaled(`
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 2 ** 31));
      console.log(JSON.stringify(performance.now() - start));`);
    expect(value).toBeLessThan(1_000_000);
  });

  it('sets the wall clock and leaves the monotonic one', async () => {
    const { value } = await runScaled(
      `
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      console.log(JSON.stringify([Date.now() - performance.timeOrigin, performance.now()]));`,
      { clockJump: { afterMs: 10_000, byMs: -86_400_000 } },
    );
    const [wall = 0, monotonic = 0] = value as number[];
    expect(wall - monotonic).toBeCloseTo(-86_400_000, -3);
    expect(monotonic).toBeLessThan(1_000_000);
  });

  it('scales the timers inside undici', async () => {
    const { value, realMs } = await runScaled(`
      import { createServer } from 'node:http';
      import { once } from 'node:events';
      import { request } from '${new URL('../../../node_modules/undici/index.js', import.meta.url).href}';
      const server = createServer(() => {});
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const code = await request('http://127.0.0.1:' + server.address().port, { headersTimeout: 30_000 })
        .catch((error) => error.code);
      console.log(JSON.stringify(code));
      process.exit();`);
    expect(value).toBe('UND_ERR_HEADERS_TIMEOUT');
    expect(realMs).toBeLessThan(20_000);
  });
});
