import { runScript } from '../emulator/options.ts';
import { runPackage, runProgram } from './tools.ts';

/**
 * Runs the checks of `npm test` before its tests, side by side: format and lint, and the build,
 * which checks the types.
 */
await runScript(async () => {
  await Promise.all([
    runPackage('@biomejs/biome/bin/biome', 'ci', '.'),
    runProgram(process.execPath, ['--import', 'tsx', 'scripts/build.ts']),
  ]);
});
