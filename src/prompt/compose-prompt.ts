import { getHalfOfRemainingMs } from '../clock.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import { decideByPaths } from './paths.ts';
import { renderReleaseFacts } from './release-facts.ts';

const RELEASE_TIMEOUT_MS = 20_000;

/**
 * Returns the prompt to send, with release facts if the inputs ask for them. Throws a `Stop` if no
 * changed file matches `paths`, except in a dry run. Throws an `InputError` if `release-tag` does
 * not exist.
 */
export async function composePrompt(
  prompt: string,
  { tag, releaseContext, paths, dryRun }: Inputs,
  run: Run,
): Promise<string> {
  const { github, openGitHub, redact, tracker, emit, cancel: signal } = run;
  if (tag === undefined || !(releaseContext || paths !== undefined)) {
    return prompt;
  }
  const { readRelease } = await import('../github/releases.ts');
  const timeoutMs = Math.min(RELEASE_TIMEOUT_MS, getHalfOfRemainingMs(run));
  const release = await readRelease(github, tag, openGitHub({ timeoutMs, signal }));
  if (paths !== undefined) {
    const decision = decideByPaths(release, paths);
    if (decision.kind === 'skip') {
      tracker.update({ isSkipped: true });
      if (!dryRun) {
        const { previousTag, files } = decision;
        throw new Stop({ result: 'skipped', previousTag, files });
      }
    }
    emit({ kind: 'paths', decision });
  }
  if (!releaseContext) {
    return prompt;
  }
  const { missing, reason, isRefused } = release;
  if (missing.length > 0) {
    emit({ kind: 'missing-facts', missing, reason, isRefused });
  }
  return `${prompt}\n\n---\n${renderReleaseFacts(release, paths, redact)}`;
}
