import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A line of act's log: a message, an output, or the result of a job. */
interface ActEvent {
  readonly msg?: string;
  readonly command?: string;
  readonly name?: string;
  readonly arg?: string;
  readonly stepID?: readonly string[];
  readonly jobResult?: string;
}

/** A run of a workflow. */
export interface Play {
  /** The text of the workflow. */
  readonly workflow: string;
  readonly event: string;
  readonly payload: object;
  /** More arguments of act. */
  readonly args: readonly string[];
}

// Many times longer than the longest workflow.
const TIMEOUT_MS = 5 * 60_000;

/**
 * Runs act in host mode: on this machine, without containers. `programs` is a folder of programs
 * that take precedence over those of this machine. Settings of the user and of an outer workflow
 * have no effect. Rejects only if act can't be run.
 */
export async function runAct(
  act: string,
  workspace: string,
  programs: string,
  { workflow, event, payload, args }: Play,
) {
  const home = mkdtempSync(join(dirname(workspace), 'act-'));
  const [path, eventPath] = [join(home, 'workflow.yml'), join(home, 'event.json')];
  // act doesn't know these keys.
  writeFileSync(path, workflow.replace(/^ +(?:queue: max|deployment: false)\b.*\n/gm, ''));
  writeFileSync(eventPath, JSON.stringify(payload));
  const options = [
    ...['--json', '--pull=false', '--no-cache-server', '--actor', 'octocat'],
    ...['--action-cache-path', join(home, 'cache'), '-W', path, '-e', eventPath],
    ...['-P', 'ubuntu-latest=-self-hosted', '-P', 'ubuntu-slim=-self-hosted'],
  ];
  const child = spawn(act, [event, ...options, ...args], {
    cwd: workspace,
    env: getEnvironment(programs, home),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const events: ActEvent[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => events.push(parseEvent(line)));
  }
  await once(child, 'close');
  rmSync(home, { recursive: true, force: true });
  return readRun(events);
}

function getEnvironment(programs: string, home: string): NodeJS.ProcessEnv {
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
    return JSON.parse(line) as ActEvent;
  } catch {
    return { msg: line };
  }
}

function readRun(events: readonly ActEvent[]) {
  const outputs = events.filter(({ command }) => command === 'set-output');
  const toPairs = (found: ActEvent[]) => found.map(({ name = '', arg = '' }) => [name, arg]);
  return {
    log: events.map(({ msg = '' }) => msg.trimEnd()).join('\n'),
    /** The results of the jobs that ran, sorted. */
    jobs: events.flatMap(({ jobResult }) => jobResult ?? []).sort(),
    /** The values of the output `job-result` of every step that uses the action, sorted. */
    outcomes: outputs.flatMap(({ name, arg }) => (name === 'job-result' ? [arg] : [])).sort(),
    /** The outputs of a step. */
    outputs: (step: string): Record<string, string> =>
      Object.fromEntries(toPairs(outputs.filter(({ stepID }) => stepID?.join() === step))),
  };
}
