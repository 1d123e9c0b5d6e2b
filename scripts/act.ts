import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { parseCommands } from '../harness/runner-commands.ts';

const eventSchema = z.object({
  msg: z.string().default(''),
  command: z.string().optional(),
  name: z.string().optional(),
  arg: z.string().optional(),
  content: z.string().optional(),
  stage: z.string().optional(),
  stepID: z.array(z.string()).default([]),
  stepResult: z.string().optional(),
  jobResult: z.string().optional(),
});

/**
 * A line of act's log: a message of act or a step, a step's result, an output, a summary, or a
 * job's result.
 */
export type ActEvent = z.infer<typeof eventSchema>;

/** The result of a run of act. */
export interface ActRun {
  readonly exitCode: number | null;
  readonly events: readonly ActEvent[];
  /**
   * All messages, and again everything that scripts printed, because act drops the end of it if a
   * script fails.
   */
  readonly log: string;
  /** The result of each job that ran, in the order in which they ended. */
  readonly jobs: readonly string[];
  /**
   * The results of the main stage of the steps by their id, or by number for steps without an id.
   */
  readonly steps: ReadonlyMap<string, string>;
  /** The values of the output `outcome`, which every step that uses the action sets, in order. */
  readonly outcomes: readonly string[];
  /** The annotations that steps left, in order. */
  readonly notices: readonly { readonly title: string; readonly message: string }[];
  /** The outputs of a step. */
  outputs(step: string): Record<string, string>;
  /** The job summary that a step left. */
  summary(step: string): string;
}

export interface ActOptions {
  readonly act: string;
  /** Path of the node binary that runs the actions, and the steps that call `node`. */
  readonly node: string;
  /** A folder of programs that take precedence over the programs of this machine. */
  readonly programs: string;
  /** The working copy that is checked out. */
  readonly workspace: string;
  /** The event, and then options. */
  readonly args: readonly string[];
  /** Called with each event as it comes. */
  readonly onEvent?: (event: ActEvent, child: ChildProcess) => void;
}

// Many times longer than the longest workflow.
const TIMEOUT_MS = 5 * 60_000;

/**
 * Runs act in host mode: on this machine, without containers. Settings of the user and of an outer
 * workflow have no effect. Rejects only if act can't be run.
 */
export async function runAct(options: ActOptions): Promise<ActRun> {
  const { act, workspace, args, onEvent } = options;
  const home = mkdtempSync(join(dirname(workspace), 'act-'));
  const platforms = ['ubuntu-latest', 'ubuntu-slim'].flatMap((label) => [
    '-P',
    `${label}=-self-hosted`,
  ]);
  const stepLog = join(home, 'steps.log');
  writeFileSync(stepLog, '');
  const common = [
    ...['--env', `STEP_LOG=${stepLog}`],
    ...['--json', '--pull=false', '--no-cache-server', '--actor', 'octocat'],
    ...['--action-cache-path', join(home, 'cache'), ...platforms],
  ];
  const [event = 'push', ...rest] = args;
  const child = spawn(act, [event, ...common, ...rest], {
    cwd: workspace,
    env: getEnvironment(options, home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const events: ActEvent[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const parsed = parseEvent(line);
      events.push(parsed);
      onEvent?.(parsed, child);
    });
  }
  const limit = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  const printed = readFileSync(stepLog, 'utf8');
  rmSync(home, { recursive: true, force: true });
  return readRun(exitCode, events, printed);
}

function getEnvironment({ node, programs }: ActOptions, home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(ACT|GITHUB|RUNNER|ACTIONS|INPUT|STATE|npm)(_|$)/i.test(name),
  );
  const temp = join(home, 'tmp');
  mkdirSync(temp);
  return {
    ...Object.fromEntries(inherited),
    PATH: `${programs}:${dirname(node)}:${process.env['PATH']}`,
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

function readRun(exitCode: number | null, events: readonly ActEvent[], printed: string): ActRun {
  const main = events.filter(({ stage, stepID }) => stage === 'Main' && stepID.length === 1);
  const ofStep = (step: string, command: string): ActEvent[] =>
    main.filter((event) => event.stepID[0] === step && event.command === command);
  return {
    exitCode,
    events,
    log: `${events.map(({ msg }) => msg.trimEnd()).join('\n')}\n${printed}`,
    jobs: events.flatMap(({ jobResult }) => jobResult ?? []),
    steps: new Map(
      main.flatMap(({ stepID: [id = ''], stepResult }) =>
        stepResult ? [[id, stepResult] as const] : [],
      ),
    ),
    outcomes: main.flatMap(({ command, name, arg }) =>
      command === 'set-output' && name === 'outcome' ? (arg ?? []) : [],
    ),
    notices: events
      // act puts a sign before a command.
      .flatMap(({ msg }) => parseCommands(/::notice .*/.exec(msg)?.[0] ?? '').commands)
      .map(({ properties, data }) => ({ title: properties['title'] ?? '', message: data })),
    outputs: (step) =>
      Object.fromEntries(ofStep(step, 'set-output').map(({ name = '', arg = '' }) => [name, arg])),
    summary: (step) =>
      ofStep(step, 'summary')
        .map(({ content }) => content)
        .join(''),
  };
}
