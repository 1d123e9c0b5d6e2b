// Replaces the look-ups of some host names in a process: `node --require ./fake-hosts.cjs` with
// FAKE_HOSTS={"api.example.test":"127.0.0.1","gone.test":"ENOTFOUND"}. A value is an IPv4 address or an error code.

const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');
const { isIP } = require('node:net');

const hosts = JSON.parse(process.env.FAKE_HOSTS ?? '{}');
const { lookup } = dns;

function toError(code, hostname) {
  const syscall = 'getaddrinfo';
  return Object.assign(new Error(`${syscall} ${code} ${hostname}`), { code, syscall, hostname });
}

dns.lookup = (hostname, options, callback = options) => {
  const answer = hosts[hostname];
  if (answer === undefined) return lookup(hostname, options, callback);
  process.nextTick(() => {
    if (!isIP(answer)) callback(toError(answer, hostname));
    else if (options.all) callback(null, [{ address: answer, family: 4 }]);
    else callback(null, answer, 4);
  });
  return {};
};
syncBuiltinESMExports();
