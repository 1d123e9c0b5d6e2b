// Preloaded with --require: collects garbage twice a second of real time, and measures the heap and
// the buffers. Writes the samples, in bytes, to the file in HEAP_SAMPLES_FILE when the process
// ends.

const { writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const samples = [];

setInterval(() => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  samples.push(heapUsed + external);
}, 500).unref();

process.on('exit', () => {
  writeFileSync(process.env.HEAP_SAMPLES_FILE, JSON.stringify(samples));
});
