import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../harness/action-environment.ts';
import { startProcess } from '../../harness/process.ts';

export interface WholeBundle {
  readonly path: string;
  remove(): Promise<void>;
}

/** Bundles `whole-packages.mjs` as the action is bundled, into a temporary folder. */
export async function createWholeBundle(): Promise<WholeBundle> {
  const folder = await mkdtemp(join(tmpdir(), 'whole-bundle-'));
  const ncc = join(projectRoot, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
  const entry = fileURLToPath(new URL('whole-packages.mjs', import.meta.url));
  const { exitCode, stderr } = await startProcess({
    args: [ncc, 'build', entry, '--out', folder, '--no-cache', '--quiet'],
    env: process.env,
    cwd: projectRoot,
    timeoutMs: 300_000,
  }).ended;
  if (exitCode !== 0) {
    throw new Error(`the reference could not be bundled:\n${stderr}`);
  }
  return { path: join(folder, 'index.mjs'), remove: () => rm(folder, { recursive: true }) };
}
