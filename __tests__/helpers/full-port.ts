import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const SCRIPT = `
const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
  process.stdout.write(String(server.address().port), () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
});`;
const MAX_SOCKETS = 50;
const CONNECT_MS = 500;

/**
 * Returns a port that does not answer connection attempts, or undefined if this system refuses
 * them. The queue of its listener is full, so the kernel drops each SYN.
 */
export async function createFullPort() {
  const child = spawn(process.execPath, ['--eval', SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = await once(child.stdout, 'data');
  const port = Number(String(text));
  const sockets: Socket[] = [];
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  };
  while (sockets.length < MAX_SOCKETS) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket.on('error', () => {}));
    if (!(await isConnected(socket))) return { port: socket.destroyed ? undefined : port, close };
  }
  return { port: undefined, close };
}

function isConnected(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CONNECT_MS);
    const end = (isReady: boolean): void => {
      clearTimeout(timer);
      resolve(isReady);
    };
    socket.once('connect', () => end(true)).once('close', () => end(false));
  });
}
