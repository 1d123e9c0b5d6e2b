import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type Browser, chromium } from 'playwright-core';
import { parseOptions } from '../emulator/options.ts';
import { record, scenes } from './picture-scenes.ts';
import { CommandError, root, runScript } from './tools.ts';

const usage = `Takes pictures of the job summary and the log, from real runs against the emulator.

Usage: npm run pictures -- [options]

  --all             every ending, light and dark, wide and narrow, with the log
  --out <folder>    where to write them (default: docs/pictures; with --all, a new temporary folder)
  --browser <path>  a Chromium (default: the variable CHROMIUM, or one on the PATH)`;

const LAUNCH_TIMEOUT_MS = 30_000;
const PAGE_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** Far longer than all of the above, so that the command ends even if the browser hangs. */
const LIMIT_MS = 10 * 60_000;

const BROWSERS = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
];
const MAC_BROWSERS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const { resolve } = createRequire(import.meta.url);
await runScript(async () => {
  const { values } = parseOptions({
    options: {
      all: { type: 'boolean', default: false },
      out: { type: 'string' },
      browser: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  void setTimeout(LIMIT_MS, undefined, { ref: false }).then(() => {
    console.error(`error: The pictures took longer than ${LIMIT_MS / 60_000} minutes.`);
    process.exit(1);
  });
  const browser = await launchBrowser(findBrowser(values.browser ?? process.env['CHROMIUM']));
  try {
    await expectEmoji(browser);
    await takePictures(browser, values.all, values.out);
  } finally {
    await closeBrowser(browser);
  }
});

function findBrowser(given: string | undefined): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = given === undefined ? [...BROWSERS, ...MAC_BROWSERS] : [given];
  const paths = candidates.flatMap((name) =>
    isAbsolute(name) || name.includes('/') ? [name] : folders.map((folder) => join(folder, name)),
  );
  const found = paths.find(isExecutable);
  if (found === undefined) {
    throw new CommandError(
      given === undefined
        ? 'Chromium is missing. Install it (on Debian: "apt-get install chromium"), or set --browser to its path.'
        : `There is no program at ${given}. Set --browser to the path of a Chromium.`,
    );
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function launchBrowser(executablePath: string): Promise<Browser> {
  try {
    return await chromium.launch({
      executablePath,
      timeout: LAUNCH_TIMEOUT_MS,
      // It only shows pages that this script writes, and it can't have a sandbox as root.
      args: ['--no-sandbox', '--disable-gpu'],
    });
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new CommandError(`${executablePath} doesn't start as a Chromium: ${reason}`);
  }
}

async function closeBrowser(browser: Browser): Promise<void> {
  const isClosed = await Promise.race([
    browser.close().then(() => true),
    setTimeout(CLOSE_TIMEOUT_MS, false, { ref: false }),
  ]);
  if (!isClosed) {
    console.error('warning: The browser did not close, so it is killed.');
    // Playwright kills it when this process exits.
    process.exit();
  }
}

/** Throws if the browser has no font with color emoji, because it would draw boxes. */
async function expectEmoji(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  // Text is black, so only an emoji has a color channel (the fourth channel is opacity) that isn't
  // 0.
  const hasColor: boolean = await page.evaluate(`(() => {
    const context = document.createElement('canvas').getContext('2d');
    context.font = '20px sans-serif';
    context.fillText('✅', 0, 20);
    return context.getImageData(0, 0, 30, 30).data.some((value, index) => index % 4 < 3 && value > 0);
  })()`);
  await page.close();
  if (!hasColor) {
    throw new CommandError(
      'This machine has no font with emoji, so the pictures would show boxes. Install one (on Debian: ' +
        '"apt-get install fonts-noto-color-emoji").',
    );
  }
}

async function takePictures(
  browser: Browser,
  all: boolean,
  folder: string | undefined,
): Promise<void> {
  const out =
    folder ?? (all ? mkdtempSync(join(tmpdir(), 'pictures-')) : join(root, 'docs', 'pictures'));
  mkdirSync(out, { recursive: true });
  for (const scene of scenes.filter(({ inDocs }) => all || inDocs)) {
    const { log, summary } = await record(scene);
    for (const theme of ['light', 'dark'] as const) {
      for (const width of all ? [900, 420] : [760]) {
        const name = all ? `${scene.name}-${theme}-${width}.png` : `${scene.name}-${theme}.png`;
        await takePicture(
          browser,
          renderPage(all ? log : [], summary, theme),
          width,
          join(out, name),
        );
        console.log(join(out, name));
      }
    }
  }
}

async function takePicture(
  browser: Browser,
  html: string,
  width: number,
  path: string,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 200 }, deviceScaleFactor: 2 });
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await page.setContent(html);
  await page.screenshot({ path, fullPage: true });
  await page.close();
}

function renderPage(log: readonly string[], summary: string, theme: 'light' | 'dark'): string {
  const css = readFileSync(resolve(`github-markdown-css/github-markdown-${theme}.css`), 'utf8');
  const html = micromark(summary, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const lines = log
    .map((line) => line.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`))
    .join('\n');
  const frame = theme === 'light' ? '#d1d9e0' : '#3d444d';
  return `<!doctype html><meta charset="utf-8"><style>${css}
    body { margin: 0; background: ${theme === 'light' ? '#fff' : '#0d1117'}; }
    section.markdown-body { margin: 12px; padding: 16px 20px; border: 1px solid ${frame}; border-radius: 6px; }
    pre.log { margin: 12px; padding: 12px; font-size: 12px; color: #f0f6fc; background: #0d1117; white-space: pre-wrap; }
    </style>${log.length === 0 ? '' : `<pre class="log">${lines}</pre>`}<section class="markdown-body">${html}</section>`;
}
