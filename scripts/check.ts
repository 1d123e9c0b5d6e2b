import { runPackage, runProgram, runScript } from './tools.ts';

/** What `npm test` does before the tests: format and lint, types, and the bundle, side by side. */
await runScript(async () => {
  await Promise.all([
    runPackage('@biomejs/biome/bin/biome', 'ci', '.'),
    runPackage('typescript/bin/tsc', '--noEmit'),
    runProgram(process.execPath, ['--import', 'tsx', 'scripts/build.ts']),
  ]);
});
