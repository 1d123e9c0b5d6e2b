import { runScript } from '../emulator/options.ts';
import { runPackage, runProgram } from './tools.ts';

/**
 * Runs the checks of `npm test` before its tests, side by side: format and lint, types, and the
 * bundle.
 */
await runScript(async () => {
  await Promise.all([
    runPackage('@biomejs/biome/bin/biome', 'ci', '.'),
    runPackage('typescript/bin/tsc', '--noEmit'),
    runProgram(process.execPath, ['--import', 'tsx', 'scripts/build.ts']),
  ]);
});
