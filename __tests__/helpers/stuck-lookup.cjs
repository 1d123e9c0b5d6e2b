// Makes look-ups of names below `stuck.test` hang as with silent name servers: They end after a minute, and
// `process.exit` waits for them. `node --require ./stuck-lookup.cjs`.

const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');

const STUCK_MS = 60_000;
const { lookup } = dns;
const { getActiveResourcesInfo } = process;
let stuckUntilMs = 0;
let stuck = 0;

dns.lookup = (hostname, options, callback) => {
  if (!hostname.endsWith('.stuck.test')) return lookup(hostname, options, callback);
  stuck += 1;
  stuckUntilMs = Date.now() + STUCK_MS;
  setTimeout(() => {
    stuck -= 1;
    callback(
      Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }),
    );
  }, STUCK_MS);
  return {};
};
process.getActiveResourcesInfo = () => [
  ...getActiveResourcesInfo.call(process),
  ...Array(stuck).fill('GetAddrInfoReqWrap'),
];
process.on('exit', () => {
  const leftMs = stuck === 0 ? 0 : stuckUntilMs - Date.now();
  if (leftMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leftMs);
});
syncBuiltinESMExports();
