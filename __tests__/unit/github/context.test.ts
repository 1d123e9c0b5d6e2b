import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTagName, readEventTag, readGitHubContext } from '../../../src/github/context.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'context-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('readGitHubContext', () => {
  it('reads the variables of a runner', () => {
    const env = {
      GITHUB_API_URL: 'https://git.example.com/api/v3',
      GITHUB_SERVER_URL: 'https://git.example.com',
      GITHUB_REPOSITORY: 'acme/widgets.js',
      GITHUB_RUN_ID: '7012345678',
      GITHUB_RUN_ATTEMPT: '3',
      GITHUB_JOB: 'docs',
    };
    expect(readGitHubContext(env, 'token')).toEqual({
      apiUrl: new URL('https://git.example.com/api/v3'),
      serverUrl: 'https://git.example.com',
      token: 'token',
      repository: { owner: 'acme', repo: 'widgets.js' },
      runId: 7012345678,
      runAttempt: 3,
      workflowJob: 'docs',
    });
  });

  it('takes the defaults of github.com outside of a runner', () => {
    expect(readGitHubContext({}, undefined)).toMatchObject({
      apiUrl: new URL('https://api.github.com'),
      serverUrl: 'https://github.com',
      repository: undefined,
      runId: undefined,
      runAttempt: 1,
    });
  });

  it.each(['http://git.example.com/api/v3', 'ftp://127.0.0.1', 'nonsense', 'http://127.0.0.1.example.com'])(
    'knows no API at %s, so that the token is not sent in the clear',
    (url) => {
      expect(readGitHubContext({ GITHUB_API_URL: url }, 'token').apiUrl).toBeUndefined();
    },
  );

  it.each(['acme', 'acme/widgets/..', '../..x/y z', 'a/b?c'])('takes no repository from "%s"', (name) => {
    expect(readGitHubContext({ GITHUB_REPOSITORY: name }, undefined).repository).toBeUndefined();
  });

  it.each(['0', '-1', '1.5', 'x', '1e3', '9'.repeat(20)])(
    'takes the attempt "%s" for the first',
    (attempt) => {
      expect(readGitHubContext({ GITHUB_RUN_ATTEMPT: attempt }, undefined).runAttempt).toBe(1);
    },
  );
});

describe('readEventTag', () => {
  const tagPush = { GITHUB_EVENT_NAME: 'push', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2.0' };

  function toRelease(content: string): Record<string, string> {
    const path = join(folder, 'event.json');
    writeFileSync(path, content);
    return { ...tagPush, GITHUB_EVENT_NAME: 'release', GITHUB_EVENT_PATH: path };
  }

  it('is the tag that was pushed or dispatched on', () => {
    expect(readEventTag(tagPush)).toBe('v1.2.0');
    expect(readEventTag({ ...tagPush, GITHUB_EVENT_NAME: 'workflow_dispatch' })).toBe('v1.2.0');
  });

  it('is the tag of the release in the event file', () => {
    expect(readEventTag(toRelease('{"release":{"tag_name":"v2.0.0"}}'))).toBe('v2.0.0');
  });

  it.each(['{"release":{"tag_name":7}}', '{"release":null}', '[]', 'null', '{', ''])(
    'is the tag of the run where the event file holds %s',
    (content) => {
      expect(readEventTag(toRelease(content))).toBe('v1.2.0');
    },
  );

  it('does not exist on a branch', () => {
    expect(readEventTag({ GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' })).toBeUndefined();
    expect(readEventTag({})).toBeUndefined();
  });
});

describe('isTagName', () => {
  it.each(['v1.2.0', 'pkg@1.0.0', '@a/b@1.0.0', 'release/2026', 'ünï', 'a.lock.b'])('accepts %s', (name) => {
    expect(isTagName(name)).toBe(true);
  });

  it.each([
    '',
    'a b',
    'a..b',
    '../a',
    '/a',
    'a/',
    'a//b',
    'a/.b',
    '-a',
    'a.',
    'a.lock',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a@{1}',
    '@',
    'a\nb',
    'a\u202eb',
    'x'.repeat(256),
  ])('refuses "%s"', (name) => {
    expect(isTagName(name)).toBe(false);
  });
});
