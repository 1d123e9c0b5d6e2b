import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminKey } from '../emulator/keys.ts';
import type { ActOptions, ActRun } from './act.ts';
import type { GhServer } from './gh-server.ts';

/** One or more runs of act, with their expected results. */
export interface Scenario {
  readonly name: string;
  /** Rejects if a result is wrong. */
  readonly play: (play: Play) => Promise<void>;
}

export type PlayOptions = Pick<ActOptions, 'args'> &
  Partial<Pick<ActOptions, 'node' | 'onEvent' | 'workspace'>>;
export type Play = (options: PlayOptions) => Promise<ActRun>;

/** The environment of the scenarios. */
export interface Scene {
  /** A folder for the files of the scenarios. */
  readonly temp: string;
  /** The working copy. Variants of workflows are written into it. */
  readonly workspace: string;
  /** Address of an emulator for workflows that don't start their own. */
  readonly baseUrl: string;
  /** The value of `github.token`. */
  readonly token: string;
  readonly gh: GhServer;
  /** A webhook that accepts every message, and the messages. */
  readonly chat: { readonly url: string; readonly messages: readonly string[] };
  /** Makes a commit known to the stand-in for GitHub's API, as the head of a branch. */
  readonly addBranch: (name: string, commit: string) => void;
  /** Starts a job that opens a pull request, and returns its id. */
  readonly addJob: (projectId?: string) => string;
  /** The prompts of the jobs that were created. */
  readonly readPrompts: () => readonly string[];
  /** Path of a second node for the self-test. */
  readonly otherNode: string | undefined;
}

export const action = 'OWNER/docs-agent-action';
/** Returns the arguments of act for the variables and secrets of the quick start. */
export function getSettings(baseUrl: string, projectId: string): string[] {
  return [
    ...['--var', `EMULATOR_URL=${baseUrl}`, '--var', `DOCS_PROJECT_ID=${projectId}`],
    ...['--secret', `DOCS_AGENT_API_KEY=${adminKey}`],
  ];
}

/**
 * Writes the payload of an event to its own file, since scenarios run side by side. Returns the
 * arguments of act that send it.
 */
export function createEvent(temp: string, event: string, payload: unknown): string[] {
  mkdirSync(temp, { recursive: true });
  const file = join(mkdtempSync(join(temp, 'event-')), 'event.json');
  writeFileSync(file, JSON.stringify(payload));
  return [event, '-e', file];
}

/** Returns the arguments of act that start a workflow by hand. */
export function toDispatch(inputs: readonly string[]): string[] {
  return ['workflow_dispatch', ...inputs.flatMap((input) => ['--input', input])];
}
