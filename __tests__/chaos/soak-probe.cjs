// Preloaded: with every 250th request that the process sends it collects garbage and appends a line of JSON to
// the file in SOAK_REPORT: heap and resident memory in MB, the resources that keep the process alive, and the
// listeners on the process and its signals.

const diagnostics = require('node:diagnostics_channel');
const { appendFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const toMb = (bytes) => Math.round((bytes / 1024 / 1024) * 100) / 100;
let requests = 0;

diagnostics.subscribe('undici:client:sendHeaders', () => {
  requests += 1;
  if (requests % 250 !== 0) return;
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo().length;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const sample = { requests, heapMb: toMb(heapUsed), rssMb: toMb(rss), resources, listeners };
  appendFileSync(process.env.SOAK_REPORT, `${JSON.stringify(sample)}\n`);
});
