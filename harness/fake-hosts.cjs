// Replaces the look-ups of some host names in a process: `node --require ./fake-hosts.cjs` with
// FAKE_HOSTS={"api.example.test":"127.0.0.1","gone.test":"ENOTFOUND"}. A value is an IPv4 address
// or an error code.

const { promises } = require('node:dns');
const { isIP } = require('node:net');

const hosts = JSON.parse(process.env.FAKE_HOSTS ?? '{}');
const { lookup } = promises;

function toError(code, hostname) {
  const syscall = 'getaddrinfo';
  return Object.assign(new Error(`${syscall} ${code} ${hostname}`), { code, syscall, hostname });
}

promises.lookup = async (hostname, options) => {
  const answer = hosts[hostname];
  if (answer === undefined) return lookup(hostname, options);
  if (!isIP(answer)) throw toError(answer, hostname);
  return [{ address: answer, family: 4 }];
};
