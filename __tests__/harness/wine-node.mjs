// Runs a Windows node.exe under Wine like a node of this machine, so that tests can use it as
// ACTION_NODE. scripts/test-windows.ts writes a script for each version that calls it.  The streams
// of the program are files, because Windows has no Unix pipes. This script passes on their
// contents, and messages over a socket. Paths in arguments and variables become paths of drive Z:.
// Wine turns a SIGINT, sent here or requested by a message, into Ctrl+C.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const POLL_MS = 10;

/**
 * Runs node.exe with the arguments and variables of this process, passes on its streams, and ends
 * like it.
 */
export async function runInWine({ loader, prefix, nodeExe }) {
  const folder = mkdtempSync(join(tmpdir(), 'wine-streams-'));
  const streams = [1, 2].map((target) => openStream(folder, target));
  // Open files outlive their names, so no file is left even if this process is killed.
  rmSync(folder, { recursive: true });
  const control = createServer().listen(0, '127.0.0.1');
  await once(control, 'listening');

  const preload = fileURLToPath(new URL('wine-preload.cjs', import.meta.url));
  const args = ['--require', preload, ...process.argv.slice(2)].map(toWindowsPath);
  // The program ends with this process, even if this process is killed.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', loader, nodeExe, ...args], {
    env: {
      ...toWindowsVariables(process.env),
      PATH: process.env['PATH'],
      HOME: prefix,
      WINEPREFIX: prefix,
      WINEDEBUG: '-all',
      LC_ALL: 'C.UTF-8',
      WINE_CONTROL_PORT: String(control.address().port),
    },
    stdio: ['ignore', ...streams.map(({ file }) => file)],
  });
  passSignals(child, control);
  const timer = setInterval(() => {
    for (const stream of streams) {
      stream.passOn();
    }
  }, POLL_MS);
  const [code, signal] = await once(child, 'exit');
  clearInterval(timer);
  for (const stream of streams) {
    stream.passOn();
  }
  if (signal !== null) {
    writeSync(2, `Wine was ended by ${signal}\n`);
  }
  process.exit(code ?? 1);
}

const toWindowsPath = (text) => (text.startsWith('/') ? `Z:${text.replaceAll('/', '\\')}` : text);

/** Inputs don't change, because users don't write paths of this machine. */
function toWindowsVariables(variables) {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      name.startsWith('INPUT_') ? value : toWindowsPath(value),
    ]),
  );
}

/**
 * Creates a file for a stream of the program, and passes its contents on to the same stream of this
 * process.
 */
function openStream(folder, target) {
  const file = openSync(join(folder, String(target)), 'w+');
  const buffer = Buffer.alloc(64 * 1024);
  let position = 0;
  return {
    file,
    passOn() {
      for (let size = 1; size > 0; position += size) {
        size = readSync(file, buffer, 0, buffer.length, position);
        for (let sent = 0; sent < size; ) {
          sent += writeSync(target, buffer, sent, size - sent);
        }
      }
    },
  };
}

function passSignals(child, control) {
  const connection = once(control, 'connection').then(([socket]) => {
    // The program may end while it is being read.
    socket.on('error', () => {});
    createInterface(socket)
      .on('error', () => {})
      .on('line', (line) => process.send?.(JSON.parse(line), () => {}));
    return socket;
  });
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('message', (message) => {
    if (message.signal === 'SIGINT') {
      child.kill('SIGINT');
    } else {
      connection.then((socket) => socket.write(`${JSON.stringify(message)}\n`));
    }
  });
}
