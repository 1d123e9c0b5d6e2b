/** Longest link. The log, the summary, and the outputs show it in full. */
const LINK_LIMIT = 500;
// No characters that are special in sh, bash, cmd, PowerShell, or Markdown, so that a link is safe
// wherever it is pasted.
const LINK = /^https:\/\/[a-z0-9._-]+(?::\d+)?\/[A-Za-z0-9._~@+/-]*$/;

/**
 * Returns a link from the service as a canonical `https` URL without its query and fragment.
 * Undefined if it has another scheme, user info, more than 500 characters, or a character that a
 * shell may act on.
 */
export function sanitizeLink(value: unknown): string | undefined {
  if (typeof value !== 'string' || /[\s\p{C}\\]/u.test(value)) {
    return undefined;
  }
  const [link = ''] = parseUrl(value)?.href.split(/[?#]/) ?? [];
  return LINK.test(link) && link.length <= LINK_LIMIT ? link : undefined;
}

/** Parses a URL. Undefined if the text is invalid. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Not `URL.canParse`: once V8 has optimized it, Node 20 refuses letters such as `ü`.
    return undefined;
  }
}

/** Returns a URL without a slash at its end, so that a path can follow. */
export function trimSlashes({ href }: URL): string {
  return href.replace(/\/+$/, '');
}

/** Encodes a name for a URL, except for its slashes. */
export function encodePath(name: string): string {
  return name.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** Returns a tag or a branch as it is, and the first ten digits of a commit. */
export function shortenCommit(ref: string): string {
  return /^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 10) : ref;
}

/** Returns whether the address is on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Returns whether a secret may be sent there: over `https`, or over `http` on this machine. */
export function isSecureOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

const PULL_REQUEST = /^\/(?:([^/]+\/[^/]+)\/pull|.+?\/-\/merge_requests)\/(\d{1,12})(?:\/|$)/;

/** Returns project and number of a GitHub pull request, or only the number of a GitLab one. */
export function parsePullRequest(link = '') {
  const [, project, number] = PULL_REQUEST.exec(parseUrl(link)?.pathname ?? '') ?? [];
  return { project, number };
}

/** True for a pull request on github.com, GitLab, or this server, and for any link elsewhere. */
export function mayBePullRequest(link: string | undefined, serverUrl: string): link is string {
  if (link === undefined) {
    return false;
  }
  const { origin, pathname } = new URL(link);
  const { project, number } = parsePullRequest(link);
  if (origin === 'https://github.com' || origin === serverUrl) {
    return project !== undefined;
  }
  const isGitLab = origin === 'https://gitlab.com' || pathname.includes('/-/');
  return !isGitLab || (number !== undefined && project === undefined);
}

/** Returns `acme/docs#123` on this server. Other links stay whole: a path can look like a host. */
export function getLinkName(link: string, serverUrl: string): string {
  const { origin, pathname } = new URL(link);
  const { project, number } = parsePullRequest(link);
  const name = project === undefined ? pathname.slice(1) : `${project}#${number}`;
  return origin === serverUrl && name !== '' ? name : link;
}
