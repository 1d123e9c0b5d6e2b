// Makes time run faster in a process from outside: `node --require ./scaled-time.cjs` with
// TIME_SCALE=60 lets a minute pass in a second. TIME_JUMP=afterMs,byMs also sets the wall clock
// forward or back, once, afterMs scaled milliseconds after the start. The monotonic clock doesn't
// jump.
//
// Scaled: setTimeout, node:timers/promises, Date.now, and performance.now, which are the timers and
// clocks that the bundle uses. A delay takes at least 1 ms of real time. Not scaled: timers inside
// node itself, such as socket.setTimeout, the time limits of node:http and node:net (trying another
// address after 250 ms), DNS, and TCP. Node compares certificates with the true date. Servers in
// other processes measure real time. Work doesn't run faster: at TIME_SCALE=60, the 100 ms that a
// TLS connection takes on a busy machine are 6 s. Tests of time limits of a few seconds need a
// small scale.

const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers');
const timersPromises = require('node:timers/promises');

const scale = Number(process.env.TIME_SCALE ?? 1);
const [jumpAfterMs = Number.POSITIVE_INFINITY, jumpByMs = 0] = (process.env.TIME_JUMP ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number);

const { setTimeout } = timers;
const { setTimeout: sleep } = timersPromises;
// Node itself turns a delay that is out of range into 1 ms. Keep that visible.
const shorten = (ms) => (ms > 0 && ms < 2 ** 31 ? Math.max(1, ms / scale) : ms);
timers.setTimeout = (callback, ms, ...rest) => setTimeout(callback, shorten(ms), ...rest);
globalThis.setTimeout = timers.setTimeout;
timersPromises.setTimeout = (ms, ...rest) => sleep(shorten(ms), ...rest);

const now = performance.now.bind(performance);
const startMs = now();
const startWallMs = Date.now();
const elapsedMs = () => (now() - startMs) * scale;
Object.defineProperty(performance, 'now', {
  value: () => startMs + elapsedMs(),
  configurable: true,
  writable: true,
});
Date.now = () => {
  const elapsed = elapsedMs();
  return Math.floor(startWallMs + elapsed + (elapsed >= jumpAfterMs ? jumpByMs : 0));
};

syncBuiltinESMExports();
