import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { adminKey } from '../emulator/keys.ts';
import { createLogView } from '../emulator/log-view.ts';
import { readMetadata, runAction } from '../emulator/runner.ts';
import { createEmulator } from '../emulator/server.ts';

const usage = `Pictures of the job summary and the log, from real runs against the emulator, as GitHub shows them.

Usage: npm run pictures -- [options]

  --all             every ending, light and dark, wide and narrow, into a folder of its own
  --out <folder>    where they go (default: docs/pictures, or a temporary folder with --all)
  --browser <path>  a Chromium (default: CHROMIUM, else chromium, google-chrome, … on the PATH)`;

interface Scene {
  readonly name: string;
  readonly project: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly inReadme?: boolean;
}

const prompt =
  'Update the documentation for the release v1.2.0. Describe what is new and what changed for users.';
const scenes: readonly Scene[] = [
  { name: 'pull-request-opened', project: 'quick', inReadme: true },
  { name: 'timed-out', project: 'endless', inReadme: true },
  { name: 'no-pull-request', project: 'no-change' },
  { name: 'archived', project: 'archived' },
  { name: 'started', project: 'slow', inputs: { wait: 'false' } },
  { name: 'dry-run', project: 'quick', inputs: { 'dry-run': 'true' } },
  { name: 'failed', project: 'failing' },
  { name: 'failed-with-link', project: 'failed-with-link' },
  { name: 'start-unknown', project: 'unreadable' },
  { name: 'not-started', project: 'no-such-project' },
  { name: 'invalid-input', project: 'a/b', inputs: { wait: 'maybe', prompt: '' } },
  { name: 'lost', project: 'quick', inputs: { prompt: '', 'job-id': 'gone' } },
  { name: 'flaky', project: 'flaky' },
  { name: 'rate-limited', project: 'rate-limited' },
  { name: 'hostile', project: 'hostile' },
];

// Time passes faster for the action, and a little less so for the jobs: three seconds of theirs are four minutes.
const TIME_SCALE = 200;
const JOB_SLOWNESS = 80;

const root = fileURLToPath(new URL('..', import.meta.url));
const { resolve } = createRequire(import.meta.url);
process.env['TIME_SCALE'] = String(TIME_SCALE);
process.env['NODE_OPTIONS'] =
  `--require "${fileURLToPath(new URL('../__tests__/helpers/scaled-time.cjs', import.meta.url)).replaceAll('\\', '/')}"`;
const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    out: { type: 'string' },
    browser: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(usage);
} else {
  const browser = findBrowser([
    values.browser ?? process.env['CHROMIUM'],
    'chromium',
    'chromium-browser',
    'google-chrome',
    'chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]);
  const out =
    values.out ?? (values.all ? mkdtempSync(join(tmpdir(), 'pictures-')) : join(root, 'docs', 'pictures'));
  mkdirSync(out, { recursive: true });
  for (const scene of scenes.filter(({ inReadme }) => values.all || inReadme)) {
    const { log, summary } = await record(scene);
    for (const theme of ['light', 'dark'] as const) {
      for (const width of values.all ? [900, 420] : [760]) {
        const name = values.all ? `${scene.name}-${theme}-${width}.png` : `${scene.name}-${theme}.png`;
        takePicture(browser, renderPage(values.all ? log : [], summary, theme), width, join(out, name));
        console.log(join(out, name));
      }
    }
  }
}

function findBrowser(candidates: readonly (string | undefined)[]): string {
  for (const candidate of candidates) {
    try {
      execFileSync(candidate ?? '', ['--version'], { stdio: 'ignore' });
      return candidate ?? '';
    } catch {
      // Not this one.
    }
  }
  throw new Error('No Chromium was found: install one, or name it with --browser.');
}

/** The log as a runner shows it and the summary of one run of the built action. */
async function record({ project, inputs }: Scene): Promise<{ log: string[]; summary: string }> {
  const emulator = createEmulator({ speed: TIME_SCALE / JOB_SLOWNESS });
  const baseUrl = await emulator.listen();
  const log: string[] = [];
  const view = createLogView({ color: false, debug: false });
  const { inputs: defaults } = readMetadata();
  const given = {
    prompt,
    'project-id': project,
    'api-key': adminKey,
    'base-url': baseUrl,
    ...inputs,
  };
  try {
    const { summary } = await runAction({
      root,
      node: process.execPath,
      inputs: new Map([...defaults, ...Object.entries(given)]),
      apiUrl: `${baseUrl}/api/v3`,
      debug: false,
      cancelSignal: new AbortController().signal,
      onLine: (line) => {
        log.push(...(view(line)?.split('\n') ?? []));
      },
    });
    return { log, summary };
  } finally {
    await emulator.close();
  }
}

function renderPage(log: readonly string[], summary: string, theme: 'light' | 'dark'): string {
  const css = readFileSync(resolve(`github-markdown-css/github-markdown-${theme}.css`), 'utf8');
  const html = micromark(summary, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const lines = log.map((line) => line.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)).join('\n');
  const frame = theme === 'light' ? '#d1d9e0' : '#3d444d';
  return `<!doctype html><meta charset="utf-8"><style>${css}
    body { margin: 0; background: ${theme === 'light' ? '#fff' : '#0d1117'}; }
    section.markdown-body { margin: 12px; padding: 16px 20px; border: 1px solid ${frame}; border-radius: 6px; }
    pre.log { margin: 12px; padding: 12px; font-size: 12px; color: #f0f6fc; background: #0d1117; white-space: pre-wrap; }
    </style>${log.length === 0 ? '' : `<pre class="log">${lines}</pre>`}<section class="markdown-body">${html}</section>`;
}

/** Renders a page and cuts the picture to its height, which the browser tells on a first pass. */
function takePicture(browser: string, page: string, width: number, path: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const file = join(folder, 'page.html');
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const run = (...more: string[]): string =>
    execFileSync(browser, [...flags, ...quiet, `--user-data-dir=${folder}`, ...more, `file://${file}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const measure = '<script>document.title = document.documentElement.scrollHeight</script>';
    writeFileSync(file, page + measure);
    const dom = run(`--window-size=${width},100`, '--dump-dom');
    const height = /<title>(\d+)<\/title>/.exec(dom)?.[1] ?? '800';
    run(
      `--window-size=${width},${height}`,
      '--force-device-scale-factor=2',
      '--run-all-compositor-stages-before-draw',
      `--screenshot=${path}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
