// Replaces the lookups of some host names in a process: `node --require ./fake-hosts.cjs` with
// FAKE_HOSTS={"api.example.test":"127.0.0.1","gone.test":"ENOTFOUND"}. A value is an IPv4 address
// or an error code.

const dns = require('node:dns');
const { isIP } = require('node:net');

const hosts = JSON.parse(process.env.FAKE_HOSTS ?? '{}');
const { lookup } = dns;

function toError(code, hostname) {
  const syscall = 'getaddrinfo';
  return Object.assign(new Error(`${syscall} ${code} ${hostname}`), { code, syscall, hostname });
}

dns.lookup = (hostname, options, callback) => {
  const answer = hosts[hostname];
  if (answer === undefined) {
    lookup(hostname, options, callback);
  } else if (isIP(answer)) {
    setImmediate(callback, null, [{ address: answer, family: 4 }]);
  } else {
    setImmediate(callback, toError(answer, hostname));
  }
};
