import { readFileSync } from 'node:fs';
import { undefinedIfThrown } from '../errors.ts';
import { parseJson } from '../http/request.ts';
import { Context } from '../packages.ts';
import { isSecureOrigin, parseUrl, sanitizeLink } from '../text/link.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The workflow run that the action is part of, and how to reach the APIs of its host. */
export type GitHubContext = Readonly<ReturnType<typeof readGitHubContext>>;

/** Returns the context, with the tokens of the inputs. Absent or malformed values are undefined. */
export function readGitHubContext(token: string | undefined, pullToken = token) {
  const { GITHUB_EVENT_PATH: eventPath = '' } = process.env;
  const file = undefinedIfThrown(() => readFileSync(eventPath));
  const event = parseJson(file, false);
  const payload: Context['payload'] = Object(event);
  // The toolkit throws if the event file is not JSON, or begins with a byte order mark.
  delete process.env['GITHUB_EVENT_PATH'];
  const { runId, runAttempt, sha, ref, eventName, actor, ...context } = new Context();
  const serverUrl = parseUrl(context.serverUrl)?.origin ?? 'https://github.com';
  // Without a variable, the context names github.com, which must not get another host's token.
  const { GITHUB_API_URL: apiUrl = '', GITHUB_GRAPHQL_URL: graphqlUrl = '' } = process.env;
  const { GITHUB_REPOSITORY: repository = '' } = process.env;
  const { GITHUB_RETENTION_DAYS: days = '', GITHUB_WORKFLOW_REF: workflow = '' } = process.env;
  const releaseTag = eventName === 'release' ? getText(payload['release']?.tag_name) : undefined;
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  return {
    /** Undefined if the token must not be sent there: neither `https` nor this machine. */
    apiUrl: parseSecureUrl(apiUrl),
    /** Undefined as `apiUrl`, or if the host has no GraphQL API. */
    graphqlUrl: parseSecureUrl(graphqlUrl),
    /** Origin of the host's pages, such as `https://github.com`. */
    serverUrl,
    /** True on Gitea, whose API lacks some of GitHub's endpoints, and on Forgejo, made from it. */
    isGitea: process.env['GITEA_ACTIONS'] === 'true' || process.env['FORGEJO_ACTIONS'] === 'true',
    token,
    /** For pull requests of the documentation, in any repository. */
    pullToken,
    /** `owner/repo`. */
    repository: /^[\w.-]+\/[\w.-]+$/.test(repository) ? repository : undefined,
    runId: runId || undefined,
    /** 1 for the first attempt, or if the number is absent or malformed. */
    runAttempt: runAttempt > 0 ? runAttempt : 1,
    sha: getCommit(sha),
    /** How long GitHub keeps commit statuses, in milliseconds. */
    retentionMs: Number(/^[1-9]\d{0,4}$/.exec(days)?.[0] ?? Number.NaN) * DAY_MS || undefined,
    /** Path of the workflow's file. Undefined if it isn't in the repository of the run. */
    workflowPath: findWorkflowPath(workflow, repository),
    /** Tag of a `release` event, a tag push, or a dispatch on a tag. */
    eventTag: releaseTag ?? /^refs\/tags\/(.+)$/.exec(ref)?.[1],
    eventName,
    /** True if the event file is absent, or has no JSON object: what it would say is unknown. */
    isEventUnread: payload !== event,
    /** Branch of the run. Undefined for tags and most pull requests. */
    branch,
    defaultBranch: getText(payload.repository?.['default_branch']),
    /** Commit of the branch before a push to it: zeros if the push created the branch. */
    before: eventName === 'push' && branch ? getCommit(payload['before']) : undefined,
    /** Undefined unless the event takes something back, so that there is nothing to document. */
    takenBack: findTakenBack(eventName, payload),
    /** True for runs that get no secrets: those for Dependabot and for pull requests from forks. */
    isWithoutSecrets: actor === 'dependabot[bot]' || isFromFork(eventName, payload.pull_request),
    /** The folder `docs` at the running version, unless it is in the workflow's own repository. */
    docsUrl: getDocsUrl(serverUrl),
  };
}

/** GitHub's names of repositories have no case. */
function findWorkflowPath(ref: string, repository: string): string | undefined {
  const [, owner, path] = /^([^/]+\/[^/]+)\/(.+?\.ya?ml)@/.exec(ref) ?? [];
  return owner?.toLowerCase() === repository.toLowerCase() ? path : undefined;
}

function parseSecureUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  return url !== undefined && isSecureOrigin(url) ? url : undefined;
}

function getText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function getCommit(value: unknown): string | undefined {
  return /^[0-9a-f]{40,64}$/.exec(getText(value) ?? '')?.[0];
}

/**
 * True for a run of a pull request from another repository. Its head is null once that is gone. A
 * run for `pull_request_target` gets secrets nevertheless.
 */
function isFromFork(eventName: string, pull: Context['payload']['pull_request']): boolean {
  const isInBase = pull?.['head']?.repo?.full_name === pull?.['base']?.repo?.full_name;
  return pull != null && eventName !== 'pull_request_target' && !isInBase;
}

/** `edited`: that of a release changes no code. Its own events publish and release it. */
const RELEASE_ENDS = ['deleted', 'unpublished', 'edited'] as const;
export type TakenBack = (typeof RELEASE_ENDS)[number] | 'unmerged' | 'ref-deleted';

function findTakenBack(eventName: string, payload: Context['payload']): TakenBack | undefined {
  const { action } = payload;
  if (eventName === 'release') {
    return RELEASE_ENDS.find((end) => end === action);
  }
  const isPull = eventName === 'pull_request' || eventName === 'pull_request_target';
  if (isPull && action === 'closed' && payload.pull_request?.['merged'] === false) {
    return 'unmerged';
  }
  const isDeletion =
    eventName === 'delete' || (eventName === 'push' && payload['deleted'] === true);
  return isDeletion ? 'ref-deleted' : undefined;
}

function getDocsUrl(serverUrl: string): string | undefined {
  const { GITHUB_ACTION_REPOSITORY: action, GITHUB_ACTION_REF: ref } = process.env;
  // For an action of the workflow's own repository (`./`), the runner sets both to empty strings.
  return action && ref ? sanitizeLink(`${serverUrl}/${action}/blob/${ref}/docs`) : undefined;
}

/** Returns the link to an attempt's page, or on Gitea, which has none, to that of its run. */
export function getAttemptPage(github: GitHubContext, runId: number, attempt: number): string {
  const runPage = `${github.serverUrl}/${github.repository}/actions/runs/${runId}`;
  return github.isGitea ? runPage : `${runPage}/attempts/${attempt}`;
}
