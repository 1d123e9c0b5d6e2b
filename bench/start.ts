import { lookup } from 'node:dns/promises';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../emulator/options.ts';
import { createAuthority } from '../harness/certificates.ts';
import { type Ended, startProcess } from '../harness/process.ts';
import { bundlePath, expectPass, startAction } from './lib/action.ts';
import { type GitHubApi, startGitHubApi } from './lib/github-api.ts';
import type { Measure, Row } from './lib/measure.ts';
import { listNodes } from './lib/nodes.ts';
import { listOtherActions, type OtherAction } from './lib/other-actions.ts';
import { createRawServer, type RawServer } from './lib/raw-server.ts';
import { median, toRatioRange } from './lib/statistics.ts';
import { createWholeBundle } from './lib/whole-bundle.ts';

const WARM_UP_RUNS = 2;
const GITHUB_DELAY_MS = 200;
let runId = 1_000;
const REFERENCE = "node -e 'fetch(url)'";

/** A bundle that starts a job, and its name in the table. */
interface Bundle {
  readonly name: string;
  readonly entry: string;
  /** Where it first records the job. By default, nowhere. */
  readonly github?: GitHubApi;
}

/** The node of the processes, and their server. */
interface Place {
  readonly server: RawServer;
  /** Certificate of the server's authority, if it uses TLS. */
  readonly authority: string | undefined;
  readonly github: GitHubApi;
  readonly node: string;
}

/** A process that is measured. */
interface Subject {
  readonly startedAtMs: number;
  readonly ended: Promise<Pick<Ended, 'exitedAtMs'>>;
}

/** Milliseconds from the spawn of one process. */
interface Sample {
  readonly connectionMs: number;
  readonly firstByteMs: number;
  readonly exitMs: number;
}

export const start: Measure = {
  name: 'start',
  description: 'process spawn to first byte of the create request, against node with fetch',
  async run({ isQuick }) {
    const runs = isQuick ? 9 : 41;
    const other = readOtherBundle();
    const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
    const authorityFile = join(folder, 'authority.pem');
    const authority = createAuthority();
    writeFileSync(authorityFile, authority.cert);
    const name = hostname();
    const secure = (await isHere(name))
      ? await createRawServer({ name, tls: authority.issue([name]) })
      : undefined;
    const plain = await createRawServer();
    const github = await startGitHubApi();
    const whole = await createWholeBundle();
    const slowGitHub = await startGitHubApi(GITHUB_DELAY_MS);
    const own: Bundle = { name: 'this action', entry: bundlePath };
    const recording: Bundle = {
      name: 'this action with a record',
      entry: bundlePath,
      github: slowGitHub,
    };
    const bundles = [
      own,
      { name: 'one create request, the same packages imported whole', entry: whole.path },
      ...other,
      ...listOtherActions(),
    ];
    try {
      const rows: Row[] = [];
      for (const { name: nodeName, path: node } of listNodes()) {
        if (secure !== undefined) {
          const place = { server: secure, authority: authorityFile, github, node };
          const subjects = [own, ...other, recording];
          const [reference = [], ...samples] = await sampleInTurn(place, subjects, runs);
          for (const [index, bundle] of [own, ...other].entries()) {
            rows.push(
              toRow(
                `${nodeName}: spawn to first connection, https at a host name`,
                bundle,
                samples[index],
                reference,
                'connectionMs',
                1.25,
              ),
              toRow(
                `${nodeName}: spawn to first byte of the create request, https at a host name`,
                bundle,
                samples[index],
                reference,
                'firstByteMs',
              ),
            );
          }
          const title = `${nodeName}: spawn to %s, https at a host name, GitHub takes ${GITHUB_DELAY_MS} ms`;
          for (const [what, time] of [
            ['first connection', 'connectionMs'],
            ['first byte of the create request', 'firstByteMs'],
          ] as const) {
            const row = toRow(
              title.replace('%s', what),
              recording,
              samples.at(-1),
              samples[0] ?? [],
              time,
            );
            rows.push({ ...row, reference: 'the same without a record' });
          }
        }
        const place = { server: plain, authority: undefined, github, node };
        const [reference = [], ...samples] = await sampleInTurn(place, bundles, runs);
        const limit = nodeName === 'Node 20' ? 1.45 : 1.25;
        for (const [index, bundle] of bundles.entries()) {
          rows.push(
            toRow(
              `${nodeName}: spawn to first byte of the create request, http at an address`,
              bundle,
              samples[index],
              reference,
              'firstByteMs',
              limit,
            ),
          );
        }
        rows.push(
          toRow(
            `${nodeName}: spawn to exit, http at an address, job final at the first poll`,
            own,
            samples[0],
            reference,
            'exitMs',
          ),
        );
      }
      return { rows };
    } finally {
      await whole.remove();
      plain.close();
      secure?.close();
      await Promise.all([github.close(), slowGitHub.close()]);
      rmSync(folder, { recursive: true });
    }
  },
};

