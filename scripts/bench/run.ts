import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRunFolder,
  projectRoot,
  toInputVariables,
} from '../../__tests__/harness/action-environment.ts';
import { createAuthority } from '../../__tests__/harness/certificates.ts';
import { startProcess } from '../../__tests__/harness/process.ts';
import { runCommand } from '../../emulator/options.ts';
import { type FirstByteServer, startFirstByteServer } from './first-byte-server.ts';
import { listOtherActions } from './other-actions.ts';

const WARM_UP_RUNS = 2;
const RUNS = 41;
/** The target for Node 20, and for the Node that runners use now. */
const MAX_RATIO = process.version.startsWith('v20.') ? 1.3 : 1.25;

const usage = `Measures the start of the bundle in dist/: the time from the start of the process to
the first byte of its first request, https at a host name, next to node's fetch. The target is
${MAX_RATIO} times that time.

Usage: npm run bench

Run \`npm run build\` first. To compare it with other actions, set BENCH_ACTIONS to a folder with
clones of Codex-/await-remote-run and coder/agents-chat-action.`;

/** A process that sends a request at its start. */
interface Subject {
  readonly name: string;
  /** The arguments of node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

await runCommand(usage, {}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const authority = createAuthority();
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, authority.cert);
  const server = await startFirstByteServer(authority.issue(['localhost']));
  const subjects = [listFetch(server.url), listOwn(server.url), ...listOtherActions(server.url)];
  try {
    const times = await measure(server, subjects, { NODE_EXTRA_CA_CERTS: authorityFile });
    const [reference = Number.NaN] = times;
    console.log(`${process.platform} ${process.arch}, ${cpus().length} cores, ${process.version}`);
    for (const [index, time] of times.entries()) {
      const ratio = (time / reference).toFixed(2);
      console.log(`${ratio}  ${time.toFixed(0).padStart(5)} ms  ${subjects[index]?.name}`);
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

function listFetch(url: string): Subject {
  return { name: "node's fetch", args: ['-e', `fetch('${url}')`], env: {} };
}

function listOwn(url: string): Subject {
  const inputs = {
    prompt: 'Bring the documentation up to date.',
    'project-id': 'bench',
    'api-key': 'mint_key_of_the_benchmark_0001',
    'base-url': url,
    // Nothing is read from GitHub, as in the reference.
    reuse: 'never',
  };
  return {
    name: 'this action',
    args: [join(projectRoot, 'dist', 'index.js')],
    env: toInputVariables(inputs),
  };
}

/**
 * Returns the median time of each subject. Runs them in turn, so that other load on the machine
 * affects all of them alike.
 */
async function measure(
  server: FirstByteServer,
  subjects: readonly Subject[],
  common: Readonly<Record<string, string>>,
): Promise<number[]> {
  const times: number[][] = subjects.map(() => []);
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run += 1) {
    for (const [index, subject] of subjects.entries()) {
      const time = await measureOnce(server, subject, common);
      if (run >= WARM_UP_RUNS) {
        times[index]?.push(time);
      }
    }
  }
  return times.map((values) => values.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? Number.NaN);
}

/** Starts a process, and kills it when the first byte of its request has arrived. */
async function measureOnce(
  server: FirstByteServer,
  { name, args, env }: Subject,
  common: Readonly<Record<string, string>>,
): Promise<number> {
  const folder = createRunFolder();
  const runner = { ...folder.files, PATH: process.env['PATH'], GITHUB_REPOSITORY: 'acme/app' };
  const firstByte = server.nextFirstByte();
  const { child, startedAtMs, ended } = startProcess({
    args,
    env: { ...runner, ...common, ...env },
    cwd: folder.workspace,
  });
  const first = await Promise.race([firstByte, ended]);
  child.kill('SIGKILL');
  const { stdout, stderr } = await ended;
  folder.remove();
  if (typeof first !== 'number') {
    throw new Error(`${name} sent no request:\n${stdout}${stderr}`);
  }
  return first - startedAtMs;
}
