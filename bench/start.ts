import { existsSync } from 'node:fs';
import { UsageError } from '../emulator/options.ts';
import { type Ended, startProcess } from '../harness/process.ts';
import { bundlePath, expectPass, startAction } from './lib/action.ts';
import { type GitHubApi, startGitHubApi } from './lib/github-api.ts';
import type { Measure, Row } from './lib/measure.ts';
import { listNodes } from './lib/nodes.ts';
import { createRawServer, type RawServer } from './lib/raw-server.ts';
import { median, toRatioRange } from './lib/statistics.ts';
import { createWholeBundle } from './lib/whole-bundle.ts';

const WARM_UP_RUNS = 2;
const REFERENCE = "node -e 'fetch(url)'";

/** A bundle that makes a create, and what it is called in the table. */
interface Bundle {
  readonly name: string;
  readonly entry: string;
  readonly limit?: number;
}

/** What processes run on, and what they talk to. */
interface Place {
  readonly server: RawServer;
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
  readonly firstByteMs: number;
  readonly exitMs: number;
}

export const start: Measure = {
  name: 'start',
  description: 'process spawn to first byte of the create, against node with fetch',
  async run({ isQuick }) {
    const runs = isQuick ? 9 : 41;
    const other = readOtherBundle();
    const server = await createRawServer();
    const github = await startGitHubApi();
    const whole = await createWholeBundle();
    const bundles: Bundle[] = [
      { name: 'this action, inputs at their defaults', entry: bundlePath, limit: 1.6 },
      { name: 'one create, the same packages imported whole', entry: whole.path },
      ...other,
    ];
    try {
      const rows: Row[] = [];
      for (const node of listNodes()) {
        const [reference = [], ...samples] = await sampleInTurn(
          { server, github, node: node.path },
          bundles,
          runs,
        );
        const action = samples[0] ?? [];
        rows.push(
          ...bundles.map(({ name, limit }, index) => ({
            measure: `start, ${node.name}: spawn to first byte of the create; ${name}`,
            ...compare(samples[index] ?? [], reference, 'firstByteMs'),
            ...(limit === undefined ? {} : { limit }),
          })),
          {
            measure: `start, ${node.name}: spawn to exit; the whole step, job final at the first poll`,
            ...compare(action, reference, 'exitMs'),
          },
        );
      }
      return { rows };
    } finally {
      await whole.remove();
      server.close();
      await github.close();
    }
  },
};

/** A bundle to be measured beside the committed one, for trying things out. */
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

/** Runs the reference and the bundles in turn, so that what else the machine does strikes all of them alike. */
async function sampleInTurn(place: Place, bundles: readonly Bundle[], runs: number): Promise<Sample[][]> {
  const rounds: Sample[][] = [];
  for (let run = 0; run < WARM_UP_RUNS + runs; run += 1) {
    const round = [await sample(place, startFetch)];
    for (const { entry } of bundles) {
      round.push(await sample(place, () => startBundle(place, entry)));
    }
    rounds.push(round);
  }
  const measured = rounds.slice(WARM_UP_RUNS);
  return [undefined, ...bundles].map((_, subject) => measured.flatMap((round) => round[subject] ?? []));
}

async function sample(place: Place, start: (place: Place) => Subject): Promise<Sample> {
  const firstByte = place.server.nextFirstByte();
  const { startedAtMs, ended } = start(place);
  const { exitedAtMs } = await ended;
  return { firstByteMs: (await firstByte) - startedAtMs, exitMs: exitedAtMs - startedAtMs };
}

function startFetch({ server, node }: Place): Subject {
  const env = { PATH: process.env['PATH'] };
  return startProcess({ node, args: ['-e', `fetch('${server.url}')`], env, cwd: process.cwd() });
}

function startBundle({ server, github, node }: Place, entry: string): Subject {
  const running = startAction({ baseUrl: server.url, githubApiUrl: github.url, node, entry });
  return { startedAtMs: running.startedAtMs, ended: expectPass(running) };
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