/** True if the machine's own name resolves to itself, as with most hosts files. */
async function isHere(name: string): Promise<boolean> {
  const address = await lookup(name).catch(() => undefined);
  return address?.address.startsWith('127.') === true || address?.address === '::1';
}

function toRow(
  measure: string,
  bundle: Bundle | OtherAction,
  samples: readonly Sample[] | undefined,
  reference: readonly Sample[],
  time: keyof Sample,
  limit?: number,
): Row {
  const isOwn = bundle.entry === bundlePath;
  return {
    measure: `start, ${measure}; ${bundle.name}`,
    ...compare(samples ?? [], reference, time),
    ...(limit === undefined || !isOwn ? {} : { limit }),
  };
}

/** Another bundle to compare with the committed one. */
function readOtherBundle(): Bundle[] {
  const entry = process.env['BENCH_ENTRY'];
  if (entry === undefined) {
    return [];
  }
  if (!existsSync(entry)) {
    throw new UsageError(`BENCH_ENTRY names no file: "${entry}".`);
  }
  return [{ name: 'the bundle in BENCH_ENTRY', entry }];
}

/**
 * Runs the reference and the bundles in turn, so that other load on the machine affects all of them
 * alike.
 */
async function sampleInTurn(
  place: Place,
  bundles: readonly (Bundle | OtherAction)[],
  runs: number,
): Promise<Sample[][]> {
  const rounds: Sample[][] = [];
  for (let run = 0; run < WARM_UP_RUNS + runs; run += 1) {
    const round = [await sample(place, startFetch)];
    for (const bundle of bundles) {
      const start = () =>
        'getEnv' in bundle ? startOther(place, bundle) : startBundle(place, bundle);
      round.push(await sample(place, start));
    }
    rounds.push(round);
  }
  const measured = rounds.slice(WARM_UP_RUNS);
  return [undefined, ...bundles].map((_, subject) =>
    measured.flatMap((round) => round[subject] ?? []),
  );
}

async function sample(place: Place, start: (place: Place) => Subject): Promise<Sample> {
  const arrival = place.server.nextArrival();
  const { startedAtMs, ended } = start(place);
  const { exitedAtMs } = await ended;
  const { connectedAtMs, firstByteAtMs } = await arrival;
  return {
    connectionMs: connectedAtMs - startedAtMs,
    firstByteMs: firstByteAtMs - startedAtMs,
    exitMs: exitedAtMs - startedAtMs,
  };
}

function startFetch({ server, authority, node }: Place): Subject {
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: authority };
  return startProcess({ node, args: ['-e', `fetch('${server.url}')`], env, cwd: process.cwd() });
}

function startBundle(
  { server, authority, github, node }: Place,
  { entry, github: records }: Bundle,
): Subject {
  runId += 1;
  const env = {
    ...(authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: authority }),
    // Each run records its own job.
    GITHUB_RUN_ID: `${runId}`,
  };
  const inputs: Record<string, string> = records === undefined ? { reuse: 'never' } : {};
  const githubApiUrl = (records ?? github).url;
  const running = startAction({ baseUrl: server.url, githubApiUrl, node, entry, env, inputs });
  return { startedAtMs: running.startedAtMs, ended: expectPass(running) };
}

/** Starts an action of another project, and kills it when its request has arrived. */
function startOther({ server, node }: Place, { name, entry, getEnv }: OtherAction): Subject {
  const env = { PATH: process.env['PATH'], GITHUB_REPOSITORY: 'acme/app', ...getEnv(server.url) };
  const { child, startedAtMs, ended } = startProcess({
    node,
    args: [entry],
    env,
    cwd: process.cwd(),
  });
  let hasArrived = false;
  void server.nextArrival().then(() => {
    hasArrived = true;
    child.kill('SIGKILL');
  });
  return {
    startedAtMs,
    ended: ended.then((end) => {
      if (!hasArrived) {
        throw new Error(`${name} sent no request: ${end.stdout}${end.stderr}`);
      }
      return end;
    }),
  };
}

function compare(
  samples: readonly Sample[],
  references: readonly Sample[],
  time: keyof Sample,
): Pick<Row, 'reference' | 'value' | 'unit' | 'note'> {
  const values = samples.map((sample) => sample[time]);
  const referenceValues = references.map((sample) => sample[time]);
  const [low, high] = toRatioRange(values, referenceValues);
  return {
    reference: REFERENCE,
    value: median(values) / median(referenceValues),
    unit: 'ratio',
    note: `${low.toFixed(2)}–${high.toFixed(2)}, medians of ${values.length}`,
  };
}
