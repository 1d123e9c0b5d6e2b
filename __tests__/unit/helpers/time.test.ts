import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ActionOptions, closeActions, runAction } from '../../helpers/action.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helpers-'));
});
afterEach(closeActions);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script in scaled time; its last line is JSON. */
async function runScaled(
  script: string,
  options: ActionOptions,
): Promise<{ value: unknown; realMs: number }> {
  const entry = join(folder, 'script.mjs');
  writeFileSync(entry, script);
  const { stdout, stderr, durationMs } = await runAction({ entry, applyDefaults: false, ...options }).ended;
  expect(stderr).toBe('');
  return { value: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), realMs: durationMs };
}

describe('scaled time', () => {
  it.each([
    ['setTimeout', 'await new Promise((resolve) => setTimeout(resolve, 30_000))'],
    ['setTimeout of node:timers', 'await new Promise((resolve) => timers.setTimeout(resolve, 30_000))'],
    ['a timer by name', 'await new Promise((resolve) => byName(resolve, 30_000))'],
    ['a promisified timer', 'await promisify(setTimeout)(30_000)'],
    ['node:timers/promises', 'await sleep(30_000)'],
    ['the scheduler', 'await scheduler.wait(30_000)'],
    ['AbortSignal.timeout', "await once(AbortSignal.timeout(30_000), 'abort')"],
    [
      'setInterval',
      'let n = 0; await new Promise((resolve) => { const timer = setInterval(() => { if (++n === 3) { clearInterval(timer); resolve(); } }, 10_000) })',
    ],
    ['an interval of promises', 'let n = 0; for await (const _ of every(10_000)) if (++n === 3) break'],
    [
      'a refreshed timer',
      'await new Promise((resolve) => { const timer = setTimeout(resolve, 20_000); setTimeout(() => timer.refresh(), 10_000) })',
    ],
  ])('%s', async (_title, wait) => {
    const { value, realMs } = await runScaled(
      `
      import { once } from 'node:events';
      import timers, { setTimeout as byName } from 'node:timers';
      import { scheduler, setInterval as every, setTimeout as sleep } from 'node:timers/promises';
      import { promisify } from 'node:util';
      const keepAlive = setInterval(() => {}, 1e8);
      const clocks = () => [
        Date.now(), new Date().getTime(), performance.now(), process.uptime() * 1000,
        Number(process.hrtime.bigint()) / 1e6, process.hrtime()[0] * 1000 + process.hrtime()[1] / 1e6,
      ];
      const before = clocks();
      ${wait};
      console.log(JSON.stringify(clocks().map((clock, index) => clock - before[index])));
      clearInterval(keepAlive);`,
      { timeScale: 100 },
    );
    expect(realMs).toBeLessThan(5_000);
    for (const elapsed of value as number[]) {
      expect(elapsed).toBeGreaterThanOrEqual(29_800);
      expect(elapsed).toBeLessThan(60_000);
    }
  });

  it('keeps what dates and timers otherwise do', async () => {
    const { value } = await runScaled(
      `
      const start = performance.now();
      const timer = setTimeout(() => {}, 2 ** 40);
      process.removeAllListeners('warning');
      const args = await new Promise((resolve) => setTimeout((...all) => resolve(all), 100, 'a', 'b'));
      clearTimeout(timer);
      const date = new Date('2026-01-02T03:04:05Z');
      class Sub extends Date {}
      console.log(JSON.stringify([
        args, date, date instanceof Date, date.constructor === Date, Date.UTC(2026, 0), typeof Date(),
        new Sub(0) instanceof Sub, process.hrtime(process.hrtime()).length, timer.hasRef(),
      ]));`,
      { timeScale: 100, env: { NODE_NO_WARNINGS: '1' } },
    );
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

  it('still fires a timer that is out of range at once, as node does', async () => {
    const { value } = await runScaled(
      `
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 2 ** 31));
      console.log(JSON.stringify(performance.now() - start));`,
      { timeScale: 100, env: { NODE_NO_WARNINGS: '1' } },
    );
    expect(value).toBeLessThan(10_000);
  });

  it('sets the wall clock and leaves the monotonic one', async () => {
    const { value } = await runScaled(
      `
      const before = [Date.now(), performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      console.log(JSON.stringify([Date.now() - before[0], performance.now() - before[1]]));`,
      { timeScale: 100, clockJump: { afterMs: 10_000, byMs: -86_400_000 } },
    );
    const [wall = 0, monotonic = 0] = value as number[];
    expect(wall - monotonic).toBeCloseTo(-86_400_000, -3);
    expect(monotonic).toBeLessThan(60_000);
  });

  it('scales the timers inside undici', async () => {
    const { value, realMs } = await runScaled(
      `
      import { createServer } from 'node:http';
      import { once } from 'node:events';
      import { request } from '${new URL('../../../node_modules/undici/index.js', import.meta.url).href}';
      const server = createServer(() => {});
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const code = await request('http://127.0.0.1:' + server.address().port, { headersTimeout: 30_000 })
        .catch((error) => error.code);
      console.log(JSON.stringify(code));
      process.exit();`,
      { timeScale: 100 },
    );
    expect(value).toBe('UND_ERR_HEADERS_TIMEOUT');
    expect(realMs).toBeLessThan(5_000);
  });
});
