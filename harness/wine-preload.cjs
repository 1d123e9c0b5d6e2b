// Preloaded into a Windows node.exe that runs under Wine. It works around what Wine lacks: a way to set keep-alive
// early, and channels for messages, which are pipes of Unix; wine-node.mjs passes messages on over a socket instead.

const net = require('node:net');
const { createInterface } = require('node:readline');

// Wine 8 refuses the option on a socket that is not connected yet, where Windows takes it.
net.Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};

const control = net.connect(Number(process.env.WINE_CONTROL_PORT), '127.0.0.1');
control.on('error', () => {});
createInterface(control).on('line', (line) => process.emit('message', JSON.parse(line)));
process.send = (message, done) => control.write(`${JSON.stringify(message)}\n`, done);
process.connected = true;
control.unref();
