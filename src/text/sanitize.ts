/** Longest piece of untrusted text that a log line, an annotation or a table cell shows. */
export const QUOTE_LIMIT = 500;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;

/**
 * Returns text from outside as one line that the runner reads as plain text: control, bidirectional and
 * zero-width characters become visible, `::` and `##[` are broken up (actions/runner: ActionCommand.cs),
 * and it is cut to `limit` characters. Applying it twice changes nothing.
 */
export function sanitize(text: string, limit: number = QUOTE_LIMIT): string {
  const visible = showInvisible(text)
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '# #');
  return cut(visible, limit);
}

/** Well-formed text in which control, bidirectional and zero-width characters are visible: one line. */
export function showInvisible(text: string): string {
  return text.toWellFormed().replace(INVISIBLE, showCharacter);
}

/** Untrusted text for the middle of a sentence of ours: sanitized, and without the backticks that mark our terms. */
export function quote(text: string, limit: number): string {
  return sanitize(text, limit).replaceAll('`', "'");
}

/** The lines of a longer text, each sanitized, at most `limit` characters and `maxLines` lines in all. */
export function sanitizeLines(text: string, limit: number, maxLines: number): string[] {
  const lines = text.slice(0, limit).split(/\r\n|\r|\n/);
  const shown = lines.slice(0, maxLines).map((line) => sanitize(line, limit));
  const isCut = text.length > limit || lines.length > maxLines;
  return isCut ? [...shown, `… (${text.length} characters in all)`] : shown;
}

function showCharacter(character: string): string {
  switch (character) {
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return ' ';
    default: {
      const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return `<U+${hex}>`;
    }
  }
}

/** Text of at most `limit` characters, the last one `…` where it was longer. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const head = text.slice(0, limit - 1);
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`;
}

/** Text for an HTML context, an attribute in double quotes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const WORD_JOINER = '\u2060';

/**
 * One line of untrusted text for Markdown: rendered by GitHub it is a single text node, whatever it holds.
 * What begins a construct anywhere is escaped anywhere; what only does at the start of a line (lists, rules)
 * is escaped there. GitHub also turns bare addresses into links, after escapes are undone, so an invisible
 * character keeps those apart.
 */
export function escapeMarkdown(text: string): string {
  return sanitize(text)
    .replace(/ +/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replace(/^[-+=]|(?<=^\d{1,9})[.)]/, '\\$&')
    .replace(/@(?=\S)|:(?=\/)|www(?=\.)/gi, `$&${WORD_JOINER}`);
}

const LINK_LIMIT = 2048;
const HOST = /^[a-z0-9._-]+(?::\d+)?$/;

/**
 * A link from the service as a canonical `https` URL, or undefined when it is anything else: another
 * scheme, user info, white space or control characters, more than 2,048 characters. Characters that a
 * shell or Markdown would act on are percent-encoded. A cleaned link cleans to itself.
 */
export function sanitizeLink(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LINK_LIMIT || /[\s\p{C}\\]/u.test(value)) {
    return undefined;
  }
  const url = parseUrl(value);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || !HOST.test(url.host)) {
    return undefined;
  }
  const path = `${url.pathname}${url.search}${url.hash}`;
  const href = `${url.origin}${path.replace(/[!'()*$;|`^{}[\]]/g, toPercentEncoding)}`;
  return href.length <= LINK_LIMIT ? href : undefined;
}

/** The URL, or undefined where `new URL` throws. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True where a secret may be sent: over `https`, or over `http` to this machine. */
export function isSecureOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

function toPercentEncoding(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The number of a pull request (GitHub) or merge request (GitLab) in a cleaned link, or undefined. */
export function parsePullRequestNumber(link: string): string | undefined {
  const path = parseUrl(link)?.pathname ?? '';
  return /\/(?:pull|-\/merge_requests)\/(\d{1,12})(?:\/|$)/.exec(path)?.[1];
}

/** A duration as people say it: `7 s`, `4 min 12 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  }
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
