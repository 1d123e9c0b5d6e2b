import { join } from 'node:path';
import {
  createEnvironment,
  createRunFolder,
  projectRoot,
  readDefinition,
  toInputVariables,
} from '../../__tests__/helpers/action-environment.ts';
import { readIfFile, readPairs } from '../../__tests__/helpers/action-result.ts';
import { GITHUB_TOKEN, PULL_TITLE } from './github-api.ts';
import { type Ended, type RunningProcess, startProcess } from './process.ts';

/** The committed bundle. */
export const bundlePath = join(projectRoot, 'dist', 'index.js');

export interface ActionOptions {
  readonly baseUrl: string;
  /** Where pull requests are read, which a run does by default; without it there is no token to read them with. */
  readonly githubApiUrl?: string;
  /** Further inputs; all others have the defaults of action.yml. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly node?: string;
  /** Options of node, such as a preloaded module. */
  readonly nodeOptions?: readonly string[];
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface EndedAction extends Ended {
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface RunningAction extends Omit<RunningProcess, 'ended'> {
  readonly ended: Promise<EndedAction>;
}

/** Starts the built action in the environment of a runner, with nothing preloaded unless asked for. */
export function startAction(options: ActionOptions): RunningAction {
  const folder = createRunFolder({ GITHUB_OUTPUT: 'file', GITHUB_STEP_SUMMARY: 'file' });
  const inputs = {
    prompt: 'Bring the documentation up to date with the last release.',
    'project-id': 'bench',
    'api-key': 'mint_emulator_admin_key_0001',
    'base-url': options.baseUrl,
    ...(options.githubApiUrl === undefined ? {} : { 'github-token': GITHUB_TOKEN }),
    ...options.inputs,
  };
  const { ended, ...running } = startProcess({
    ...(options.node === undefined ? {} : { node: options.node }),
    args: [...(options.nodeOptions ?? []), options.entry ?? bundlePath],
    env: {
      ...createEnvironment(folder, { name: 'workflow_dispatch', payload: {} }),
      ...toInputVariables(inputs, readDefinition()),
      ...(options.githubApiUrl === undefined ? {} : { GITHUB_API_URL: options.githubApiUrl }),
      ...options.env,
    },
    cwd: folder.workspace,
  });
  return {
    ...running,
    ended: ended
      .then((end) => ({
        ...end,
        outputs: readPairs(folder.files['GITHUB_OUTPUT']),
        summary: readIfFile(folder.files['GITHUB_STEP_SUMMARY']) ?? '',
      }))
      .finally(() => folder.remove()),
  };
}

/** The ended action; throws unless it passed, since a run that failed measures nothing. */
export async function expectPass(running: RunningAction): Promise<EndedAction> {
  const end = await running.ended;
  if (end.exitCode !== 0) {
    throw new Error(`the action ended with ${end.exitCode}:\n${end.stdout}${end.stderr}`);
  }
  return end;
}

/** The same of a run that has also read the pull request from GitHub, which it must not fail for. */
export async function expectPullRequest(running: RunningAction): Promise<EndedAction> {
  const end = await expectPass(running);
  if (!end.summary.includes(PULL_TITLE)) {
    throw new Error(`the pull request was not read:\n${end.summary}`);
  }
  return end;
}
