import { readFileSync } from 'node:fs';
import { ifPossible } from '../errors.ts';
import { isSecureOrigin, parseUrl } from '../text/link.ts';

export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** The workflow run that the action is part of, and the way to the REST API of its host. */
export interface GitHubContext {
  /** Undefined if the token must not be sent there: neither `https` nor this machine. */
  readonly apiUrl: URL | undefined;
  /** Origin of the host's pages, such as `https://github.com`. */
  readonly serverUrl: string;
  readonly token: string | undefined;
  readonly repository: Repository | undefined;
  readonly runId: number | undefined;
  /** 1 for the first attempt, and if the runner sets no number. */
  readonly runAttempt: number;
  /** Commit of the run. */
  readonly sha: string | undefined;
  /** Tag of a `release` event, a tag push, or a dispatch on a tag; undefined for any other event. */
  readonly eventTag: string | undefined;
}

/** Returns the context from the runner's variables. Absent or malformed values are undefined. */
export function readGitHubContext(env: NodeJS.ProcessEnv, token: string | undefined): GitHubContext {
  const apiUrl = parseUrl(env['GITHUB_API_URL'] || 'https://api.github.com');
  const [, owner = '', repo = ''] = /^([\w.-]+)\/([\w.-]+)$/.exec(env['GITHUB_REPOSITORY'] ?? '') ?? [];
  return {
    apiUrl: apiUrl !== undefined && isSecureOrigin(apiUrl) ? apiUrl : undefined,
    serverUrl: parseUrl(env['GITHUB_SERVER_URL'] ?? '')?.origin ?? 'https://github.com',
    token,
    repository: owner === '' ? undefined : { owner, repo },
    runId: parseCount(env['GITHUB_RUN_ID']),
    runAttempt: parseCount(env['GITHUB_RUN_ATTEMPT']) ?? 1,
    sha: /^[0-9a-f]{40,64}$/.exec(env['GITHUB_SHA'] ?? '')?.[0],
    eventTag: readEventTag(env),
  };
}

function readEventTag(env: NodeJS.ProcessEnv): string | undefined {
  const isRelease = env['GITHUB_EVENT_NAME'] === 'release';
  const refTag = env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] || undefined : undefined;
  return (isRelease ? readReleaseTag(env['GITHUB_EVENT_PATH']) : undefined) ?? refTag;
}

function readReleaseTag(path: string | undefined): string | undefined {
  const event = ifPossible(() => JSON.parse(readFileSync(path ?? '', 'utf8')));
  const tag: unknown = event?.release?.tag_name;
  return typeof tag === 'string' && tag !== '' ? tag : undefined;
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Returns the link of an attempt's page. */
export function getAttemptPage(
  { serverUrl, repository }: GitHubContext,
  runId: number,
  attempt: number,
): string {
  return `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
}
