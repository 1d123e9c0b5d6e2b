import { existsSync } from 'node:fs';
import { UsageError } from '../../emulator/options.ts';

/**
 * The node binaries to measure on, by their names in tables: the one that runs this, and the one in
 * BENCH_NODE24. Throws a `UsageError` if that binary does not exist.
 */
export function listNodes(): { readonly name: string; readonly path: string }[] {
  const node24 = process.env['BENCH_NODE24'];
  if (node24 !== undefined && !existsSync(node24)) {
    throw new UsageError(`BENCH_NODE24 names no file: "${node24}".`);
  }
  return [
    { name: `Node ${process.versions.node.split('.')[0]}`, path: process.execPath },
    ...(node24 === undefined ? [] : [{ name: 'Node 24', path: node24 }]),
  ];
}
