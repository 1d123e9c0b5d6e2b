import type { ChangesReading } from '../github/changes.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Run } from '../state/run-state.ts';
import { renderChangeFacts } from './change-facts.ts';

/**
 * Returns the prompt to send, with facts about the changes if the inputs ask for them. Warns about
 * facts that couldn't be read.
 */
export function composePrompt(
  prompt: string,
  reading: ChangesReading | undefined,
  { includeChanges, paths }: Inputs,
  { emit, redact }: Pick<Run, 'emit' | 'redact'>,
): string {
  if (reading === undefined || !includeChanges) {
    return prompt;
  }
  const { missing, reason, isRefused } = reading;
  if (missing.length > 0) {
    emit({ kind: 'missing-facts', missing, reason, isRefused });
  }
  return `${prompt}\n\n---\n${renderChangeFacts(reading, paths, redact)}`;
}
