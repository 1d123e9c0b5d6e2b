import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { adminKey } from '../emulator/keys.ts';
import { close, listen } from '../emulator/listen.ts';
import { createEmulator } from '../emulator/server.ts';
import { runAction } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import type { Measure, Row } from './measure.ts';

const WRITES_PER_MINUTE = 80;
const MINUTE_MS = 60_000;
const LIMIT_MS = 10 * MINUTE_MS;
const QUICK_COUNT = 5;

/** A crowd that asks for one job at the same moment. */
interface Crowd {
  readonly name: string;
  readonly count: number;
  readonly inputs: Readonly<Record<string, string>>;
  readonly getRunId: (index: number) => number;
}

const crowds: readonly Crowd[] = [
  {
    name: '50 runs of a release',
    count: 50,
    inputs: { reuse: 'release' },
    getRunId: (index) => index + 1,
  },
  { name: '20 steps of a run', count: 20, inputs: {}, getRunId: () => 1 },
  {
    name: '20 runs of a release, whose key is refused',
    count: 20,
    inputs: { reuse: 'release', 'api-key': 'mint_emulator_expired_key_0001' },
    getRunId: (index) => index + 1,
  },
];

/** Set BENCH_BUNDLE to measure another bundle. */
export const crowd: Measure = {
  name: 'crowd',
  description: 'runs that ask for one job at once: writes and requests to GitHub, the slowest run',
  async run(isQuick) {
    const rows: Row[] = [];
    for (const one of crowds) {
      rows.push(...(await measure(one, isQuick ? QUICK_COUNT : one.count)));
    }
    return rows;
  },
};

async function measure({ name, inputs, getRunId }: Crowd, count: number): Promise<Row[]> {
  const service = createEmulator();
  const github = createStatusServer();
  const [serviceUrl, apiUrl] = [await service.listen(), await listen(github.server)];
  const entry = process.env['BENCH_BUNDLE'];
  const runs = Array.from({ length: count }, (_, index) =>
    runAction({
      ...(entry === undefined ? {} : { entry }),
      isBare: true,
      timeoutMs: LIMIT_MS,
      inputs: {
        prompt: 'Describe what is new',
        'project-id': 'quick',
        'api-key': adminKey,
        'base-url': serviceUrl,
        'github-token': 'ghs_token_of_the_benchmark_0001',
        ...inputs,
      },
      env: {
        GITHUB_API_URL: apiUrl,
        GITHUB_REF: 'refs/tags/v1.0.0',
        GITHUB_SHA: headSha,
        GITHUB_RUN_ID: String(getRunId(index)),
      },
    }),
  );
  const results = await Promise.all(runs.map(({ ended }) => ended));
  await Promise.all([service.close(), close(github.server)]);
  const slowestMs = Math.max(...results.map(({ durationMs }) => durationMs));
  const prefix = `crowd: ${name}`;
  return [
    { what: `${prefix}: jobs`, value: service.counts().jobs, unit: 'jobs', limit: 1 },
    { what: `${prefix}: writes that GitHub took`, value: github.counts.writes, unit: 'writes' },
    { what: `${prefix}: writes beyond its limit`, value: github.counts.refused, unit: 'writes' },
    { what: `${prefix}: requests to GitHub`, value: github.counts.requests, unit: 'requests' },
    { what: `${prefix}: slowest run`, value: slowestMs / 1_000, unit: 's', note: `of ${count}` },
  ];
}

/** Creates a server that takes and lists commit statuses, and limits writes as GitHub does. */
function createStatusServer() {
  const statuses: object[] = [];
  const writtenAtMs: number[] = [];
  const counts = { requests: 0, writes: 0, refused: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    const reply = (status: number, body: unknown, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'GET') {
      const page = Number(searchParams.get('page'));
      const isList = pathname.endsWith('/statuses');
      reply(isList ? 200 : 404, statuses.toReversed().slice((page - 1) * 100, page * 100));
      return;
    }
    const isLimited =
      (writtenAtMs.at(-WRITES_PER_MINUTE) ?? -MINUTE_MS) > performance.now() - MINUTE_MS;
    if (isLimited) {
      counts.refused += 1;
      reply(403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '15' });
      return;
    }
    void text(request).then((body) => {
      // Its run has ended.
      if (!request.complete) {
        return;
      }
      counts.writes += 1;
      writtenAtMs.push(performance.now());
      statuses.push({ id: statuses.length + 1, ...JSON.parse(body) });
      reply(201, statuses.at(-1));
    });
  });
  return { server, counts };
}
