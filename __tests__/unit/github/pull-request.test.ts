import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { getErrorText } from '../../../src/errors.ts';
import { createGitHubApi } from '../../../src/github/api.ts';
import { readPullRequest } from '../../../src/github/pull-request.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { KEY } from '../fixtures.ts';
import { type Answer, startRestApi } from './rest-api.ts';

const LINK = 'https://github.com/acme/docs/pull/7';
const limits = { timeoutMs: 10_000, signal: new AbortController().signal };
const size = { additions: 5, deletions: 1 };
const pull = {
  title: 'Add it',
  state: 'open',
  ...size,
  changed_files: 30,
  merged: false,
  draft: false,
};
const file = { filename: 'a/b.mdx', ...size, status: 'added' };

async function read(parts: { pull?: unknown; files?: Answer; link?: string; host?: string }) {
  const routes: Record<string, Answer> = {
    '/pulls/7': { body: parts.pull ?? pull },
    '/pulls/7/files?per_page=20': parts.files ?? { body: [file] },
  };
  const env = { serverUrl: parts.host ?? 'https://github.com' };
  const api = await startRestApi(
    (path) => routes[path.replace(/^\/repos\/acme\/(?:app|docs)/, '')],
    env,
  );
  const redact = createRedactor(KEY);
  const result = await readPullRequest(
    api.context.serverUrl,
    parts.link ?? LINK,
    (repository) => createGitHubApi(api.context, repository, limits, systemClock),
    redact,
  ).catch(getErrorText);
  return { result, requests: api.requests.length };
}

describe('readPullRequest', () => {
  it.each([
    ['https://github.com', ''],
    ['https://github.com', '/files'],
    ['https://git.example.com', ''],
  ])('reads title, size, and files at %s from a link that ends in "%s"', async (host, tab) => {
    const page = `${host}/acme/docs/pull/7`;
    const hash = createHash('sha256').update('a/b.mdx').digest('hex');
    expect((await read({ host, link: `${page}${tab}` })).result).toEqual({
      title: 'Add it',
      state: 'open',
      ...size,
      changedFiles: 30,
      files: [{ path: 'a/b.mdx', link: `${page}/files#diff-${hash}`, ...size }],
    });
  });

  it.each([
    [{ draft: true }, 'draft'],
    [{ state: 'closed', draft: true }, 'closed'],
    [{ state: 'closed', merged: true }, 'merged'],
  ])('reads the state of a pull request with %o', async (fields, state) => {
    expect((await read({ pull: { ...pull, ...fields } })).result).toMatchObject({ state });
  });

  it('lists at most twenty files, and redacts the key', async () => {
    const body = Array<object>(25).fill({ ...file, filename: `${KEY}/a` });
    const { result } = await read({ pull: { ...pull, title: `x ${KEY}` }, files: { body } });
    expect(result).toMatchObject({ title: 'x ***', files: Array(20).fill({ path: '***/a' }) });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  it.each([
    'https://git.example.com/acme/docs/pull/7',
    'https://github.com/acme/docs/issues/7',
    'https://github.com/a/b/c/pull/7',
    'https://gitlab.com/a/b/-/merge_requests/42',
  ])('reads nothing for %s', async (link) => {
    const nothing = { result: undefined, requests: 0 };
    expect(await read({ link })).toEqual(nothing);
    expect(await read({ link: LINK, host: 'https://git.example.com' })).toEqual(nothing);
  });

  const incomplete = 'lacks a documented field';
  it.each<[string, object, Answer, string]>([
    ['that is a list', [], { body: [] }, incomplete],
    ['with a file without a name', pull, { body: [{}] }, incomplete],
    ['without files', pull, { status: 404, body: { message: 'Not Found' } }, 'HTTP 404: Not Found'],
  ])('fails for a pull request %s', async (_, given, files, problem) => {
    expect((await read({ pull: given, files })).result).toContain(problem);
  });
});
