/** The summary, the log, and the outputs show a link of this length in full. */
const LINK_LIMIT = 500;
const HOST = /^[a-z0-9._-]+(?::\d+)?$/;
// None of these is special to sh, bash, cmd, PowerShell, or Markdown, so a link is safe wherever it is pasted.
const PATH = /^[A-Za-z0-9._~@+/-]*$/;

/**
 * Returns a link from the service as a canonical `https` URL without its query and fragment, or undefined if it
 * is anything else: another scheme, user info, more than 500 characters, or a path with a character that a
 * shell may act on. A sanitized link sanitizes to itself.
 */
export function sanitizeLink(value: unknown): string | undefined {
  if (typeof value !== 'string' || /[\s\p{C}\\]/u.test(value)) {
    return undefined;
  }
  const url = parseUrl(value);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || !HOST.test(url.host)) {
    return undefined;
  }
  const link = `${url.origin}${url.pathname}`;
  return PATH.test(url.pathname) && link.length <= LINK_LIMIT ? link : undefined;
}

/** Returns the URL, or undefined if the text is none. A text such as `/path` is one only on a base. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    // Not `URL.canParse`: once V8 has optimized it, Node 20 refuses letters such as `ü`.
    return undefined;
  }
}

/** Returns a URL as text, without a slash at its end, so that a path can follow. */
export function getAddress({ href }: URL): string {
  return href.replace(/\/+$/, '');
}

/** Encodes a name for a URL. Its slashes stay. */
export function encodePath(name: string): string {
  return name.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** True if the address is one of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** True if a secret may be sent there: over `https`, or over `http` to this machine. */
export function isSecureOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

const PULL_REQUEST = /^\/(?:([^/]+\/[^/]+)\/pull|.+?\/-\/merge_requests)\/(\d{1,12})(?:\/|$)/;

/**
 * Returns the number of a pull request (GitHub) or merge request (GitLab) in a sanitized link to any host, or undefined.
 * `project` is `owner/repo` for a pull request.
 */
export function parsePullRequest(link: string): { project: string | undefined; number: string } | undefined {
  const [, project, number] = PULL_REQUEST.exec(new URL(link).pathname) ?? [];
  return number === undefined ? undefined : { project, number };
}

/**
 * Returns a short name for a sanitized link to the host with this origin: `acme/docs#123` for a pull request, and the
 * path for another page. A link to another host has no short name, because a path can look like a host.
 */
export function getLinkName(link: string, serverUrl: string): string {
  const { origin, pathname } = new URL(link);
  const { project, number } = parsePullRequest(link) ?? {};
  const name = project === undefined ? pathname.slice(1) : `${project}#${number}`;
  return origin === serverUrl && name !== '' ? name : link;
}
