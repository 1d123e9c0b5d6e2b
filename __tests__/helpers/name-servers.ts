import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ActionOptions } from '../../harness/action.ts';
import { closeAtEnd } from '../../harness/at-end.ts';

const node = fileURLToPath(new URL('./name-servers/node.sh', import.meta.url));

/** How the name servers answer; see name-servers/servers.cjs. */
export type NameServers = 'silent' | 'slow' | 'failing' | 'ignorant' | 'babbling';

/** What makes the action run in namespaces of its own, in which nothing but these name servers can be reached. */
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

/** Whether this machine lets a process have namespaces of its own: Linux, with `unshare`, `ip` and the right to. */
export function hasNamespaces(): boolean {
  if (process.platform !== 'linux') return false;
  const { env } = withNameServers('ignorant');
  const { status } = spawnSync(node, ['--eval', ''], { env: { ...process.env, ...env }, stdio: 'ignore' });
  return status === 0;
}

/** A Unix socket that leads to a port of this machine: the way out of the namespaces. */
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
