import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type Browser, chromium } from 'playwright-core';
import { createGitHubApi, toApiVariables } from '../__tests__/github/api.ts';
import { createSampleRepositories, releaseSha, sampleToken } from '../__tests__/github/sample.ts';
import { runAction } from '../__tests__/harness/action.ts';
import { serveAtServiceAddress } from '../__tests__/helpers/service-address.ts';
import { closeServers } from '../__tests__/helpers/sockets.ts';
import { runScript } from '../emulator/options.ts';
import { createEmulator } from '../emulator/server.ts';
import { root } from './tools.ts';

/**
 * Takes the pictures of the documentation: the summaries of two real runs against the emulator, in
 * light and dark. CHROMIUM is the path of a Chromium. Without a font with emoji, such as
 * fonts-noto-color-emoji of Debian, headings begin with boxes.
 */

/** `timeScale` is how many times faster than real time the run is. */
const scenes = [
  { name: 'pull-request-opened', project: 'quick', timeScale: 15 },
  { name: 'timed-out', project: 'endless', timeScale: 60 },
];
/** Three seconds of a job become four minutes. */
const JOB_SLOWNESS = 80;
const WIDTH = 760;

const { resolve } = createRequire(import.meta.url);

await runScript(async () => {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    for (const scene of scenes) {
      const summary = await readSummary(scene);
      for (const theme of ['light', 'dark'] as const) {
        const path = join(root, 'docs', 'pictures', `${scene.name}-${theme}.png`);
        await takePicture(browser, renderPage(summary, theme), path);
        console.log(path);
      }
    }
  } finally {
    await browser.close();
  }
});

/** Returns the summary of a run that reaches the emulator at the address of the service. */
async function readSummary({ project, timeScale }: (typeof scenes)[number]): Promise<string> {
  const emulator = createEmulator({ speed: timeScale / JOB_SLOWNESS });
  const github = createGitHubApi({ repositories: createSampleRepositories(), token: sampleToken });
  const service = await serveAtServiceAddress(emulator.handler);
  try {
    const { summary = '' } = await runAction({
      timeScale,
      extraCertificates: service.certificate,
      inputs: {
        prompt: 'Update the documentation for the release v1.2.0.',
        'project-id': project,
        // Not a key of the emulator, which would make it a rehearsal.
        'api-key': 'mint_key_of_the_pictures_0001',
        'github-token': sampleToken,
      },
      env: {
        HTTPS_PROXY: service.proxyUrl,
        ...toApiVariables(await github.listen()),
        GITHUB_SHA: releaseSha,
        // Released actions link their documentation.
        GITHUB_ACTION_REPOSITORY: 'acme/docs-agent-action',
        GITHUB_ACTION_REF: 'v1',
      },
    }).ended;
    return summary;
  } finally {
    await Promise.all([closeServers(), github.close()]);
  }
}

async function takePicture(browser: Browser, html: string, path: string): Promise<void> {
  const viewport = { width: WIDTH, height: 200 };
  const page = await browser.newPage({ viewport, deviceScaleFactor: 2 });
  await page.setContent(html);
  await page.screenshot({ path, fullPage: true });
  await page.close();
}

function renderPage(summary: string, theme: 'light' | 'dark'): string {
  const css = readFileSync(resolve(`github-markdown-css/github-markdown-${theme}.css`), 'utf8');
  const html = micromark(summary, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const [frame, background] = theme === 'light' ? ['#d1d9e0', '#fff'] : ['#3d444d', '#0d1117'];
  return `<!doctype html><meta charset="utf-8"><style>${css}
    body { margin: 0; background: ${background}; }
    section { margin: 12px; padding: 16px 20px; border: 1px solid ${frame}; border-radius: 6px; }
    </style><section class="markdown-body">${html}</section>`;
}
