import { getHalfOfRemainingMs } from '../clock.ts';
import type { ReleaseReading } from '../github/releases.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Run } from '../state/run.ts';

const RELEASE_TIMEOUT_MS = 20_000;

/**
 * Returns the facts about the release, or undefined if no input needs them. Takes at most 20
 * seconds, and at most half of the time that is left. Throws an `InputError` if `release-tag` does
 * not exist.
 */
export async function readReleaseIfNeeded(
  { tag, releaseContext, paths }: Inputs,
  run: Run,
): Promise<ReleaseReading | undefined> {
  if (tag === undefined || !(releaseContext || paths !== undefined)) {
    return undefined;
  }
  const { readRelease } = await import('../github/releases.ts');
  const timeoutMs = Math.min(RELEASE_TIMEOUT_MS, getHalfOfRemainingMs(run));
  return readRelease(run.github, tag, run.openGitHub({ timeoutMs, signal: run.cancel }));
}
