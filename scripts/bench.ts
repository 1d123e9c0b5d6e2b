import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { createRunFolder, toInputVariables } from '../__tests__/harness/action-environment.ts';
import { createAuthority } from '../__tests__/harness/certificates.ts';
import { startProcess } from '../__tests__/harness/process.ts';
import { CommandError, runCommand } from '../emulator/options.ts';
import { root } from './tools.ts';

const WARM_UP_RUNS = 2;
const RUNS = 41;
/** The target for Node 20, and for the Node that runners use now. */
const MAX_RATIO = process.version.startsWith('v20.') ? 1.38 : 1.33;
const TOKEN = 'ghs_token_of_the_benchmark_0001';

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
  // It never responds.
  const server = createServer(authority.issue(['localhost'])).on('tlsClientError', () => {});
  await once(server.listen(0), 'listening');
  try {
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    const subjects = listSubjects(url);
    const times = await measure(server, subjects, authorityFile);
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

/** Returns the reference, this action, and the clones of other actions. */
function listSubjects(url: string): Subject[] {
  const inputs = {
    prompt: 'Bring the documentation up to date.',
    'project-id': 'bench',
    'api-key': 'mint_key_of_the_benchmark_0001',
    'base-url': url,
    // Nothing is read from GitHub, as in the reference.
    reuse: 'never',
  };
  const own = join(root, 'dist', 'index.js');
  return [
    { name: "node's fetch", args: ['-e', `fetch('${url}')`], env: {} },
    { name: 'this action', args: [own], env: toInputVariables(inputs) },
    ...listOtherActions(url),
  ];
}

/** Returns actions that also start something at a server and wait, if BENCH_ACTIONS is set. */
function listOtherActions(url: string): Subject[] {
  const folder = process.env['BENCH_ACTIONS'];
  if (folder === undefined) {
    return [];
  }
  const remoteRun = {
    GITHUB_API_URL: url,
    INPUT_TOKEN: TOKEN,
    INPUT_OWNER: 'acme',
    INPUT_REPO: 'app',
    INPUT_RUN_ID: '1',
    INPUT_RUN_TIMEOUT_SECONDS: '300',
    INPUT_POLL_INTERVAL_MS: '5000',
  };
  const chat = {
    'INPUT_CODER-URL': url,
    'INPUT_CODER-TOKEN': TOKEN,
    'INPUT_GITHUB-TOKEN': TOKEN,
    'INPUT_GITHUB-URL': 'https://github.com/acme/app/issues/1',
    'INPUT_CHAT-PROMPT': 'Write it',
    'INPUT_COMMENT-ON-ISSUE': 'false',
    'INPUT_FORCE-NEW-CHAT': 'false',
    INPUT_WAIT: 'none',
    'INPUT_WAIT-TIMEOUT-SECONDS': '600',
  };
  const others = [
    {
      name: 'await-remote-run',
      args: [join(folder, 'await-remote-run/dist/index.mjs')],
      env: remoteRun,
    },
    {
      name: 'agents-chat-action',
      args: [join(folder, 'agents-chat-action/dist/index.js')],
      env: chat,
    },
  ];
  const missing = others.flatMap(({ args }) => args).filter((file) => !existsSync(file));
  if (missing.length > 0) {
    throw new CommandError(`BENCH_ACTIONS has no file ${missing.join(', ')}.`);
  }
  return others;
}

/**
 * Returns the median time of each subject. Runs them in turn, so that other load on the machine
 * affects all of them alike.
 */
async function measure(
  server: Server,
  subjects: readonly Subject[],
  authorityFile: string,
): Promise<number[]> {
  const times: number[][] = subjects.map(() => []);
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run += 1) {
    for (const [index, subject] of subjects.entries()) {
      const time = await measureOnce(server, subject, authorityFile);
      if (run >= WARM_UP_RUNS) {
        times[index]?.push(time);
      }
    }
  }
  return times.map((values) => values.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? Number.NaN);
}

/** Starts a process, and kills it when the first byte of its request has arrived. */
async function measureOnce(
  server: Server,
  { name, args, env }: Subject,
  authorityFile: string,
): Promise<number> {
  const folder = createRunFolder();
  const runner = {
    ...folder.files,
    PATH: process.env['PATH'],
    GITHUB_REPOSITORY: 'acme/app',
    NODE_EXTRA_CA_CERTS: authorityFile,
  };
  const firstByte = new Promise<number>((resolve) => {
    server.once('secureConnection', (socket) => {
      socket.on('error', () => {}).once('data', () => resolve(performance.now()));
    });
  });
  const options = { args, env: { ...runner, ...env }, cwd: folder.workspace };
  const { child, startedAtMs, ended } = startProcess(options);
  const first = await Promise.race([firstByte, ended]);
  child.kill('SIGKILL');
  const { stdout, stderr } = await ended;
  folder.remove();
  if (typeof first !== 'number') {
    throw new Error(`${name} sent no request:\n${stdout}${stderr}`);
  }
  return first - startedAtMs;
}
