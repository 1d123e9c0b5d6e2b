// Preloaded into every action process: reports the peak of its memory at the end to the file in `?report=`, and
// emits the signals that arrive as messages, for those that cannot be sent on this platform. It neither prints nor
// keeps the process alive.

import { writeFileSync } from 'node:fs';

const report = new URL(import.meta.url).searchParams.get('report');

process.on('exit', () => {
  writeFileSync(report, String(process.resourceUsage().maxRSS / 1024));
});
process.on('message', ({ signal }) => {
  process.emit(signal, signal);
});
process.channel?.unref();
