import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

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

/** A line of act's log: a message of act or of a step, a step's result, an output, a summary, a job's result. */
export type ActEvent = z.infer<typeof eventSchema>;

/** What came of a run of act. */
export interface ActRun {
  readonly exitCode: number | null;
  readonly events: readonly ActEvent[];
  /** All messages, for a person who wants to know what went wrong. */
  readonly log: string;
  /** The last result of every job, in the order in which they ended. */
  readonly jobs: readonly string[];
  /** The results of the main stage of the steps by their id, which is a number for those without one. */
  readonly steps: ReadonlyMap<string, string>;
  /** The outputs of a step. */
  outputs(step: string): Record<string, string>;
  /** The job summary that a step left. */
  summary(step: string): string;
}

export interface ActOptions {
  readonly act: string;
  /** Path of the node binary that runs the actions, and the steps that call `node`. */
  readonly node: string;
  /** The working copy that is checked out. */
  readonly workspace: string;
  readonly args: readonly string[];
  /** Called with each event as it comes. */
  readonly onEvent?: (event: ActEvent, child: ChildProcess) => void;
}

// Many times what the longest workflow takes.
const LIMIT_MS = 5 * 60_000;

/**
 * Runs act in host mode, that is on this machine without containers, away from the settings of the user and of an
 * outer workflow. Rejects only if act cannot be run at all.
 */
export async function runAct({ act, node, workspace, args, onEvent }: ActOptions): Promise<ActRun> {
  const home = mkdtempSync(join(dirname(workspace), 'act-'));
  const options = [
    ...['--json', '--pull=false', '--no-cache-server', '--actor', 'octocat'],
    ...['--platform', 'ubuntu-latest=-self-hosted', '--action-cache-path', join(home, 'cache')],
  ];
  const [event = 'push', ...rest] = args;
  const child = spawn(act, [event, ...options, ...rest], {
    cwd: workspace,
    env: toEnvironment(node, home),
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
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  rmSync(home, { recursive: true, force: true });
  return toRun(exitCode, events);
}

function toEnvironment(node: string, home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(ACT|GITHUB|RUNNER|ACTIONS|INPUT|STATE|npm)(_|$)/i.test(name),
  );
  const temp = join(home, 'tmp');
  mkdirSync(temp);
  return {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(node)}:${process.env['PATH']}`,
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

function toRun(exitCode: number | null, events: readonly ActEvent[]): ActRun {
  const main = events.filter(({ stage, stepID }) => stage === 'Main' && stepID.length === 1);
  const ofStep = (step: string, command: string): ActEvent[] =>
    main.filter((event) => event.stepID[0] === step && event.command === command);
  return {
    exitCode,
    events,
    log: events.map(({ msg }) => msg.trimEnd()).join('\n'),
    jobs: events.flatMap(({ jobResult }) => jobResult ?? []),
    steps: new Map(
      main.flatMap(({ stepID: [id = ''], stepResult }) => (stepResult ? [[id, stepResult] as const] : [])),
    ),
    outputs: (step) =>
      Object.fromEntries(ofStep(step, 'set-output').map(({ name = '', arg = '' }) => [name, arg])),
    summary: (step) =>
      ofStep(step, 'summary')
        .map(({ content }) => content)
        .join(''),
  };
}
