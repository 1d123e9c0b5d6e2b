// Preloaded into every action process. It reports the peak of its memory at the end to the file in PROBE_REPORT, and
// sends a message for each signal that arrives. It emits the signals that come as messages, for those that cannot be
// sent on this platform. It neither prints nor keeps the process alive.

const { writeFileSync } = require('node:fs');

const report = process.env.PROBE_REPORT;
const signals = ['SIGINT', 'SIGTERM', 'SIGBREAK'];

const { emit } = process;
process.emit = function (name, ...args) {
  const isHandled = emit.call(this, name, ...args);
  if (signals.includes(name) && process.connected) process.send({ received: name }, () => {});
  return isHandled;
};
process.on('exit', () => {
  writeFileSync(report, String(process.resourceUsage().maxRSS / 1024));
});
process.on('message', ({ signal }) => {
  process.emit(signal, signal);
});
process.channel?.unref();
