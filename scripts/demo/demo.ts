import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createGitHubApi } from '../../__tests__/github/api.ts';
import { createSampleRepositories, sampleToken } from '../../__tests__/github/sample.ts';
import { adminKey, specialKeys } from '../../emulator/keys.ts';
import { formatCounts } from '../../emulator/ledger.ts';
import {
  formatProjects,
  formatTable,
  parseOptions,
  parseSpeed,
  runCommand,
  UsageError,
} from '../../emulator/options.ts';
import { standardProjects } from '../../emulator/projects.ts';
import { createEmulator } from '../../emulator/server.ts';
import { projectRoot, readDefinition } from '../../harness/action-environment.ts';
import { createLogView, toPrintable } from './log-view.ts';
import { type ActionResult, runAction } from './runner.ts';

const defaultPrompt = 'Update the documentation for this release.';
const longestValue = 96;
const secretInputs = ['api-key', 'github-token'];

const usage = `Runs the built action on this machine, as a runner would, against an emulator of the service.

Usage: npm start -- [options]

  --project <id>                     what happens, see below (default: quick)
  --prompt <text>                    the prompt (default: "${defaultPrompt}")
  --job-id <id>                      wait for a job with this id; with --prompt: send it a follow-up
  --release                          append facts about a release to the prompt, and show it
  --no-wait                          end as soon as the job is started
  --re-run                           start the job without waiting, then re-run: the second attempt waits for it
  --dry-run                          check the inputs and the key, show the prompt, start nothing
  --api-key <key>                    the key, such as one with a flaw, see below (default: an admin key)
  --timeout-minutes <number>         how long to wait (default: 0.25)
  --poll-interval-seconds <number>   time between two polls (default: 1)
  --speed <number>                   how many times faster than real time jobs run (default: 1)
  --node <path>                      the Node that runs the action (default: the one that runs this)
  --help                             show this text

Ctrl+C cancels the run as a runner does. RUNNER_DEBUG=1 also shows the debug lines. To see a job of the project
"lost" end, add --timeout-minutes 2, or --job-id with any id. GitHub's API is a stand-in on this machine.

Projects:
${formatProjects(standardProjects)}

Keys with a flaw:
${formatTable(
  specialKeys.map(({ key, description }) => [key, description]),
  '  ',
)}`;

await runCommand(async () => {
  const options = readOptions();
  if (options.help) {
    console.log(usage);
    return;
  }
  const project = standardProjects.find(({ id }) => id === options.project);
  if (!project) {
    const ids = standardProjects.map(({ id }) => id);
    throw new UsageError(`there is no project "${options.project}". Projects: ${ids.join(', ')}.`);
  }
  const emulator = createEmulator({ speed: parseSpeed(options.speed) });
  if (!existsSync(join(projectRoot, 'dist', 'index.js'))) {
    console.error('error: dist/index.js is missing. Build it with: npm run build');
    process.exitCode = 1;
    return;
  }

  if (options['job-id'] !== undefined) emulator.addJob(project.id, options['job-id']);
  const baseUrl = await emulator.listen();
  const github = createGitHubApi({ repositories: createSampleRepositories(), token: sampleToken });
  const given = toInputs(options, baseUrl);
  console.log(
    `The built action against an emulated service. Project ${project.id}: ${project.description}.`,
  );
  printHeading('Log');
  printInputs(given);
  const color = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  const debug = process.env['RUNNER_DEBUG'] === '1';
  const view = createLogView({ color, debug });
  const isPromptShown = options.release || options['dry-run'];
  let isFolded = false;
  const showLine = (line: string): void => {
    const shown = view(line);
    if (line.startsWith('::endgroup::')) isFolded = false;
    if (shown !== undefined && !isFolded)
      console.log(isPromptShown ? shown : shown.replace('▼', '▶'));
    // A runner shows groups collapsed.
    if (line.startsWith('::group::')) isFolded = !isPromptShown;
  };
  try {
    const run = {
      node: options.node,
      inputs: given,
      apiUrl: await github.listen(),
      debug,
      cancelSignal: createCancelSignal(),
      onLine: showLine,
    };
    if (options['re-run']) {
      await runAction({ ...run, inputs: { ...given, wait: 'false' } });
      printHeading('Log of attempt 2');
    }
    const result = await runAction({
      ...run,
      env: { GITHUB_RUN_ATTEMPT: options['re-run'] ? '2' : '1' },
    });
    printResult(result);
    console.log(`${formatCounts(emulator.counts())}.`);
    console.log(`GitHub's stand-in received ${github.requests.length} requests.`);
    process.exitCode = result.exitCode;
  } catch (error) {
    throw isSpawnError(error)
      ? new UsageError(`cannot run "${options.node}" as node (--node).`)
      : error;
  } finally {
    await Promise.all([emulator.close(), github.close()]);
  }
});

