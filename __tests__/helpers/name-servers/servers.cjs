// Starts two name servers with the behavior in NAME_SERVERS, silent over TCP, and a relay from
// 127.0.0.1:8443 to the Unix socket in RELAY_SOCKET. Prints a line when they listen. The kernel
// ends it with the process that it serves (see node.sh).

const { createSocket } = require('node:dgram');
const { connect, createServer } = require('node:net');

const behavior = process.env.NAME_SERVERS;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const TYPE_A = 1;

/**
 * Returns a response (RFC 1035, section 4): an error, or this machine for a question about IPv4.
 */
function toAnswer(question, code) {
  const nameEnd = question.indexOf(0, 12);
  const asked = question.subarray(12, nameEnd + 5);
  const hasAddress = code === 0 && question.readUInt16BE(nameEnd + 1) === TYPE_A;
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(hasAddress ? 1 : 0, 6);
  const record = Buffer.from('c00c00010001000000000004' + '7f000001', 'hex');
  return Buffer.concat([head, asked, ...(hasAddress ? [record] : [])]);
}

/** True for a name in the search domain of resolv.conf. */
const isSearched = (question) => question.includes('\x04corp\x04test\0');

let isLost = false;
const behaviors = {
  silent: () => {},
  lossy: (question, reply) => {
    if (isLost) reply(toAnswer(question, NXDOMAIN));
    isLost = true;
  },
  // Tells the client to ask about IPv6 again over TCP, where nothing answers.
  truncating: (question, reply) => {
    const answer = toAnswer(question, 0);
    if (answer.readUInt16BE(6) === 0) answer[2] |= 0x02;
    reply(answer);
  },
  // Silent only about names in the search domain.
  searching: (question, reply) => {
    if (!isSearched(question)) reply(toAnswer(question, 0));
  },
  slow: (question, reply) => setTimeout(() => reply(toAnswer(question, 0)), 1_500),
  failing: (question, reply) => reply(toAnswer(question, SERVFAIL)),
  empty: (question, reply) => reply(toAnswer(question, NXDOMAIN)),
  garbled: (question, reply) => {
    for (let size = 0; size < 40; size += 1) reply(Buffer.alloc(size, question));
  },
};

function listen(address) {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address: from }) => {
      behaviors[behavior](question, (answer) => socket.send(answer, port, from));
    });
    socket.bind(53, address, resolve);
  });
}

function listenOverTcp() {
  return new Promise((resolve) => createServer(() => {}).listen(53, resolve));
}

function relay() {
  const server = createServer((client) => {
    const target = connect(process.env.RELAY_SOCKET);
    client.pipe(target).pipe(client);
    for (const socket of [client, target]) socket.on('error', () => socket.destroy());
  });
  return new Promise((resolve) => server.listen(8443, '127.0.0.1', resolve));
}

Promise.all([listen('127.0.0.1'), listen('127.0.0.2'), listenOverTcp(), relay()]).then(() =>
  console.log('ready'),
);
