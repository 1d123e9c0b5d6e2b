import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import {
  type GitHubContext,
  getAttemptPage,
  readGitHubContext,
} from '../../../src/github/context.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder('context');

/** Reads the context of a runner with these variables, and no others of GitHub. */
function read(env: Readonly<Record<string, string>>, token?: string): GitHubContext {
  for (const name of Object.keys(process.env).filter((name) =>
    /^(?:GITHUB|GITEA|FORGEJO)_/.test(name),
  )) {
    vi.stubEnv(name, undefined);
  }
  for (const [name, value] of Object.entries(env)) {
    vi.stubEnv(name, value);
  }
  return readGitHubContext(token);
}

const before = 'b'.repeat(40);
function writeEvent(content: string | object): string {
  const path = join(folder, 'event.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

it('reads the variables of a runner', () => {
  const env = {
    GITHUB_API_URL: 'https://git.example.com/api/v3',
    GITHUB_GRAPHQL_URL: 'https://git.example.com/api/graphql',
    GITHUB_SERVER_URL: 'https://git.example.com',
    GITHUB_REPOSITORY: 'acme/widgets.js',
    GITHUB_RUN_ID: '7012345678',
    GITHUB_RUN_ATTEMPT: '3',
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_WORKFLOW_REF: 'Acme/Widgets.js/.github/workflows/docs@v1.yml@refs/heads/main',
    GITHUB_SHA: 'a'.repeat(40),
    GITHUB_REF: 'refs/heads/main',
    GITHUB_ACTION_REPOSITORY: 'acme/docs-agent',
    GITHUB_ACTION_REF: 'v1.2.0',
    GITHUB_EVENT_NAME: 'push',
    GITHUB_EVENT_PATH: writeEvent({ before, repository: { default_branch: 'trunk' } }),
  };
  expect(read(env, 'token')).toEqual({
    apiUrl: new URL('https://git.example.com/api/v3'),
    graphqlUrl: new URL('https://git.example.com/api/graphql'),
    serverUrl: 'https://git.example.com',
    isGitea: false,
    token: 'token',
    pullToken: 'token',
    repository: 'acme/widgets.js',
    runId: 7012345678,
    runAttempt: 3,
    retentionMs: 90 * 24 * 3_600_000,
    workflowPath: '.github/workflows/docs@v1.yml',
    sha: 'a'.repeat(40),
    eventTag: undefined,
    eventName: 'push',
    isEventUnread: false,
    branch: 'main',
    defaultBranch: 'trunk',
    before,
    isWithoutSecrets: false,
    docsUrl: 'https://git.example.com/acme/docs-agent/blob/v1.2.0/docs',
  });
});

// The token must not be sent to an address without encryption.
const unsafe = ['http://git.example.com/api/v3', 'http://127.0.0.1.example.com', 'nonsense'];
it.each<[string, keyof GitHubContext, unknown, string[]]>([
  // Without a variable, the token would go to github.com from any other host.
  ['GITHUB_API_URL', 'apiUrl', undefined, ['', ...unsafe]],
  ['GITHUB_GRAPHQL_URL', 'graphqlUrl', undefined, ['', ...unsafe]],
  ['GITHUB_REPOSITORY', 'repository', undefined, ['acme', '../..x y/z', 'a/b?c']],
  ['GITHUB_SHA', 'sha', undefined, ['main', 'a'.repeat(39), `${'a'.repeat(40)}/x`]],
  ['GITHUB_RUN_ATTEMPT', 'runAttempt', 1, ['0', 'x']],
  ['GITHUB_RETENTION_DAYS', 'retentionMs', undefined, ['', '0', '-1', '1.5', 'abc', '1e3']],
  ['GITHUB_WORKFLOW_REF', 'workflowPath', undefined, ['', 'x.yml@main', 'acme/rules/x.yml@main']],
])('rejects a malformed %s: `%s` is %o for each of %j', (variable, field, value, wrong) => {
  for (const text of wrong) {
    expect(read({ [variable]: text }, 'token')[field], text).toBe(value);
  }
});

it.each([
  ['push', '{}', 'v1.2.0'],
  ['release', '{"release":{"tag_name":"v2.0.0"}}', 'v2.0.0'],
  ['release', '{"release":{"tag_name":7}}', 'v1.2.0'],
  ['release', 'null', 'v1.2.0'],
  ['release', '{', 'v1.2.0'],
])('the tag of a %s with the event file %s is %s', (GITHUB_EVENT_NAME, content, expected) => {
  const env = { GITHUB_REF: 'refs/tags/v1.2.0', GITHUB_EVENT_PATH: writeEvent(content) };
  expect(read({ ...env, GITHUB_EVENT_NAME }).eventTag).toBe(expected);
});

it.each([
  ['GITHUB_ACTIONS', 'https://git.example.com/acme/app/actions/runs/7/attempts/2'],
  ['GITEA_ACTIONS', 'https://git.example.com/acme/app/actions/runs/7'],
  ['FORGEJO_ACTIONS', 'https://git.example.com/acme/app/actions/runs/7'],
])('links to an attempt where %s is set', (variable, page) => {
  const env = { GITHUB_SERVER_URL: 'https://git.example.com', GITHUB_REPOSITORY: 'acme/app' };
  expect(getAttemptPage(read({ ...env, [variable]: 'true' }), 7, 2)).toBe(page);
});

const bytes = Buffer.from(JSON.stringify({ before }));
it.each<[string, boolean, string | Buffer | undefined]>([
  ['is JSON', false, bytes],
  ['begins with a byte order mark', false, Buffer.concat([Buffer.from('\ufeff'), bytes])],
  ['is absent', true, undefined],
  ['is empty', true, ''],
  ['is not JSON', true, '{'],
  ['is UTF-16', true, bytes.toString('utf16le')],
  ['is null', true, 'null'],
  ['is a text', true, '"push"'],
])('an event file that %s is unread: %s', (_, isUnread, content) => {
  const path = join(folder, 'bytes.json');
  rmSync(path, { force: true });
  if (content !== undefined) {
    writeFileSync(path, content);
  }
  const env = { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' };
  const context = read({ ...env, GITHUB_EVENT_PATH: path });
  expect(context.isEventUnread).toBe(isUnread);
  expect(context.before).toBe(isUnread ? undefined : before);
});

it('a folder, and no variable, name no event file', () => {
  expect(read({ GITHUB_EVENT_PATH: folder }).isEventUnread).toBe(true);
  expect(read({}).isEventUnread).toBe(true);
});

it.each([
  ['a push of a tag', 'push', 'refs/tags/v1', undefined],
  ['a push to a branch', 'push', 'refs/heads/main', before],
  ['a check of a pull request', 'pull_request', 'refs/heads/main', undefined],
])('the commit before %s', (_, eventName, ref, expected) => {
  const event = writeEvent({ before });
  const env = { GITHUB_EVENT_NAME: eventName, GITHUB_REF: ref, GITHUB_EVENT_PATH: event };
  expect(read(env).before).toBe(expected);
});

const from = (full_name?: string) => {
  const repo = full_name === undefined ? null : { full_name, fork: true };
  const base = { repo: { full_name: 'acme/app', fork: true } };
  return { pull_request: { head: { repo }, base } };
};
const none = { pull_request: null };
it.each<[string, string, string, object, boolean]>([
  ['of Dependabot', 'dependabot[bot]', 'push', {}, true],
  ['of a pull request from a fork', 'octocat', 'pull_request', from('octocat/app'), true],
  ['of a pull request whose fork is gone', 'octocat', 'pull_request', from(), true],
  ['of a pull request within a fork', 'octocat', 'pull_request', from('acme/app'), false],
  ['of `pull_request_target`', 'octocat', 'pull_request_target', from('octocat/app'), false],
  ['of a push', 'octocat', 'push', none, false],
])('tells whether a run %s gets secrets', (_, actor, eventName, event, expected) => {
  const path = writeEvent(event);
  const env = { GITHUB_ACTOR: actor, GITHUB_EVENT_NAME: eventName, GITHUB_EVENT_PATH: path };
  expect(read(env).isWithoutSecrets).toBe(expected);
});
