import type { ReleaseReading } from '../github/releases.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Run } from '../state/run.ts';
import { renderReleaseFacts } from './release-facts.ts';

/**
 * Returns the prompt to send, with facts about the release if the inputs ask for them. Warns about
 * facts that couldn't be read.
 */
export function composePrompt(
  prompt: string,
  release: ReleaseReading | undefined,
  { releaseContext, paths }: Inputs,
  { emit, redact }: Pick<Run, 'emit' | 'redact'>,
): string {
  if (release === undefined || !releaseContext) {
    return prompt;
  }
  const { missing, reason, isRefused } = release;
  if (missing.length > 0) {
    emit({ kind: 'missing-facts', missing, reason, isRefused });
  }
  return `${prompt}\n\n---\n${renderReleaseFacts(release, paths, redact)}`;
}
