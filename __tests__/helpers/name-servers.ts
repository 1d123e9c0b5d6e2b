import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ActionOptions } from '../../harness/action.ts';
import { closeAtEnd } from '../../harness/at-end.ts';

const node = fileURLToPath(new URL('./name-servers/node.sh', import.meta.url));

/** The behavior of the name servers (name-servers/servers.cjs). */
export type NameServers =
  | 'silent'
  | 'lossy'
  | 'slow'
  | 'truncating'
  | 'searching'
  | 'failing'
  | 'empty'
  | 'garbled';

/**
 * Returns options to run the action in its own namespaces, where it can reach only these name
 * servers.
 */
export function withNameServers(nameServers: NameServers, relaySocket = ''): ActionOptions {
  return {
    node,
    env: {
      NODE_BINARY: process.env['ACTION_NODE'] ?? process.execPath,
      NAME_SERVERS: nameServers,
      RELAY_SOCKET: relaySocket,
    },
  };
}

/**
 * Returns whether a process can have its own namespaces: on Linux with `unshare`, `ip`, and the
 * permission.
 */
export function hasNamespaces(): boolean {
  if (process.platform !== 'linux') return false;
  const { env } = withNameServers('empty');
  const { status } = spawnSync(node, ['--eval', ''], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  return status === 0;
}

/** Creates a Unix socket that leads out of the namespaces to a port of this machine. */
export async function relayTo(port: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const path = join(folder, 'socket');
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    client.pipe(target).pipe(client);
    for (const socket of [client, target]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  closeAtEnd(async () => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return path;
}
