import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEmulator } from '../emulator/server.ts';

/**
 * The emulator for the steps of a workflow job: `start` leaves it running for later steps and sets the step outputs
 * `url`, `record` and `pid`; `stop` ends the process whose id is in EMULATOR_PID. Every request becomes a line of JSON
 * in the record.
 */
const usage = 'Usage: tsx scripts/background-emulator.ts start | stop';

// Longer than any workflow job that uses it: an emulator that nobody stops ends by itself.
const LONGEST_LIFE_MS = 15 * 60_000;

const [command, argument] = process.argv.slice(2);
if (command === 'start') start();
else if (command === 'stop') stop(Number(process.env['EMULATOR_PID']));
else if (command === 'serve' && argument !== undefined) await serve(argument);
else {
  console.error(usage);
  process.exitCode = 2;
}

function start(): void {
  const folder = mkdtempSync(join(process.env['RUNNER_TEMP'] || tmpdir(), 'emulator-'));
  const record = join(folder, 'record.jsonl');
  const errors = join(folder, 'errors.txt');
  writeFileSync(record, '');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(import.meta.url), 'serve', record],
    // Away from the step's terminal and process group, which end with the step.
    { detached: true, stdio: ['ignore', 'ignore', openSync(errors, 'a'), 'ipc'], windowsHide: true },
  );
  child.once('exit', (exitCode) => {
    console.error(`The emulator ended with exit code ${exitCode}:\n${readFileSync(errors, 'utf8')}`);
    process.exitCode = 1;
  });
  child.once('message', (url) => {
    child.disconnect();
    child.unref();
    const outputs = `url=${url}\nrecord=${record}\npid=${child.pid}\n`;
    console.log(outputs);
    const file = process.env['GITHUB_OUTPUT'];
    if (file) appendFileSync(file, outputs);
  });
}

async function serve(record: string): Promise<void> {
  const emulator = createEmulator({
    onDecision: ({ route, status, body }) =>
      appendFileSync(record, `${JSON.stringify({ ...route, status, body })}\n`),
  });
  process.send?.(await emulator.listen());
  setTimeout(() => process.exit(), LONGEST_LIFE_MS);
}

function stop(pid: number): void {
  try {
    process.kill(pid);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
