// Preloaded into every action process: reports the peak of its memory at the end to the file in PROBE_REPORT, and
// emits the signals that arrive as messages, for those that cannot be sent on this platform. It neither prints nor
// keeps the process alive.

const { writeFileSync } = require('node:fs');

const report = process.env.PROBE_REPORT;

process.on('exit', () => {
  writeFileSync(report, String(process.resourceUsage().maxRSS / 1024));
});
process.on('message', ({ signal }) => {
  process.emit(signal, signal);
});
process.channel?.unref();
