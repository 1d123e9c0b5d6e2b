import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../emulator/options.ts';
import { findTool, readExamples, readReleaseTools, root, runProgram } from './tools.ts';

/**
 * Runs actionlint and zizmor, offline, on the workflows and on the examples. zizmor also checks the
 * action files and the Dependabot settings. It is pedantic about everything but the examples, which
 * stay short.
 */
await runScript(async () => {
  // Turned off even if installed, so that the result is the same everywhere.
  const withoutTools = ['-shellcheck=', '-pyflakes='];
  // actionlint 1.7.12 doesn't know this key. A unit test checks its values.
  const queue =
    '^unexpected key "queue" for "concurrency" section\\. expected one of "cancel-in-progress", "group"$';
  const actionlintOptions = [...withoutTools, '-ignore', queue];
  const zizmorOptions = [
    ...['--offline', '--no-progress', '--strict-collection'],
    ...['--config', join(root, '.github', 'zizmor.yml')],
  ];
  const actionlint = findTool('actionlint');
  const zizmor = findTool('zizmor');
  await runProgram(actionlint, actionlintOptions);
  await runProgram(zizmor, ['--pedantic', ...zizmorOptions, root]);

  const folder = mkdtempSync(join(tmpdir(), 'lint-workflows-'));
  const variants = readReleaseTools().map(({ path, text }) => {
    const file = join(folder, `${path}.yml`);
    writeFileSync(file, text);
    return file;
  });
  const examples = [...readExamples().map(({ path }) => path), ...variants];
  try {
    await runProgram(actionlint, [...actionlintOptions, ...examples]);
    await runProgram(zizmor, [...zizmorOptions, ...examples]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(`The workflows and ${examples.length} examples are clean.`);
});
