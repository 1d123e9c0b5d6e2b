// Preloaded into a Windows node.exe that runs under Wine. It works around two gaps of Wine:
// keep-alive options before a connection, and channels for messages. wine-node.mjs passes on
// messages over a socket instead.

const net = require('node:net');
const { createInterface } = require('node:readline');

// Unlike Windows, Wine 8 refuses the option on a socket that is not connected yet.
net.Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};

const control = net.connect(Number(process.env.WINE_CONTROL_PORT), '127.0.0.1');
control.on('error', () => {});
createInterface(control).on('line', (line) => process.emit('message', JSON.parse(line)));
process.send = (message, done) => control.write(`${JSON.stringify(message)}\n`, done);
process.connected = true;
control.unref();
