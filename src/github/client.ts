import type { getOctokit } from '@actions/github';
import { getErrorText } from '../errors.ts';
import { getAddress } from '../text/link.ts';
import * as z from '../text/schema.ts';
import type { GitHubContext, Repository } from './context.ts';
import { type ClientLimits, createGet, type Get, GitHubError } from './get.ts';

export type Parameters = Readonly<Record<string, string | number>>;

/** Reads the REST API for one repository. */
export interface GitHubClient {
  /**
   * Returns the JSON at a route below the repository, such as `/git/tags/{tag_sha}`. Parameters that the route does not
   * name become its query. A route without parameters is read without Octokit, which takes too long to load at the end
   * of a run. Throws a `GitHubError` unless the status is 200.
   */
  get(route: string, parameters?: Parameters): Promise<unknown>;
}

/** Opens the repository of the workflow. Rejects with a `GitHubError` if the run has no repository, token, or API. */
export type OpenGitHub = (limits: ClientLimits) => Promise<GitHubClient>;

/** Returns a client within limits. Throws a `GitHubError` if there is no repository, token, or API to send it to. */
export function createGitHubClient(
  { apiUrl, token }: GitHubContext,
  repository: Repository | undefined,
  limits: ClientLimits,
): GitHubClient {
  if (repository === undefined) {
    throw new GitHubError('GITHUB_REPOSITORY is not set');
  }
  if (token === undefined) {
    throw new GitHubError('`github-token` is empty');
  }
  if (apiUrl === undefined) {
    throw new GitHubError('GITHUB_API_URL is not an https address');
  }
  const get = createGet(apiUrl, token, limits);
  const root = getAddress(apiUrl);
  let octokit: Promise<ReturnType<typeof getOctokit>> | undefined;
  return {
    async get(route, parameters) {
      try {
        if (parameters === undefined) {
          const { owner, repo } = repository;
          return JSON.parse(String(await get(`${root}/repos/${owner}/${repo}${route}`, 'application/json')));
        }
        octokit ??= loadOctokit(root, token, get);
        const { request } = await octokit;
        return (await request(`GET /repos/{owner}/{repo}${route}`, { ...repository, ...parameters })).data;
      } catch (error) {
        throw getGitHubError(error);
      }
    },
  };
}

/** Returns the response of an endpoint. Throws a `GitHubError` if it lacks a field of the schema. */
export async function read<S extends z.ZodMiniType>(
  client: GitHubClient,
  schema: S,
  route: string,
  parameters?: Parameters,
): Promise<z.output<S>> {
  const parsed = z.safeParse(schema, await client.get(route, parameters));
  if (!parsed.success) {
    throw new GitHubError('the response lacks a documented field');
  }
  return parsed.data;
}

/** Returns a thrown error as a `GitHubError`. */
export function getGitHubError(error: unknown): GitHubError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof GitHubError ? cause : new GitHubError(getErrorText(error));
}

/** True if GitHub refuses a read: without a permission, it returns 403, or 404 as if nothing were there. */
export function isRefusal({ httpStatus }: GitHubError): boolean {
  return httpStatus === 403 || httpStatus === 404;
}

/** Loads Octokit, which fills in routes, for reads before the create. */
async function loadOctokit(baseUrl: string, token: string, get: Get): Promise<ReturnType<typeof getOctokit>> {
  const toolkit = await import('@actions/github');
  return toolkit.getOctokit(token, {
    baseUrl,
    request: {
      fetch: async (address: string, { headers }: { headers: Record<string, string> }) => {
        const body = await get(address, headers['accept'] ?? '*/*');
        return new Response(new Uint8Array(body), { headers: { 'content-type': 'application/json' } });
      },
    },
  });
}
