// Preloaded into the action. At the end, it writes the peak memory to the file in PROBE_REPORT. It
// sends a message for each signal, and emits the signals that arrive as messages, since some can't
// be sent on this platform. It neither prints nor keeps the process alive.

const { writeFileSync } = require('node:fs');

const report = process.env.PROBE_REPORT;
const signals = ['SIGINT', 'SIGTERM', 'SIGBREAK'];

const { emit } = process;
process.emit = function (name, ...args) {
  const isHandled = emit.call(this, name, ...args);
  if (signals.includes(name) && process.connected) {
    process.send({ received: name }, () => {});
  }
  return isHandled;
};
process.on('exit', () => {
  writeFileSync(report, String(process.resourceUsage().maxRSS / 1024));
});
process.on('message', ({ signal }) => {
  process.emit(signal, signal);
});
// Otherwise, the run of a killed test would go on, and send its key to whoever listens on the port
// next.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();
