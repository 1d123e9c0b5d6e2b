import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ActionOptions, bundlePath, expectPullRequest, startAction } from './lib/action.ts';
import { startGitHubApi } from './lib/github-api.ts';
import type { Measure } from './lib/measure.ts';
import { createRawServer } from './lib/raw-server.ts';
import { median } from './lib/statistics.ts';
import { createWholeBundle } from './lib/whole-bundle.ts';

const dist = dirname(bundlePath);

type Servers = Pick<ActionOptions, 'baseUrl' | 'githubApiUrl'>;

export const size: Measure = {
  name: 'size',
  description: 'bytes of what is loaded from dist/ from the create request to the result',
  async run() {
    const server = await createRawServer();
    const github = await startGitHubApi();
    const servers = { baseUrl: server.url, githubApiUrl: github.url };
    const folder = await mkdtemp(join(tmpdir(), 'bench-size-'));
    const whole = await createWholeBundle();
    try {
      const loaded = await findLoadedFiles(servers, join(folder, 'coverage'));
      await provePlenty(servers, loaded, join(folder, 'dist'));
      const sizes = await Promise.all(
        loaded.map(async (name) => (await stat(join(dist, name))).size),
      );
      const wholeBytes = (await stat(whole.path)).size;
      return {
        rows: [
          {
            measure:
              'size: loaded from dist/ by a run at the defaults that ends with a pull request',
            reference: `packages imported whole: ${toMegabytes(wholeBytes).toFixed(2)} MB`,
            value: toMegabytes(sizes.reduce((total, bytes) => total + bytes, 0)),
            unit: 'megabytes',
            limit: 1,
            note: `${loaded.join(', ')}; ${(await readdir(dist)).length} files in dist/`,
          },
          {
            measure:
              'size: median length of its lines, in characters (a minified file has few long lines)',
            reference: 'source of the action: 110 at most',
            value: median(await readLineLengths(loaded)),
            unit: 'count',
            limit: 110,
          },
        ],
      };
    } finally {
      server.close();
      await github.close();
      await whole.remove();
      await rm(folder, { recursive: true });
    }
  },
};

/**
 * The files of dist/ whose code ran, by V8's coverage, and package.json, which node reads to load
 * them.
 */
async function findLoadedFiles(servers: Servers, coverage: string): Promise<string[]> {
  await expectPullRequest(startAction({ ...servers, env: { NODE_V8_COVERAGE: coverage } }));
  const names = new Set(['package.json']);
  for (const report of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, report), 'utf8')) as {
      result: { url: string }[];
    };
    for (const { url } of result.filter((script) => script.url.startsWith('file:'))) {
      const name = relative(dist, fileURLToPath(url));
      if (!name.startsWith('..')) {
        names.add(name);
      }
    }
  }
  return [...names].sort();
}

/** Throws unless the action passes with these files alone. */
async function provePlenty(
  servers: Servers,
  names: readonly string[],
  copy: string,
): Promise<void> {
  await mkdir(copy);
  await Promise.all(names.map((name) => cp(join(dist, name), join(copy, name))));
  await expectPullRequest(startAction({ ...servers, entry: join(copy, 'index.js') }));
}

async function readLineLengths(names: readonly string[]): Promise<number[]> {
  const texts = await Promise.all(names.map((name) => readFile(join(dist, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').map((line) => line.length));
}

function toMegabytes(bytes: number): number {
  return bytes / 1e6;
}