function readOptions() {
  return parseOptions({
    options: {
      project: { type: 'string', default: 'quick' },
      prompt: { type: 'string' },
      'job-id': { type: 'string' },
      release: { type: 'boolean', default: false },
      'no-wait': { type: 'boolean', default: false },
      're-run': { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'api-key': { type: 'string', default: adminKey },
      'timeout-minutes': { type: 'string', default: '0.25' },
      'poll-interval-seconds': { type: 'string', default: '1' },
      speed: { type: 'string', default: '1' },
      node: { type: 'string', default: process.execPath },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

function toInputs(
  options: ReturnType<typeof readOptions>,
  baseUrl: string,
): Record<string, string> {
  const { prompt, 'job-id': jobId } = options;
  return {
    'base-url': baseUrl,
    'api-key': options['api-key'],
    'project-id': options.project,
    ...(prompt !== undefined && { prompt }),
    ...(prompt === undefined && jobId === undefined && { prompt: defaultPrompt }),
    ...(jobId !== undefined && { 'job-id': jobId }),
    'github-token': sampleToken,
    ...(options.release && { 'release-context': 'true' }),
    ...(options['no-wait'] && { wait: 'false' }),
    ...(options['dry-run'] && { 'dry-run': 'true' }),
    'timeout-minutes': options['timeout-minutes'],
    'poll-interval-seconds': options['poll-interval-seconds'],
  };
}

/**
 * Aborts on the first Ctrl+C or SIGTERM. Later signals change nothing, because canceling has its
 * own time limits.
 */
function createCancelSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort());
  return controller.signal;
}

function printInputs(given: Readonly<Record<string, string>>): void {
  console.log('Run docs-agent-action\n  with:');
  for (const [name, value] of Object.entries(given)) {
    console.log(`    ${name}: ${secretInputs.includes(name) ? '***' : toPrintable(value)}`);
  }
}

function printResult({ exitCode, outputs, summary }: ActionResult): void {
  printHeading(`Outputs (exit code ${exitCode})`);
  const names = Object.keys({ ...readDefinition().outputs, ...outputs });
  const rows = names.flatMap((name): [string, string][] => {
    const value = outputs[name];
    return value === ''
      ? []
      : [[name, value === undefined ? '(not written)' : shorten(toPrintable(value))]];
  });
  const empty = names.filter((name) => outputs[name] === '');
  console.log(formatTable([...rows, ['(empty)', empty.join(', ') || 'none']], '  '));
  printHeading('Job summary');
  console.log(foldSummary(toPrintable(summary.trim())));
  printHeading('What the emulator received');
}

/** Closes details, as GitHub does, and shortens the long links to the changes of a file. */
function foldSummary(markdown: string): string {
  return markdown
    .replace(/<details><summary>(.*?)<\/summary>[\s\S]*?<\/details>/g, '▶ $1')
    .replace(/#diff-[0-9a-f]{64}/g, '#diff-…');
}

function shorten(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1)}…`;
}

function printHeading(title: string): void {
  console.log(`\n── ${title} ${'─'.repeat(70 - title.length)}`);
}

function isSpawnError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}
