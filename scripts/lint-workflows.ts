import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExamples } from './examples.ts';
import { findTool, root, runProgram, runScript } from './tools.ts';

/**
 * Runs actionlint and zizmor, offline, on the workflows and on the examples of the documentation.
 * zizmor also checks the action files and the Dependabot settings. It is pedantic about everything
 * but the examples, which stay short.
 */
await runScript(async () => {
  // Turned off even if installed, so that the result is the same everywhere.
  const actionlintOptions = ['-shellcheck=', '-pyflakes='];
  // Our own workflows use this key, which actionlint 1.7.12 doesn't know. A unit test checks its
  // values.
  const queue =
    '^unexpected key "queue" for "concurrency" section\\. expected one of "cancel-in-progress", "group"$';
  const zizmorOptions = [
    ...['--offline', '--no-progress', '--strict-collection'],
    ...['--config', join(root, '.github', 'zizmor.yml')],
  ];
  const actionlint = findTool('actionlint');
  const zizmor = findTool('zizmor');
  await runProgram(actionlint, [...actionlintOptions, '-ignore', queue]);
  await runProgram(zizmor, ['--pedantic', ...zizmorOptions, root]);

  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  try {
    const files = readExamples(root).map(({ name, file, text }) => {
      const page = join(folder, file, '.github', 'workflows');
      mkdirSync(page, { recursive: true });
      writeFileSync(join(page, name), text);
      return join(page, name);
    });
    await runProgram(actionlint, [...actionlintOptions, ...files]);
    await runProgram(zizmor, [...zizmorOptions, folder]);
    console.log(`The workflows and ${files.length} examples are clean.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
