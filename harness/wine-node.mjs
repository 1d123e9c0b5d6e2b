// Runs a Windows node.exe under Wine as if it were a node of this machine, so that the tests can take it for
// ACTION_NODE. A script of its own for each version calls it: see scripts/test-windows.ts.
//
// The streams of the program are files, since a Unix pipe is not one that Windows knows; what arrives in them is
// passed on. So are messages, over a socket. Paths in arguments and variables become those of drive Z:. A SIGINT that
// is sent here, or asked for by a message, becomes Ctrl+C, by Wine itself.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const POLL_MS = 10;

/** Runs node.exe with the arguments and variables of this process, passes its streams on, and ends as it ends. */
export async function runInWine({ loader, prefix, nodeExe }) {
  const folder = mkdtempSync(join(tmpdir(), 'wine-streams-'));
  const streams = [1, 2].map((target) => openStream(folder, target));
  // Open files outlive their names, so nothing is left even if this process is killed.
  rmSync(folder, { recursive: true });
  const control = createServer().listen(0, '127.0.0.1');
  await once(control, 'listening');

  const preload = fileURLToPath(new URL('wine-preload.cjs', import.meta.url));
  const args = ['--require', preload, ...process.argv.slice(2)].map(toWindowsPath);
  // The program dies with this process, also when that is killed.
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
    for (const stream of streams) stream.passOn();
  }, POLL_MS);
  const [code, signal] = await once(child, 'exit');
  clearInterval(timer);
  for (const stream of streams) stream.passOn();
  if (signal !== null) writeSync(2, `Wine was ended by ${signal}\n`);
  process.exit(code ?? 1);
}

const toWindowsPath = (text) => (text.startsWith('/') ? `Z:${text.replaceAll('/', '\\')}` : text);

/** Inputs stay as they are: what a user writes is no path of this machine. */
function toWindowsVariables(variables) {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      name.startsWith('INPUT_') ? value : toWindowsPath(value),
    ]),
  );
}

/** A file for a stream of the program; what it writes there is passed on to the same stream of this process. */
function openStream(folder, target) {
  const file = openSync(join(folder, String(target)), 'w+');
  const buffer = Buffer.alloc(64 * 1024);
  let position = 0;
  return {
    file,
    passOn() {
      for (let size = 1; size > 0; position += size) {
        size = readSync(file, buffer, 0, buffer.length, position);
        for (let sent = 0; sent < size; ) sent += writeSync(target, buffer, sent, size - sent);
      }
    },
  };
}

function passSignals(child, control) {
  const connection = once(control, 'connection').then(([socket]) => {
    socket.on('error', () => {});
    createInterface(socket).on('line', (line) => process.send?.(JSON.parse(line), () => {}));
    return socket;
  });
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('message', (message) => {
    if (message.signal === 'SIGINT') child.kill('SIGINT');
    else connection.then((socket) => socket.write(`${JSON.stringify(message)}\n`));
  });
}
