import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExamples } from './examples.ts';
import { findTool, root, runProgram, runScript } from './tools.ts';

/**
 * Runs actionlint on the workflows and on the examples of the documentation, and zizmor, pedantic and offline, on the
 * workflows, both action files and the Dependabot settings.
 */
await runScript(() => {
  // shellcheck and pyflakes are used where they happen to be installed: off, so that the result is the same everywhere.
  const actionlintOptions = ['-shellcheck=', '-pyflakes='];
  runProgram(findTool('actionlint'), actionlintOptions);
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  try {
    const files = readExamples(root).map(({ name, file, text }) => {
      const page = join(folder, file);
      mkdirSync(page, { recursive: true });
      writeFileSync(join(page, name), text);
      return join(page, name);
    });
    runProgram(findTool('actionlint'), [...actionlintOptions, ...files]);
    console.log(`actionlint: nothing in .github/workflows and ${files.length} examples`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  runProgram(findTool('zizmor'), ['--pedantic', '--offline', '--no-progress', '--strict-collection', root]);
});
