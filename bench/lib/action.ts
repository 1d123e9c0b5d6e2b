import { join } from 'node:path';
import {
  type ActionResult,
  type RunningAction,
  type ActionOptions as RunOptions,
  runAction,
} from '../../harness/action.ts';
import { projectRoot } from '../../harness/action-environment.ts';
import { GITHUB_TOKEN, PULL_TITLE } from './github-api.ts';

/** The committed bundle. */
export const bundlePath = join(projectRoot, 'dist', 'index.js');

const TIMEOUT_MS = 300_000;

export interface ActionOptions
  extends Pick<RunOptions, 'inputs' | 'node' | 'entry' | 'env' | 'preload' | 'timeScale'> {
  readonly baseUrl: string;
  /**
   * The API to read pull requests from, as a run does by default. If absent, the run gets no token.
   */
  readonly githubApiUrl?: string;
}

/** Starts the built action in the environment of a runner, by default without preloads. */
export function startAction({ baseUrl, githubApiUrl, ...options }: ActionOptions): RunningAction {
  return runAction({
    node: process.execPath,
    ...options,
    isBare: true,
    timeoutMs: TIMEOUT_MS,
    inputs: {
      prompt: 'Bring the documentation up to date with the last release.',
      'project-id': 'bench',
      'api-key': 'mint_emulator_admin_key_0001',
      'base-url': baseUrl,
      ...(githubApiUrl === undefined ? {} : { 'github-token': GITHUB_TOKEN }),
      ...options.inputs,
    },
    env: {
      ...(githubApiUrl === undefined ? {} : { GITHUB_API_URL: githubApiUrl }),
      ...options.env,
    },
  });
}

/** Returns the ended action. Throws unless it passed, since a failed run measures nothing. */
export async function expectPass(running: RunningAction): Promise<ActionResult> {
  const end = await running.ended;
  if (end.exitCode !== 0) {
    throw new Error(`the action ended with ${end.exitCode}:\n${end.stdout}${end.stderr}`);
  }
  return end;
}

/** Does the same, and throws unless the run also read the pull request from GitHub. */
export async function expectPullRequest(running: RunningAction): Promise<ActionResult> {
  const end = await expectPass(running);
  if (end.summary?.includes(PULL_TITLE) !== true) {
    throw new Error(`the pull request was not read:\n${end.summary}`);
  }
  return end;
}
