import { createInterface } from 'node:readline';
import { releaseSha } from '../../__tests__/github/sample.ts';
import { type ActionResult, runAction } from '../../harness/action.ts';
import { projectRoot } from '../../harness/action-environment.ts';

export interface DemoRun {
  /** Path of the node that runs the action. */
  readonly node: string;
  readonly inputs: Record<string, string>;
  /** The address of GitHub's API. */
  readonly apiUrl: string;
  readonly attempt: number;
  /** Called with every line of stdout and stderr as it arrives. */
  readonly onLine: (line: string) => void;
}

/** Longer than any timeout that the action accepts. */
const NO_LIMIT_MS = 7 * 60 * 60_000;

/**
 * Runs the built action for the tag v1.2.0. Ctrl+C cancels it as a runner does: SIGINT, SIGTERM
 * after 7.5 seconds, and SIGKILL after 2.5 more.
 */
export async function runForRelease(run: DemoRun): Promise<ActionResult> {
  const { child, ended } = runAction({
    isBare: true,
    // In its own process group, so that Ctrl+C in the terminal arrives only once. Windows can't
    // pass on such a signal.
    detached: process.platform !== 'win32',
    timeoutMs: NO_LIMIT_MS,
    node: run.node,
    workspace: projectRoot,
    inputs: run.inputs,
    event: { name: 'push', payload: { ref: 'refs/tags/v1.2.0' } },
    env: {
      GITHUB_API_URL: run.apiUrl,
      GITHUB_REF: 'refs/tags/v1.2.0',
      GITHUB_REF_NAME: 'v1.2.0',
      GITHUB_REF_TYPE: 'tag',
      GITHUB_RUN_ATTEMPT: String(run.attempt),
      GITHUB_SHA: releaseSha,
      RUNNER_DEBUG: process.env['RUNNER_DEBUG'],
    },
  });
  for (const input of [child.stdout, child.stderr]) {
    if (input) {
      createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', run.onLine);
    }
  }
  const timers: NodeJS.Timeout[] = [];
  const cancel = (): void => {
    if (process.platform !== 'win32') {
      child.kill('SIGINT');
    }
    timers.push(setTimeout(() => child.kill('SIGTERM'), 7_500));
    timers.push(setTimeout(() => child.kill('SIGKILL'), 10_000));
  };
  process.once('SIGINT', cancel).once('SIGTERM', cancel);
  const result = await ended;
  process.off('SIGINT', cancel).off('SIGTERM', cancel);
  for (const timer of timers) {
    clearTimeout(timer);
  }
  return result;
}
