import { expect } from 'vitest';
import { adminKey } from '../../emulator/keys.ts';
import { createEmulator, type Emulator } from '../../emulator/server.ts';
import {
  createGitHubApi,
  type GitHubApi,
  type GitHubApiOptions,
  toApiVariables,
} from '../github/api.ts';
import type { Fault } from '../github/faults.ts';
import {
  createRepository,
  type Repository,
  type RepositoryCommit,
  toSha,
} from '../github/repository.ts';
import { createToken } from '../github/token.ts';
import {
  type ActionOptions,
  type ActionResult,
  closeActions,
  type RunningAction,
  runAction,
} from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { closeAtEnd } from '../harness/at-end.ts';
import { showOnFailure } from '../harness/failure-report.ts';
import { expectInvariants, expectNoSecret, findSecret } from './invariants.ts';
import { runInside } from './run-inside.ts';

export const TOKEN = createToken('the run');
export const RUN_ID = '1234567890';
/** Real time after which a run has failed. */
const LIMIT_MS = 90_000;
export const PROMPT = 'Describe what is new';

/** Returns a repository with only these contents, and the commit of the run. */
export function repository(parts: Partial<Repository> = {}): Repository {
  return createRepository({ branches: { main: headSha }, ...parts });
}

/** Returns commits, oldest first. Each changes its own file. */
export function commits(count: number, change: Partial<RepositoryCommit> = {}): RepositoryCommit[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: toSha(`commit ${index}`),
    message: `Change number ${index}\n\nWith a body.`,
    author: 'octocat',
    files: [{ path: `src/file-${index}.ts`, status: 'modified', additions: 2, deletions: 1 }],
    ...change,
  }));
}

/** Returns options of the API for a fault of requests for a path: of these, or of all. */
export function broken(fault: Fault, path = /./, ...calls: number[]) {
  return { faults: [{ path, fault, ...(calls.length > 0 && { calls }) }] };
}

/** Returns the variables of a run of `docs.yml` for a tag that was pushed on this commit. */
export function tagPush(tag: string, sha = headSha): { env: Record<string, string> } {
  const ref = `refs/tags/${tag}`;
  const GITHUB_WORKFLOW_REF = `acme/widgets/.github/workflows/docs.yml@${ref}`;
  const event = { GITHUB_EVENT_NAME: 'push', GITHUB_WORKFLOW_REF, GITHUB_SHA: sha };
  return { env: { ...event, GITHUB_REF: ref, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: tag } };
}

/** Runs the action, with these inputs besides the usual ones. */
type Play<T> = (inputs?: Record<string, string>, options?: ActionOptions) => T;

const worlds: { readonly emulator: Emulator; readonly github: GitHubApi }[] = [];

/** Fails if a request or a response deviates from GitHub's API descriptions. */
async function closeGitHub(): Promise<void> {
  await closeActions();
  const open = worlds.splice(0);
  await Promise.all(open.flatMap(({ emulator, github }) => [emulator.close(), github.close()]));
  // Only now, because compiling the description would delay responses.
  for (const { github } of open) {
    expect(github.findDeviations(), "not as GitHub's API descriptions").toEqual([]);
  }
}

/**
 * Starts the service and the API of GitHub with the repository `acme/widgets`, and returns ways to
 * run the action.
 */
export async function setUp(
  parts: Partial<Repository> = {},
  api: Partial<GitHubApiOptions> = {},
  timeScale = 4,
) {
  const emulator = createEmulator({ speed: 20 });
  const widgets = repository(parts);
  const github = createGitHubApi({
    token: TOKEN,
    ...api,
    repositories: { 'acme/widgets': widgets, ...api.repositories },
  });
  worlds.push({ emulator, github });
  closeAtEnd(closeGitHub);
  const baseUrl = await emulator.listen();
  const apiUrl = await github.listen();
  const show = ({ method, path, body }: Record<'method' | 'path' | 'body', string>): string =>
    `${method} ${path} ${body}`;
  showOnFailure('requests at the emulator', () => emulator.requests.map(show));
  showOnFailure('requests at the API of GitHub', () => github.requests.map(show));
  const usual = {
    prompt: PROMPT,
    'project-id': 'quick',
    'api-key': adminKey,
    'base-url': baseUrl,
    'poll-interval-seconds': '1',
    'github-token': TOKEN,
  };
  const complete = (inputs?: Record<string, string>, options: ActionOptions = {}) => ({
    timeScale,
    timeoutMs: LIMIT_MS,
    ...options,
    env: { ...toApiVariables(apiUrl), ...options.env },
    inputs: { ...usual, ...inputs },
  });
  const start: Play<RunningAction> = (...parts) => runAction(complete(...parts));
  /** Checks the invariants of a run, and the secrecy of the token. */
  const check = async (ended: Promise<ActionResult>): Promise<ActionResult> => {
    const before = emulator.counts();
    const result = await ended;
    const { creates, jobs } = emulator.counts();
    expectInvariants(result, {
      key: adminKey,
      creates: creates - before.creates,
      jobs: jobs - before.jobs,
    });
    expectNoSecret(result, TOKEN);
    const [atService, atGitHub] = [emulator, github].map((one) => JSON.stringify(one.requests));
    expect(findSecret(atService ?? '', TOKEN), 'the token at the service').toEqual([]);
    expect(findSecret(atGitHub ?? '', adminKey), 'the key at GitHub').toEqual([]);
    return result;
  };
  const finish: Play<Promise<ActionResult>> = (...parts) => check(start(...parts).ended);
  const finishInside: typeof finish = (...parts) =>
    process.env['ACTION_NODE'] === undefined
      ? check(runInside(complete(...parts)))
      : finish(...parts);
  return {
    emulator,
    github,
    /** The commit statuses of the repository. The test may add to them. */
    statuses: widgets.statuses,
    /** The addresses of the service and of the API. */
    baseUrl,
    apiUrl,
    /** The inputs of a run, unless it has others. */
    usual,
    start,
    /** Runs the action to its end, and checks what `check` does. */
    finish,
    /** The same without a process for it (run-inside.ts), unless ACTION_NODE is set, as in CI. */
    finishInside,
    /** The prompts that the service received, in order. */
    prompts: (): string[] =>
      emulator.requests
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => JSON.parse(body).prompt),
  };
}
