import { createGitHubApi } from '../../__tests__/github/api.ts';
import { createRepository, type Pull } from '../../__tests__/github/repository.ts';
import { headSha } from '../../harness/action-environment.ts';

export interface GitHubApi {
  readonly url: string;
  close(): Promise<void>;
}

/** The only token of the API. */
export const GITHUB_TOKEN = 'token-of-the-benchmark-0001';

export const PULL_TITLE = 'Bring the documentation up to date';

const PULL: Pull = {
  title: PULL_TITLE,
  state: 'open',
  files: Array.from({ length: 20 }, (_, index) => ({
    path: `docs/guides/page-${index}.mdx`,
    status: 'modified',
    additions: 6,
    deletions: 1,
  })),
};

/**
 * A REST API of GitHub on this machine, with the pull request that the jobs open. Each response
 * takes `delayMs`.
 */
export async function startGitHubApi(delayMs = 0): Promise<GitHubApi> {
  const repositories = {
    'acme/widgets': createRepository({ branches: { main: headSha } }),
    'acme/docs': createRepository({ pulls: { 128: PULL } }),
  };
  const faults = delayMs === 0 ? [] : [{ path: /./, fault: { kind: 'slow', delayMs } } as const];
  const api = createGitHubApi({ repositories, token: GITHUB_TOKEN, faults });
  return { url: await api.listen(), close: api.close };
}
