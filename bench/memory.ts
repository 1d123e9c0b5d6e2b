import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../harness/process.ts';
import { expectPass, expectPullRequest, startAction } from './lib/action.ts';
import { GITHUB_TOKEN, startGitHubApi } from './lib/github-api.ts';
import type { Measure, Row } from './lib/measure.ts';
import { listNodes } from './lib/nodes.ts';
import { createRawServer } from './lib/raw-server.ts';
import { median, toRatioRange } from './lib/statistics.ts';
import { createWholeBundle } from './lib/whole-bundle.ts';

const peakMemory = fileURLToPath(new URL('lib/peak-memory.cjs', import.meta.url));

export const memory: Measure = {
  name: 'memory',
  description: 'peak resident memory of a whole run, against node with fetch',
  async run({ isQuick }) {
    const runs = isQuick ? 5 : 21;
    const server = await createRawServer();
    const github = await startGitHubApi();
    const whole = await createWholeBundle();
    const folder = await mkdtemp(join(tmpdir(), 'bench-memory-'));
    const file = join(folder, 'peak');
    const env = { PEAK_MEMORY_FILE: file };
    const readPeak = async (): Promise<number> => Number(await readFile(file, 'utf8'));

    async function sampleFetch(node: string, script: string): Promise<number> {
      const args = ['--require', peakMemory, '--input-type=module', '-e', script];
      await startProcess({ node, args, env: { PATH: process.env['PATH'], ...env }, cwd: folder })
        .ended;
      return readPeak();
    }

    async function sampleAction(node: string, entry?: string): Promise<number> {
      const servers = { baseUrl: server.url, githubApiUrl: github.url };
      const options = { ...servers, node, preload: [peakMemory], env };
      await (entry === undefined
        ? expectPullRequest(startAction(options))
        : expectPass(startAction({ ...options, entry })));
      return readPeak();
    }

    try {
      const rows: Row[] = [];
      for (const { name, path } of listNodes()) {
        const peaks = {
          one: [] as number[],
          same: [] as number[],
          action: [] as number[],
          whole: [] as number[],
        };
        for (let run = 0; run < runs; run += 1) {
          peaks.one.push(await sampleFetch(path, `await fetch('${server.url}')`));
          peaks.same.push(await sampleFetch(path, toSameRequests(server.url, github.url)));
          peaks.action.push(await sampleAction(path));
          peaks.whole.push(await sampleAction(path, whole.path));
        }
        const toRow = (
          what: string,
          values: readonly number[],
          references: readonly number[],
        ): Row => {
          const [low, high] = toRatioRange(values, references);
          return {
            measure: `memory, ${name}: peak of ${what}`,
            reference:
              references === peaks.one
                ? "node -e 'fetch(url)'"
                : 'node with fetch, the same requests',
            value: median(values) / median(references),
            unit: 'ratio',
            note: `${low.toFixed(2)}–${high.toFixed(2)}, medians of ${runs}`,
          };
        };
        rows.push(
          { ...toRow('a run that ends with a pull request', peaks.action, peaks.one), limit: 1.3 },
          toRow('a run that ends with a pull request', peaks.action, peaks.same),
          toRow('one create, the same packages imported whole', peaks.whole, peaks.one),
        );
      }
      return { rows };
    } finally {
      server.close();
      await github.close();
      await whole.remove();
      await rm(folder, { recursive: true });
    }
  },
};

/** The requests of such a run with fetch: a create request, a poll, and two reads from GitHub. */
function toSameRequests(serviceUrl: string, githubUrl: string): string {
  return `
    const read = async (url, options) => (await fetch(url, options)).json();
    await read('${serviceUrl}', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    await read('${serviceUrl}');
    const pull = '${githubUrl}/repos/acme/docs/pulls/128';
    const headers = { authorization: 'token ${GITHUB_TOKEN}' };
    await Promise.all([read(pull, { headers }), read(pull + '/files?per_page=20', { headers })]);`;
}
