import { createInterface } from 'node:readline';
import { createGitHubApi, toApiVariables } from '../__tests__/github/api.ts';
import { createSampleRepositories, releaseSha, sampleToken } from '../__tests__/github/sample.ts';
import { type ActionResult, runAction } from '../__tests__/harness/action.ts';
import { parseCommands } from '../__tests__/harness/runner-commands.ts';
import { adminKey, specialKeys } from '../emulator/keys.ts';
import { formatCounts } from '../emulator/ledger.ts';
import {
  CommandError,
  formatProjects,
  formatTable,
  parseSpeed,
  runCommand,
} from '../emulator/options.ts';
import { standardProjects } from '../emulator/projects.ts';
import { createEmulator } from '../emulator/server.ts';

const defaultPrompt = 'Update the documentation for this release.';

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
  --timeout-minutes <number>         how long to wait (default: 1)
  --speed <number>                   how many times faster than real time jobs run (default: 3)
  --help                             show this text

Ctrl+C cancels the run, and a second one ends it at once. RUNNER_DEBUG=1 also shows the debug lines.
To see a job of the project "lost" end, add --timeout-minutes 2, or --job-id with any id. With any
key but those of the emulator, the words are those of a real run. GitHub's API is a stand-in, too.

Projects:
${formatProjects(standardProjects)}

Keys with a flaw:
${formatTable(specialKeys.map(({ key, description }) => [key, description]))}`;

const config = {
  options: {
    project: { type: 'string', default: 'quick' },
    prompt: { type: 'string' },
    'job-id': { type: 'string' },
    release: { type: 'boolean', default: false },
    'no-wait': { type: 'boolean', default: false },
    're-run': { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
    'api-key': { type: 'string', default: adminKey },
    'timeout-minutes': { type: 'string', default: '1' },
    speed: { type: 'string', default: '3' },
  },
} as const;

await runCommand(usage, config, async ({ values: options }) => {
  const project = standardProjects.find(({ id }) => id === options.project);
  if (!project) {
    const ids = standardProjects.map(({ id }) => id).join(', ');
    throw new CommandError(`there is no project "${options.project}". Projects: ${ids}.`);
  }
  const { prompt, 'job-id': jobId } = options;
  const emulator = createEmulator({ speed: parseSpeed(options.speed) });
  if (jobId !== undefined) {
    emulator.addJob(project.id, jobId);
  }
  const github = createGitHubApi({ repositories: createSampleRepositories(), token: sampleToken });
  const inputs = {
    'base-url': await emulator.listen(),
    'api-key': options['api-key'],
    'project-id': project.id,
    prompt: prompt ?? (jobId === undefined ? defaultPrompt : ''),
    'job-id': jobId ?? '',
    'github-token': sampleToken,
    'include-changes': String(options.release),
    wait: String(!options['no-wait']),
    'dry-run': String(options['dry-run']),
    'timeout-minutes': options['timeout-minutes'],
    'poll-interval-seconds': '3',
  };
  const apiUrl = await github.listen();
  const showsGroups = options.release || options['dry-run'];
  try {
    console.log(
      `The built action against an emulated service. Project ${project.id}: ${project.description}.`,
    );
    if (options['re-run']) {
      printHeading('Log of attempt 1');
      await runForRelease({ ...inputs, wait: 'false' }, apiUrl, 1, showsGroups);
    }
    printHeading(options['re-run'] ? 'Log of attempt 2' : 'Log');
    const result = await runForRelease(inputs, apiUrl, options['re-run'] ? 2 : 1, showsGroups);
    printResult(result);
    printHeading('What the emulator received');
    console.log(`${formatCounts(emulator.counts())}.`);
    console.log(`Requests to GitHub's stand-in: ${github.requests.length}.`);
    const other = project.id === 'failing' ? 'no-change' : 'failing';
    console.log(
      `\nTo see another end, run "npm start -- --project ${other}". All: "npm start -- --help".`,
    );
    process.exitCode = result.exitCode ?? 1;
  } finally {
    await Promise.all([emulator.close(), github.close()]);
  }
});

/**
 * Runs the built action for the tag v1.2.0, and prints its log. A terminal sends Ctrl+C to the
 * action, too.
 */
async function runForRelease(
  inputs: Record<string, string>,
  apiUrl: string,
  attempt: number,
  showsGroups: boolean,
): Promise<ActionResult> {
  const { child, ended } = runAction({
    isBare: true,
    // Longer than any timeout that the action accepts.
    timeoutMs: 7 * 60 * 60_000,
    inputs,
    event: { name: 'push', payload: { ref: 'refs/tags/v1.2.0' } },
    env: {
      ...toApiVariables(apiUrl),
      GITHUB_REF: 'refs/tags/v1.2.0',
      GITHUB_REF_NAME: 'v1.2.0',
      GITHUB_REF_TYPE: 'tag',
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_SHA: releaseSha,
      RUNNER_DEBUG: process.env['RUNNER_DEBUG'],
    },
  });
  const onLine = createLogPrinter(showsGroups);
  for (const input of [child.stdout, child.stderr]) {
    if (input) {
      createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine);
    }
  }
  // It waits for the canceled run, and shows its end.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const result = await ended;
  process.off('SIGINT', ignore);
  return result;
}

/** Returns a function that prints a line of the log. A runner folds groups, and hides commands. */
function createLogPrinter(showsGroups: boolean): (line: string) => void {
  let isFolded = false;
  return (line) => {
    const [command] = parseCommands(line).commands;
    if (command === undefined) {
      if (!isFolded) {
        console.log(line);
      }
      return;
    }
    const { name, properties, data } = command;
    if (name === 'endgroup') {
      isFolded = false;
    } else if (name !== 'add-mask') {
      isFolded ||= name === 'group' && !showsGroups;
      console.log([name, properties['title'], data].filter(Boolean).join(': '));
    }
  };
}

function printResult({ exitCode, outputs, summary = '' }: ActionResult): void {
  printHeading(`Outputs (exit code ${exitCode})`);
  const rows = Object.entries(outputs).filter(([, value]) => value !== '');
  const empty = Object.keys(outputs).filter((name) => outputs[name] === '');
  console.log(formatTable([...rows, ['(empty)', empty.join(', ') || 'none']]));
  printHeading('Job summary');
  console.log(summary.trim());
}

function printHeading(title: string): void {
  console.log(`\n── ${title} ${'─'.repeat(70 - title.length)}`);
}
