import type { Timing } from '../clock.ts';
import type { OpenGitHub } from '../github/api.ts';
import type { GitHubContext } from '../github/context.ts';
import type { AgentApi } from '../service/agent-client.ts';
import type { Redact } from '../text/redact.ts';
import type { RunEvent } from './events.ts';
import type { RunTracker } from './run-state.ts';

/** Everything that a run depends on. */
export interface Run extends Timing {
  readonly agent: AgentApi;
  readonly github: GitHubContext;
  readonly openGitHub: OpenGitHub;
  readonly tracker: RunTracker;
  readonly emit: (event: RunEvent) => void;
  readonly redact: Redact;
}
