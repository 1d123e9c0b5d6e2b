import { readFileSync } from 'node:fs';
import { undefinedIfThrown } from '../errors.ts';

/** Removes variables that would make Node or the toolkit misbehave. */
export function prepareEnvironment(): void {
  // Connections verify certificates in any case. With this variable, Node would warn otherwise.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  // The toolkit throws if the event file is not JSON.
  const eventPath = process.env['GITHUB_EVENT_PATH'] ?? '';
  if (undefinedIfThrown(() => JSON.parse(readFileSync(eventPath, 'utf8'))) === undefined) {
    delete process.env['GITHUB_EVENT_PATH'];
  }
}
