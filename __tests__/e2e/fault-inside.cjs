// Preloaded into the action. Causes the failure in INSIDE, with the text in INSIDE_MESSAGE.
// `throw:2` throws outside of every handler a second after the second request was written,
// `throw:1:10000` ten seconds after the first, and `throw:outcome` once the outcome is in the output
// file, with a line in the log. `reject-odd:2` does the same with a promise and an odd value. The
// others patch node: With `no-sleep`, sleeps never settle.
// With `gone-socket`, each connection is destroyed before anything is written to it. With
// `full-log`, no write to standard output ends. With `old-node`, functions that came with Node 20
// are missing.

const diagnostics = require('node:diagnostics_channel');
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const timersPromises = require('node:timers/promises');

const [kind, count, delayMs = 1_000] = process.env.INSIDE.split(':');
const message = process.env.INSIDE_MESSAGE;
const never = () => new Promise(() => {});

function fail() {
  throw new Error(message);
}

const odd = {
  get message() {
    throw new Error(message);
  },
  toString: fail,
  [Symbol.toPrimitive]: fail,
};

const disasters = {
  throw: fail,
  'reject-odd': () => void Promise.reject(odd),
};

const patches = {
  'no-sleep': () => {
    timersPromises.setTimeout = never;
  },
  'full-log': () => {
    process.stdout._write = () => {};
  },
  'old-node': () => {
    delete String.prototype.isWellFormed;
    delete String.prototype.toWellFormed;
  },
  'gone-socket': () => {
    const { connect } = net.Socket.prototype;
    net.Socket.prototype.connect = function (...args) {
      this.once('connect', () => this.destroy());
      return connect.apply(this, args);
    };
  },
};

if (kind in patches) {
  patches[kind]();
  syncBuiltinESMExports();
} else if (count === 'outcome') {
  const timer = setInterval(() => {
    if (!fs.readFileSync(process.env.GITHUB_OUTPUT, 'utf8').includes('\njob-result<<')) {
      return;
    }
    clearInterval(timer);
    process.stdout.write('thrown after the outcome\n');
    disasters[kind]();
  }, 1);
} else {
  let requests = 0;
  diagnostics.subscribe('undici:client:sendHeaders', () => {
    requests += 1;
    if (requests === Number(count)) {
      setTimeout(disasters[kind], Number(delayMs));
    }
  });
}
