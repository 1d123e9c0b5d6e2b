import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminKey } from './keys.ts';
import { formatProjects } from './options.ts';
import { standardProjects } from './projects.ts';
import { createEmulator } from './server.ts';

/**
 * The emulator as a step of a workflow (`emulator/action.yml`). The step leaves it running for the
 * steps that follow and outputs its address. It writes each request to the record as a line of
 * JSON, and ends when the record is gone: the step's post phase deletes it, or else the runner.
 */

// Longer than any rehearsal. If the runner is killed and nothing stops the emulator, it ends by
// itself.
const LONGEST_LIFE_MS = 60 * 60_000;
const LOOK_MS = 500;

const [script = '', command, record] = process.argv.slice(1);
if (command === 'serve' && record !== undefined) {
  await serve(record);
} else if (process.env['STATE_folder']) {
  // The process ends meanwhile. On Windows, a folder can't be deleted while a process has one of
  // its files open.
  rmSync(process.env['STATE_folder'], { recursive: true, force: true, maxRetries: 10 });
} else {
  start();
}

function start(): void {
  const folder = mkdtempSync(join(process.env['RUNNER_TEMP'] || tmpdir(), 'emulator-'));
  const path = join(folder, 'record.jsonl');
  const errors = join(folder, 'errors.txt');
  writeFileSync(path, '');
  const child = spawn(process.execPath, [...process.execArgv, script, 'serve', path], {
    // Outside the step's terminal and process group, which end with the step.
    detached: true,
    stdio: ['ignore', 'ignore', openSync(errors, 'a'), 'ipc'],
    // No other variables, because the step's environment may hold secrets. On Windows, sockets need
    // this variable.
    env: { SystemRoot: process.env['SystemRoot'] },
    windowsHide: true,
  });
  child.once('exit', (exitCode) => {
    console.error(
      `The emulator ended with exit code ${exitCode}:\n${readFileSync(errors, 'utf8')}`,
    );
    process.exitCode = 1;
  });
  child.once('message', (url) => {
    child.removeAllListeners('exit');
    child.disconnect();
    child.unref();
    console.log(
      `::warning title=Docs agent%3A rehearsal::Steps that use this emulator (${url}) start no real job, cost no credits, and open no pull request. To go live, turn this step off.`,
    );
    console.log(`Projects:\n${formatProjects(standardProjects)}`);
    // Masked, like the secret that it stands for.
    console.log(`::add-mask::${adminKey}`);
    append('GITHUB_OUTPUT', `base-url=${url}\napi-key=${adminKey}\nrecord=${path}\n`);
    append('GITHUB_STATE', `folder=${folder}\n`);
  });
}

async function serve(path: string): Promise<void> {
  const emulator = createEmulator({
    onDecision: ({ route, status, body }) =>
      appendFileSync(path, `${toPrintableJson({ ...route, status, body })}\n`),
  });
  process.send?.(await emulator.listen());
  setTimeout(() => process.exit(), LONGEST_LIFE_MS);
  setInterval(() => existsSync(path) || process.exit(), LOOK_MS);
}

/** Returns JSON that a step may print: the runner finds `##[` anywhere in a line. */
function toPrintableJson(value: object): string {
  return JSON.stringify(value).replaceAll('#', '\\u0023');
}

function append(variable: string, text: string): void {
  const file = process.env[variable];
  if (file) {
    appendFileSync(file, text);
  }
}
