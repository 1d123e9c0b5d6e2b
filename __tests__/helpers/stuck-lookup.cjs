// Makes look-ups of names below `stuck.test` end only after a minute, whatever is done meanwhile: what a resolver does
// to getaddrinfo whose servers swallow every question. `node --require ./stuck-lookup.cjs`.

const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');

const STUCK_MS = 60_000;
const { lookup } = dns;

dns.lookup = (hostname, options, callback) => {
  if (!hostname.endsWith('.stuck.test')) return lookup(hostname, options, callback);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STUCK_MS);
  process.nextTick(() => callback(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' })));
  return {};
};
syncBuiltinESMExports();
