import type { ChangesReading } from '../github/changes.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';

const TIMEOUT_MS = 20_000;

/**
 * Returns what changed, or undefined if no input needs it. Takes at most 20 seconds, and at most
 * half of the time that is left. Throws an `InputError` if the inputs name a tag, branch, or commit
 * that does not exist.
 */
export async function readChangesIfNeeded(
  inputs: Inputs,
  run: Run,
): Promise<ChangesReading | undefined> {
  if (!inputs.includeChanges && inputs.paths === undefined) {
    return undefined;
  }
  // Most runs don't need this part of the bundle, and start sooner without it.
  const { readChanges } = await import('../github/changes.ts');
  const timeoutMs = getPreparationMs(TIMEOUT_MS, run);
  return readChanges(run.github, inputs, run.openGitHub({ timeoutMs, signal: run.cancel }));
}
