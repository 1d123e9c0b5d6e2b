// Makes time run faster in a process from outside: `node --require ./scaled-time.cjs` with TIME_SCALE=60 lets a
// minute pass in a second. TIME_JUMP=afterMs,byMs also sets the wall clock forward or back, once, afterMs scaled
// milliseconds after the start, and leaves the monotonic clock alone.
//
// Scaled: setTimeout, setInterval, node:timers, node:timers/promises, AbortSignal.timeout, Date,
// performance.now, process.hrtime, process.uptime. A delay becomes at least 1 ms of real time.
// Not scaled: timers inside node itself, such as socket.setTimeout, the time limits of node:http and node:net
// (trying another address after 250 ms), DNS, TCP; certificates are checked against the true date. What the other
// side of a connection measures is real time. Work does not run faster: at TIME_SCALE=60 the 100 ms that a TLS
// connection takes on a busy machine are 6 s, so tests in which time limits of seconds matter need a small scale.

const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers');
const timersPromises = require('node:timers/promises');
const { promisify } = require('node:util');

const scale = Number(process.env.TIME_SCALE ?? 1);
const [jumpAfterMs = Number.POSITIVE_INFINITY, jumpByMs = 0] = (process.env.TIME_JUMP ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number);

// Out of range, node itself turns a delay into 1 ms; that has to stay visible.
const shorten = (ms) => (ms > 0 && ms < 2 ** 31 ? Math.max(1, ms / scale) : ms);

function patchTimers() {
  const { setTimeout, setInterval } = timers;
  const patched = {
    setTimeout: (callback, ms, ...rest) => setTimeout(callback, shorten(ms), ...rest),
    setInterval: (callback, ms, ...rest) => setInterval(callback, shorten(ms), ...rest),
  };
  const promises = {
    setTimeout: timersPromises.setTimeout,
    setInterval: timersPromises.setInterval,
    wait: timersPromises.scheduler.wait.bind(timersPromises.scheduler),
  };
  timersPromises.setTimeout = (ms, ...rest) => promises.setTimeout(shorten(ms), ...rest);
  timersPromises.setInterval = (ms, ...rest) => promises.setInterval(shorten(ms), ...rest);
  Object.defineProperty(timersPromises.scheduler, 'wait', {
    value: (ms, options) => promises.wait(shorten(ms), options),
    configurable: true,
    writable: true,
  });
  Object.defineProperty(patched.setTimeout, promisify.custom, { get: () => timersPromises.setTimeout });
  Object.assign(timers, patched);
  Object.assign(globalThis, patched);

  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => timeout(ms > 0 ? Math.max(1, Math.round(ms / scale)) : ms);
}

function patchClocks() {
  const now = performance.now.bind(performance);
  const uptime = process.uptime.bind(process);
  const hrtimeBigint = process.hrtime.bigint;
  const startMs = now();
  const startUptime = uptime();
  const startHrtime = hrtimeBigint();
  const startWallMs = Date.now();

  const stretch = (value, start) => start + (value - start) * scale;
  const elapsedMs = () => (now() - startMs) * scale;
  const scaledHrtime = () => {
    const real = hrtimeBigint();
    return startHrtime + BigInt(Math.round(Number(real - startHrtime) * scale));
  };
  const wallMs = () => {
    const elapsed = elapsedMs();
    return Math.floor(startWallMs + elapsed + (elapsed >= jumpAfterMs ? jumpByMs : 0));
  };

  Object.defineProperty(performance, 'now', {
    value: () => stretch(now(), startMs),
    configurable: true,
    writable: true,
  });
  process.uptime = () => stretch(uptime(), startUptime);
  process.hrtime = (previous) => {
    const total = scaledHrtime();
    if (!previous) return [Number(total / 1_000_000_000n), Number(total % 1_000_000_000n)];
    const since = total - (BigInt(previous[0]) * 1_000_000_000n + BigInt(previous[1]));
    return [Number(since / 1_000_000_000n), Number(since % 1_000_000_000n)];
  };
  process.hrtime.bigint = scaledHrtime;

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
