import type { Inputs } from '../inputs/read-inputs.ts';
import { composePrompt } from '../prompt/compose-prompt.ts';
import { decideByPaths } from '../prompt/paths.ts';
import { readReleaseIfNeeded } from '../prompt/read-release.ts';
import type { CreateRequest, FollowUpRequest } from '../service/job.ts';
import type { PathsDecision } from '../state/events.ts';
import type { Run } from '../state/run.ts';

/** A request that is ready to be sent, and what `paths` means for it. */
interface Prepared<R> {
  readonly request: R;
  readonly decision: PathsDecision | undefined;
}

/**
 * Returns the request with facts about the release in its prompt, if the inputs ask for them, and
 * decides whether `paths` skips it. The tracker knows both. Throws an `InputError` if `release-tag`
 * does not exist.
 */
export async function preparePrompt<R extends CreateRequest | FollowUpRequest>(
  original: R,
  inputs: Inputs,
  run: Run,
): Promise<Prepared<R>> {
  const { tracker, emit } = run;
  const release = await readReleaseIfNeeded(inputs, run);
  const { paths } = inputs;
  const decision = release && paths && decideByPaths(release, paths);
  if (decision !== undefined) {
    emit({ kind: 'paths', decision });
  }
  const prompt = composePrompt(original.prompt, release, inputs, run);
  const request = { ...original, prompt };
  tracker.update({ request, isSkipped: decision?.kind === 'skip' });
  return { request, decision };
}
