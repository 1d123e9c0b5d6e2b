import { readFileSync } from 'node:fs';
import { undefinedIfThrown } from '../errors.ts';

const RUNNER_VARIABLE = /^(?:GITHUB|RUNNER)_/;

/** Removes variables that are empty, or that would make Node or the toolkit misbehave. */
export function prepareEnvironment(): void {
  // For the runner, empty means absent. For an action of the workflow's own repository (`./`), it
  // sets GITHUB_ACTION_REPOSITORY and GITHUB_ACTION_REF to empty strings.
  for (const [name, value] of Object.entries(process.env)) {
    if (value === '' && RUNNER_VARIABLE.test(name)) {
      delete process.env[name];
    }
  }
  // Connections verify certificates in any case. With this variable, Node would warn otherwise.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  // The toolkit throws if the event file is not JSON.
  if (readEvent() === undefined) {
    delete process.env['GITHUB_EVENT_PATH'];
  }
}

function readEvent(): unknown {
  return undefinedIfThrown(() =>
    JSON.parse(readFileSync(process.env['GITHUB_EVENT_PATH'] ?? '', 'utf8')),
  );
}
