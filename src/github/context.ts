import { readFileSync } from 'node:fs';
import { isSecureOrigin, parseUrl } from '../text/sanitize.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** The workflow run that the action is part of, and the way to the REST API of its host. */
export interface GitHubContext {
  /** Undefined where the token must not be sent: neither `https` nor this machine. */
  readonly apiUrl: URL | undefined;
  /** Origin of the host's pages, such as `https://github.com`. */
  readonly serverUrl: string;
  readonly token: string | undefined;
  readonly repository: Repository | undefined;
  readonly runId: number | undefined;
  /** 1 for the first attempt, also where the runner says nothing. */
  readonly runAttempt: number;
  /** Key of the workflow job in the workflow file. */
  readonly workflowJob: string;
}

/** What the runner's variables say; what is absent or malformed there is undefined. */
export function readGitHubContext(env: Env, token: string | undefined): GitHubContext {
  const apiUrl = parseUrl(env['GITHUB_API_URL'] || 'https://api.github.com');
  const [, owner = '', repo = ''] = /^([\w.-]+)\/([\w.-]+)$/.exec(env['GITHUB_REPOSITORY'] ?? '') ?? [];
  return {
    apiUrl: apiUrl !== undefined && isSecureOrigin(apiUrl) ? apiUrl : undefined,
    serverUrl: parseUrl(env['GITHUB_SERVER_URL'] ?? '')?.origin ?? 'https://github.com',
    token,
    repository: owner === '' ? undefined : { owner, repo },
    runId: readCount(env['GITHUB_RUN_ID']),
    runAttempt: readCount(env['GITHUB_RUN_ATTEMPT']) ?? 1,
    workflowJob: env['GITHUB_JOB'] ?? '',
  };
}

/** The tag of the event: of a `release`, of a tag push, or of a dispatch on a tag. Undefined where it has none. */
export function readEventTag(env: Env): string | undefined {
  const released =
    env['GITHUB_EVENT_NAME'] === 'release' ? readReleasedTag(env['GITHUB_EVENT_PATH']) : undefined;
  return released ?? (env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] || undefined : undefined);
}

/** True for a name that git accepts for a tag (`git check-ref-format`), of at most 255 characters. */
export function isTagName(name: string): boolean {
  return (
    name.length <= 255 &&
    !/[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[./-]|[./]$/u.test(name) &&
    name !== '' &&
    name !== '@'
  );
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function readReleasedTag(path: string | undefined): string | undefined {
  try {
    const event: { release?: { tag_name?: unknown } } = JSON.parse(readFileSync(path ?? '', 'utf8'));
    const tag = event.release?.tag_name;
    return typeof tag === 'string' && tag !== '' ? tag : undefined;
  } catch {
    return undefined;
  }
}
