import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRunFolder, projectRoot, toInputVariables } from '../harness/action-environment.ts';
import { createAuthority } from '../harness/certificates.ts';
import { startProcess } from '../harness/process.ts';
import { type FirstByteServer, startFirstByteServer } from './first-byte-server.ts';
import { type Measure, median, type Row } from './measure.ts';
import { listOtherActions } from './other-actions.ts';

const WARM_UP_RUNS = 2;
const QUICK_RUNS = 5;
const RUNS = 41;
/** The target for Node 20, and for the Node that runners use now. */
const MAX_RATIO = process.version.startsWith('v20.') ? 1.3 : 1.25;

/** A process that sends a request at its start. */
interface Subject {
  readonly name: string;
  /** The arguments of node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const start: Measure = {
  name: 'start',
  description: "time from the start of the process to its first request, next to node's fetch",
  async run(isQuick) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    const authority = createAuthority();
    const authorityFile = join(folder, 'authority.pem');
    writeFileSync(authorityFile, authority.cert);
    const server = await startFirstByteServer(authority.issue(['localhost']));
    try {
      const [reference, own, ...others] = await measure(
        server,
        [listFetch(server.url), listOwn(server.url), ...listOtherActions(server.url)],
        { NODE_EXTRA_CA_CERTS: authorityFile },
        isQuick ? QUICK_RUNS : RUNS,
      );
      if (reference === undefined || own === undefined) {
        throw new Error('nothing was measured');
      }
      return [
        { ...toRow(own, reference), limit: MAX_RATIO },
        ...others.map((other) => toRow(other, reference)),
      ];
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  },
};

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

interface Measured {
  readonly name: string;
  readonly times: readonly number[];
}

/** Runs the subjects in turn, so that other load on the machine affects all of them alike. */
async function measure(
  server: FirstByteServer,
  subjects: readonly Subject[],
  common: Readonly<Record<string, string>>,
  runs: number,
): Promise<Measured[]> {
  const measured = subjects.map(({ name }) => ({ name, times: [] as number[] }));
  for (let run = 0; run < WARM_UP_RUNS + runs; run += 1) {
    for (const [index, subject] of subjects.entries()) {
      const time = await measureOnce(server, subject, common);
      if (run >= WARM_UP_RUNS) {
        measured[index]?.times.push(time);
      }
    }
  }
  return measured;
}

/** Starts a process, and kills it when the first byte of its request has arrived. */
async function measureOnce(
  server: FirstByteServer,
  { name, args, env }: Subject,
  common: Readonly<Record<string, string>>,
): Promise<number> {
  const folder = createRunFolder({ GITHUB_OUTPUT: 'file', GITHUB_STEP_SUMMARY: 'file' });
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

function toRow({ name, times }: Measured, reference: Measured): Row {
  return {
    what: `start: ${name}, to the first byte of the first request, https at a host name`,
    value: median(times) / median(reference.times),
    unit: `× ${reference.name}`,
    note: `${median(times).toFixed(0)} ms, median of ${times.length}`,
  };
}
