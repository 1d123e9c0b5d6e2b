// Makes look-ups of names below `stuck.test` hang as with silent name servers: they end after a
// minute, and `process.exit` waits for them. `node --require ./stuck-lookup.cjs`.

const { promises } = require('node:dns');

const STUCK_MS = 60_000;
const { lookup } = promises;
const { getActiveResourcesInfo } = process;
let stuckUntilMs = 0;
let stuck = 0;

async function hang() {
  stuck += 1;
  stuckUntilMs = Date.now() + STUCK_MS;
  await new Promise((resolve) => {
    setTimeout(resolve, STUCK_MS);
  });
  stuck -= 1;
  throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), {
    code: 'EAI_AGAIN',
    syscall: 'getaddrinfo',
  });
}

promises.lookup = async (hostname, options) => {
  if (hostname.endsWith('.stuck.test')) return hang();
  return lookup(hostname, options);
};
process.getActiveResourcesInfo = () => [
  ...getActiveResourcesInfo.call(process),
  ...Array(stuck).fill('GetAddrInfoReqWrap'),
];
process.on('exit', () => {
  const leftMs = stuck === 0 ? 0 : stuckUntilMs - Date.now();
  if (leftMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leftMs);
});
