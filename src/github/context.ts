// The main module of @actions/github also loads Octokit, which would double the bundle. The package does not export its
// parts, hence the path; package.json pins the exact version.
import { Context } from '../../node_modules/@actions/github/lib/context.js';
import { ifPossible } from '../errors.ts';
import { isSecureOrigin, parseUrl, sanitizeLink } from '../text/link.ts';

export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** The workflow run that the action is part of, and how to reach the REST API of its host. */
export type GitHubContext = Readonly<ReturnType<typeof readGitHubContext>>;

/** What @actions/github reads from the runner's variables and the event file. */
export type Runner = Pick<
  Context,
  'apiUrl' | 'serverUrl' | 'repo' | 'runId' | 'runAttempt' | 'sha' | 'ref' | 'eventName' | 'payload' | 'actor'
>;

/** Returns the context of the run, with the token from the inputs. Absent or malformed values are undefined. */
export function readGitHubContext(token: string | undefined, runner: Runner = readRunner()) {
  const { runId, runAttempt, sha, ref, eventName, payload, actor } = runner;
  const serverUrl = parseUrl(runner.serverUrl)?.origin ?? 'https://github.com';
  const apiUrl = parseUrl(runner.apiUrl);
  const { owner = '', repo = '' } = ifPossible(() => runner.repo) ?? {};
  const repository: Repository = { owner, repo };
  const pull = payload?.pull_request;
  const refTag = /^refs\/tags\/(.+)$/.exec(ref)?.[1];
  const releaseTag: unknown = eventName === 'release' ? payload?.['release']?.tag_name : undefined;
  return {
    /** Undefined if the token must not be sent there: neither `https` nor this machine. */
    apiUrl: apiUrl !== undefined && isSecureOrigin(apiUrl) ? apiUrl : undefined,
    /** Origin of the host's pages, such as `https://github.com`. */
    serverUrl,
    token,
    repository: [owner, repo].every((name) => /^[\w.-]+$/.test(name)) ? repository : undefined,
    runId: isCount(runId) ? runId : undefined,
    /** 1 for the first attempt, and if the runner sets no number. */
    runAttempt: isCount(runAttempt) ? runAttempt : 1,
    /** Commit of the run. */
    sha: /^[0-9a-f]{40,64}$/.test(sha) ? sha : undefined,
    /** Tag of a `release` event, a tag push, or a dispatch on a tag; undefined for any other event. */
    eventTag: typeof releaseTag === 'string' && releaseTag !== '' ? releaseTag : refTag,
    /** True for runs that get no secrets: those for Dependabot and for pull requests from forks. */
    isWithoutSecrets: actor === 'dependabot[bot]' || (pull != null && pull['head']?.repo?.fork !== false),
    usagePage: getUsagePage(serverUrl),
  };
}

/**
 * Returns the address of docs/usage.md at the running version. Undefined for an action in the workflow's own repository.
 */
function getUsagePage(serverUrl: string): string | undefined {
  const { GITHUB_ACTION_REPOSITORY: repository = '', GITHUB_ACTION_REF: ref = '' } = process.env;
  const link = `${serverUrl}/${repository}/blob/${ref}/docs/usage.md`;
  return repository === '' || ref === '' ? undefined : sanitizeLink(link);
}

function readRunner(): Runner {
  try {
    return new Context();
  } catch {
    // The event file is not JSON.
    delete process.env['GITHUB_EVENT_PATH'];
    return new Context();
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/** Returns the link to an attempt's page. */
export function getAttemptPage(
  { serverUrl, repository }: GitHubContext,
  runId: number,
  attempt: number,
): string {
  return `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
}
