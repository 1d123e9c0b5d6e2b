import { expect } from 'vitest';
import { createGitHubApi, type GitHubApi, type GitHubApiOptions } from '../../emulator/github/api.ts';
import type { Fault } from '../../emulator/github/faults.ts';
import { toSha } from '../../emulator/github/payloads.ts';
import type {
  Annotation,
  Repository,
  RepositoryCommit,
  WorkflowJob,
} from '../../emulator/github/repository.ts';
import { adminKey } from '../../emulator/keys.ts';
import { createEmulator, type Emulator } from '../../emulator/server.ts';
import {
  type ActionOptions,
  type ActionResult,
  closeActions,
  type RunningAction,
  runAction,
} from '../../harness/action.ts';
import { closeAtEnd } from '../../harness/at-end.ts';
import { showOnFailure } from '../../harness/failure-report.ts';
import { findDeviations } from './github-description.ts';
import { expectInvariants, expectNoSecret, findSecret } from './invariants.ts';

export const TOKEN = 'ghs_Zk3vQ8xN5tYbLwRfHcJdMpSaGe4UiVoXqTz';
export const RUN_ID = '1234567890';
export const PROMPT = 'Describe what is new';

/** A repository with nothing in it but what is given. */
export function repository(parts: Partial<Repository> = {}): Repository {
  return { commits: [], tags: [], releases: {}, runs: {}, pulls: {}, ...parts };
}

/** Commits, oldest first, each of which changes a file of its own. */
export function commits(count: number, change: Partial<RepositoryCommit> = {}): RepositoryCommit[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: toSha(`commit ${index}`),
    message: `Change number ${index}\n\nWith a body.`,
    author: 'octocat',
    files: [{ path: `src/file-${index}.ts`, status: 'modified', additions: 2, deletions: 1 }],
    ...change,
  }));
}

/** Options of the API with one fault in every answer. */
export function broken(fault: Fault): Pick<GitHubApiOptions, 'faults'> {
  return { faults: [{ path: /./, fault }] };
}

/** The variables of a run of `docs.yml` for a tag that was pushed. */
export function tagPush(tag: string): { env: Record<string, string> } {
  const ref = `refs/tags/${tag}`;
  return {
    env: {
      GITHUB_EVENT_NAME: 'push',
      GITHUB_REF: ref,
      GITHUB_REF_TYPE: 'tag',
      GITHUB_REF_NAME: tag,
      GITHUB_WORKFLOW_REF: `acme/widgets/.github/workflows/docs.yml@${ref}`,
    },
  };
}

const levels: Readonly<Record<string, Annotation['level']>> = {
  notice: 'notice',
  warning: 'warning',
  error: 'failure',
};

/** A workflow job in which the action ran, with the annotations that it left. */
export function toWorkflowJob(id: number, name: string, result: ActionResult): WorkflowJob {
  const annotations = result.commands.flatMap(({ name: command, properties, data }) => {
    const level = levels[command];
    return level === undefined ? [] : [{ title: properties['title'] ?? '', message: data, level }];
  });
  const conclusion = result.exitCode === 0 ? 'success' : 'failure';
  return { id, name, conclusion, annotations };
}

/** The jobs of a matrix, which wrote nothing: `build (0)`, `build (1)` and so on, with ids from `firstId`. */
export function matrix(
  firstId: number,
  name: string,
  count: number,
  parts: Partial<WorkflowJob> = {},
): WorkflowJob[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    name: `${name} (${index})`,
    conclusion: 'success',
    ...parts,
  }));
}

const worlds: { readonly emulator: Emulator; readonly github: GitHubApi }[] = [];

/** Fails where a request or an answer did not fit GitHub's API description. */
async function closeGitHub(): Promise<void> {
  await closeActions();
  const open = worlds.splice(0);
  await Promise.all(open.flatMap(({ emulator, github }) => [emulator.close(), github.close()]));
  for (const { github } of open) expectDescribed(github);
}

/** The service, the API of GitHub with one repository `acme/widgets`, and the action that runs between them. */
export async function setUp(
  parts: Partial<Repository> = {},
  api: Partial<GitHubApiOptions> = {},
  timeScale = 1,
) {
  const emulator = createEmulator({ speed: 20 });
  const github = createGitHubApi({
    repositories: { 'acme/widgets': repository(parts) },
    token: TOKEN,
    ...api,
  });
  worlds.push({ emulator, github });
  closeAtEnd(closeGitHub);
  const baseUrl = await emulator.listen();
  const apiUrl = await github.listen();
  showRequestsOnFailure(emulator);
  showOnFailure('requests at the API of GitHub', () => github.requests.map(({ path }) => path));
  const start = (inputs: Record<string, string> = {}, options: ActionOptions = {}): RunningAction =>
    runAction({
      timeScale,
      ...options,
      env: { GITHUB_API_URL: apiUrl, ...options.env },
      inputs: {
        prompt: PROMPT,
        'project-id': 'quick',
        'api-key': adminKey,
        'base-url': baseUrl,
        'poll-interval-seconds': '1',
        'github-token': TOKEN,
        ...inputs,
      },
    });
  return {
    emulator,
    github,
    /** Where the service listens. */
    baseUrl,
    /** Where that API listens. */
    apiUrl,
    start,
    /** Runs the action to its end and checks what holds for every run, the token's secrecy included. */
    async finish(inputs?: Record<string, string>, options?: ActionOptions): Promise<ActionResult> {
      const before = emulator.counts();
      const result = await start(inputs, options).ended;
      const { creates, jobs } = emulator.counts();
      expectInvariants(result, {
        key: adminKey,
        creates: creates - before.creates,
        jobs: jobs - before.jobs,
      });
      expectNoSecret(result, TOKEN);
      expectKeptApart(emulator, github);
      return result;
    },
    /** The prompts that the service received, in order. */
    prompts: (): string[] =>
      emulator.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).prompt),
  };
}

/** If the current test fails, shows the requests that the emulator received, and how it answered them. */
export function showRequestsOnFailure({ requests }: Emulator): void {
  showOnFailure('requests at the emulator', () =>
    requests.map(({ method, path, body, status }) => `${method} ${path} ${body} → ${status}`),
  );
}

/** The token goes to GitHub alone, and the key to the service alone. */
function expectKeptApart(emulator: Emulator, github: GitHubApi): void {
  const asked = github.requests.map(({ path, headers }) => [path, headers]);
  expect(findSecret(JSON.stringify(emulator.requests), TOKEN), 'the token at the service').toEqual([]);
  expect(findSecret(JSON.stringify(asked), adminKey), 'the key at GitHub').toEqual([]);
}

/**
 * All that went over the wire fits GitHub's API description, except for made faults. Not checked while actions run:
 * to read the description takes long enough to delay an answer.
 */
function expectDescribed({ requests }: GitHubApi): void {
  expect([...new Set(requests.flatMap(findDeviations))], "not as GitHub's API description").toEqual([]);
}
