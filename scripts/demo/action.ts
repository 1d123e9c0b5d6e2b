import { createInterface } from 'node:readline';
import { releaseSha } from '../../__tests__/github/sample.ts';
import { type ActionResult, runAction } from '../../harness/action.ts';

export interface DemoRun {
  readonly inputs: Record<string, string>;
  /** The address of GitHub's API. */
  readonly apiUrl: string;
  readonly attempt: number;
  /** Called with every line of stdout and stderr as it arrives. */
  readonly onLine: (line: string) => void;
}

/** Longer than any timeout that the action accepts. */
const NO_LIMIT_MS = 7 * 60 * 60_000;

/** Runs the built action for the tag v1.2.0. A terminal passes on Ctrl+C to it, which cancels it. */
export async function runForRelease(run: DemoRun): Promise<ActionResult> {
  const { child, ended } = runAction({
    isBare: true,
    timeoutMs: NO_LIMIT_MS,
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
  // It waits for the canceled run, and shows its end.
  const wait = (): void => {};
  process.on('SIGINT', wait);
  const result = await ended;
  process.off('SIGINT', wait);
  return result;
}
