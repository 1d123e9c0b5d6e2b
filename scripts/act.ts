import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** A line of act's log: a message, an output, a summary, or the result of a job. */
const eventSchema = z.object({
  msg: z.string().default(''),
  command: z.string().optional(),
  name: z.string().optional(),
  arg: z.string().default(''),
  content: z.string().default(''),
  stepID: z.array(z.string()).default([]),
  jobResult: z.string().optional(),
});
type ActEvent = z.infer<typeof eventSchema>;

/** The result of a run of act. */
export interface ActRun {
  readonly log: string;
  /** The results of the jobs that ran, sorted. */
  readonly jobs: readonly string[];
  /** The values of the output `job-result`, which every step that uses the action sets, sorted. */
  readonly outcomes: readonly string[];
  /** The outputs of a step. */
  outputs(step: string): Record<string, string>;
  /** The job summary that a step left. */
  summary(step: string): string;
}

export interface ActOptions {
  readonly act: string;
  /** A folder of programs that take precedence over the programs of this machine. */
  readonly programs: string;
  /** The working copy that is checked out. */
  readonly workspace: string;
  /** The event, and then options. */
  readonly args: readonly string[];
}

// Many times longer than the longest workflow.
const TIMEOUT_MS = 5 * 60_000;

/**
 * Runs act in host mode: on this machine, without containers. Settings of the user and of an outer
 * workflow have no effect. Rejects only if act can't be run.
 */
export async function runAct(options: ActOptions): Promise<ActRun> {
  const { act, workspace, args } = options;
  const home = mkdtempSync(join(dirname(workspace), 'act-'));
  const [event = 'push', ...rest] = args;
  const common = [
    ...['--json', '--pull=false', '--no-cache-server', '--actor', 'octocat'],
    ...['--action-cache-path', join(home, 'cache')],
    ...['-P', 'ubuntu-latest=-self-hosted', '-P', 'ubuntu-slim=-self-hosted'],
  ];
  const child = spawn(act, [event, ...common, ...rest], {
    cwd: workspace,
    env: getEnvironment(options, home),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const events: ActEvent[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => events.push(parseEvent(line)));
  }
  await once(child, 'close');
  rmSync(home, { recursive: true, force: true });
  return readRun(events);
}

function getEnvironment({ programs }: ActOptions, home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(ACT|GITHUB|RUNNER|ACTIONS|INPUT|STATE|npm)(_|$)/i.test(name),
  );
  const temp = join(home, 'tmp');
  mkdirSync(temp);
  return {
    ...Object.fromEntries(inherited),
    PATH: `${programs}:${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
    TMPDIR: temp,
  };
}

function parseEvent(line: string): ActEvent {
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch {
    return eventSchema.parse({ msg: line });
  }
}

function readRun(events: readonly ActEvent[]): ActRun {
  const outputs = events.filter(({ command }) => command === 'set-output');
  const summaries = events.filter(({ command }) => command === 'summary');
  const isFrom = ({ stepID }: ActEvent, step: string) => stepID.length === 1 && stepID[0] === step;
  return {
    log: events.map(({ msg }) => msg.trimEnd()).join('\n'),
    jobs: events.flatMap(({ jobResult }) => jobResult ?? []).sort(),
    outcomes: outputs.flatMap(({ name, arg }) => (name === 'job-result' ? [arg] : [])).sort(),
    outputs: (step) =>
      Object.fromEntries(
        outputs.flatMap((event) => (isFrom(event, step) ? [[event.name, event.arg]] : [])),
      ),
    summary: (step) =>
      summaries.flatMap((event) => (isFrom(event, step) ? [event.content] : [])).join(''),
  };
}
