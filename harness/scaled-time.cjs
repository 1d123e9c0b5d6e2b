// Makes time run faster in a process from outside: `node --require ./scaled-time.cjs` with TIME_SCALE=60 lets a
// minute pass in a second. TIME_JUMP=afterMs,byMs also sets the wall clock forward or back, once, afterMs scaled
// milliseconds after the start. The monotonic clock doesn't jump.
//
// Scaled: setTimeout, node:timers/promises, AbortSignal.timeout, Date, and performance.now, which are the timers and
// clocks that the bundle uses. A delay takes at least 1 ms of real time.
// Not scaled: timers inside node itself, such as socket.setTimeout, the time limits of node:http and node:net
// (trying another address after 250 ms), DNS, and TCP. Node compares certificates with the true date. Servers in other
// processes measure real time. Work doesn't run faster: at TIME_SCALE=60, the 100 ms that a TLS connection takes on a
// busy machine are 6 s. Tests of time limits of a few seconds need a small scale.

const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers');
const timersPromises = require('node:timers/promises');
const { promisify } = require('node:util');

const scale = Number(process.env.TIME_SCALE ?? 1);
const [jumpAfterMs = Number.POSITIVE_INFINITY, jumpByMs = 0] = (process.env.TIME_JUMP ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number);

// Out of range, node itself turns a delay into 1 ms. That has to stay visible.
const shorten = (ms) => (ms > 0 && ms < 2 ** 31 ? Math.max(1, ms / scale) : ms);

function patchTimers() {
  const { setTimeout } = timers;
  const { setTimeout: sleep } = timersPromises;
  const patched = (callback, ms, ...rest) => setTimeout(callback, shorten(ms), ...rest);
  timersPromises.setTimeout = (ms, ...rest) => sleep(shorten(ms), ...rest);
  Object.defineProperty(patched, promisify.custom, { get: () => timersPromises.setTimeout });
  timers.setTimeout = patched;
  globalThis.setTimeout = patched;

  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => timeout(ms > 0 ? Math.max(1, Math.round(ms / scale)) : ms);
}

function patchClocks() {
  const now = performance.now.bind(performance);
  const startMs = now();
  const startWallMs = Date.now();
  const elapsedMs = () => (now() - startMs) * scale;
  const wallMs = () => {
    const elapsed = elapsedMs();
    return Math.floor(startWallMs + elapsed + (elapsed >= jumpAfterMs ? jumpByMs : 0));
  };

  Object.defineProperty(performance, 'now', {
    value: () => startMs + elapsedMs(),
    configurable: true,
    writable: true,
  });
  const RealDate = Date;
  RealDate.now = wallMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [wallMs()] : values, newTarget),
    apply: () => new RealDate(wallMs()).toString(),
  });
  RealDate.prototype.constructor = globalThis.Date;
}

patchTimers();
patchClocks();
syncBuiltinESMExports();
