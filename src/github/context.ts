// The main module of @actions/github also loads Octokit, which would double the bundle. The package
// does not export its parts, hence the path; package.json pins the exact version.
import { Context } from '../../node_modules/@actions/github/lib/context.js';
import { ifPossible } from '../errors.ts';
import { isSecureOrigin, parseUrl, sanitizeLink } from '../text/link.ts';

/** The workflow run that the action is part of, and how to reach the REST API of its host. */
export type GitHubContext = Readonly<ReturnType<typeof readGitHubContext>>;

/**
 * Returns the context of the run, with the token from the inputs. Absent or malformed values are
 * undefined.
 */
export function readGitHubContext(token: string | undefined) {
  let runner = ifPossible(() => new Context());
  if (runner === undefined) {
    // The event file is not JSON.
    delete process.env['GITHUB_EVENT_PATH'];
    runner = new Context();
  }
  const { runId, runAttempt, sha, ref, eventName, payload, actor } = runner;
  const serverUrl = parseUrl(runner.serverUrl)?.origin ?? 'https://github.com';
  const apiUrl = parseUrl(runner.apiUrl);
  const { GITHUB_REPOSITORY: repository = '', GITHUB_ACTION_REPOSITORY: action } = process.env;
  const actionRef = process.env['GITHUB_ACTION_REF'];
  const pull = payload?.pull_request;
  const refTag = /^refs\/tags\/(.+)$/.exec(ref)?.[1];
  const releaseTag: unknown = eventName === 'release' ? payload?.['release']?.tag_name : undefined;
  return {
    /** Undefined if the token must not be sent there: neither `https` nor this machine. */
    apiUrl: apiUrl !== undefined && isSecureOrigin(apiUrl) ? apiUrl : undefined,
    /** Origin of the host's pages, such as `https://github.com`. */
    serverUrl,
    token,
    /** `owner/repo`. */
    repository: /^[\w.-]+\/[\w.-]+$/.test(repository) ? repository : undefined,
    runId: runId || undefined,
    /** 1 for the first attempt, or if the number is absent or malformed. */
    runAttempt: runAttempt || 1,
    /** Commit of the run. */
    sha: /^[0-9a-f]{40,64}$/.test(sha) ? sha : undefined,
    /**
     * Tag of a `release` event, a tag push, or a dispatch on a tag; undefined for any other event.
     */
    eventTag: typeof releaseTag === 'string' && releaseTag !== '' ? releaseTag : refTag,
    /** True for runs that get no secrets: those for Dependabot and for pull requests from forks. */
    isWithoutSecrets:
      actor === 'dependabot[bot]' || (pull != null && pull['head']?.repo?.fork !== false),
    /**
     * Address of docs/usage.md at the running version. Undefined for an action in the workflow's
     * own repository.
     */
    usagePage: sanitizeLink(
      action && actionRef && `${serverUrl}/${action}/blob/${actionRef}/docs/usage.md`,
    ),
  };
}

/** Returns the link to an attempt's page. */
export function getAttemptPage(
  { serverUrl, repository }: GitHubContext,
  runId: number,
  attempt: number,
): string {
  return `${serverUrl}/${repository}/actions/runs/${runId}/attempts/${attempt}`;
}
