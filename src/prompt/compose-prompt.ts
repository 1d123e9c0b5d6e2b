import { getRemainingMs } from '../clock.ts';
import type { RunDependencies } from '../dependencies.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { Stop } from '../outcome.ts';
import { code, message } from '../text/message.ts';
import { decideByPaths, selectFiles } from './paths.ts';
import { renderReleaseFacts } from './release-facts.ts';

const RELEASE_TIMEOUT_MS = 20_000;

/**
 * Returns the prompt to send: with the release facts if they are wanted. With `maySkip`, throws a `Stop` if no file that
 * matters has changed, and an `InputError` if `release-tag` does not exist.
 */
export async function composePrompt(
  prompt: string,
  { release, releaseContext, paths, dryRun }: Inputs,
  maySkip: boolean,
  dependencies: RunDependencies,
): Promise<string> {
  const { github, openGitHub, redact, reporter, cancel: signal } = dependencies;
  if (release === undefined || !(releaseContext || paths !== undefined)) {
    return prompt;
  }
  const { readRelease } = await import('../github/releases.ts');
  const timeoutMs = Math.min(RELEASE_TIMEOUT_MS, getRemainingMs(dependencies) / 2);
  const reading = await readRelease(github, release, openGitHub({ timeoutMs, signal }));
  if (paths !== undefined && maySkip) {
    const decision = decideByPaths(reading, paths);
    if ('outcome' in decision && !dryRun) {
      throw new Stop(decision);
    }
    const skip = message`no changed file matches ${code('paths')}: a real run would be skipped`;
    reporter.onNote('outcome' in decision ? skip : decision);
  }
  if (!releaseContext) {
    return prompt;
  }
  const { missing, reason, isRefused } = reading;
  if (missing.length > 0) {
    const remedy = isRefused ? message` Give the workflow job ${code('contents: read')}.` : [];
    const warning = message`The prompt lacks facts about the release that couldn't be read: ${missing.join(', ')} (${reason}).${remedy}`;
    reporter.onMissingFacts(warning);
  }
  const { files } = reading.release;
  const selected = files && paths && { ...files, list: selectFiles(files.list, paths), isSelected: true };
  const facts = { ...reading.release, files: selected ?? files };
  return `${prompt}\n\n---\n${renderReleaseFacts(facts, redact)}`;
}
