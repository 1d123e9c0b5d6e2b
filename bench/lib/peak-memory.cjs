// Preloaded with --require: writes the peak of the resident memory, in kilobytes, to the file in
// PEAK_MEMORY_FILE when the process ends. On Linux from VmHWM: getrusage counts the parent's memory
// at the spawn, too.

const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  const peak =
    process.platform === 'linux'
      ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]
      : process.resourceUsage().maxRSS;
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(peak));
});
