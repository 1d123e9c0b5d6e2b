import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGitHubContext } from '../../../src/github/context.ts';

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
      GITHUB_WORKFLOW_REF: 'acme/widgets.js/.github/workflows/docs.yml@refs/heads/main',
      GITHUB_REF_NAME: 'main',
    };
    expect(readGitHubContext(env, 'token', '77')).toEqual({
      apiUrl: new URL('https://git.example.com/api/v3'),
      serverUrl: 'https://git.example.com',
      token: 'token',
      repository: { owner: 'acme', repo: 'widgets.js' },
      runId: 7012345678,
      runAttempt: 3,
      workflowJob: 'docs',
      checkRunId: 77,
      workflowFile: 'docs.yml',
      refName: 'main',
      eventTag: undefined,
    });
  });

  it('uses the defaults of github.com outside a runner', () => {
    expect(readGitHubContext({}, undefined, undefined)).toMatchObject({
      apiUrl: new URL('https://api.github.com'),
      serverUrl: 'https://github.com',
      repository: undefined,
      runId: undefined,
      runAttempt: 1,
      workflowJob: '',
      checkRunId: undefined,
      workflowFile: undefined,
      refName: undefined,
    });
  });

  it.each(['http://git.example.com/api/v3', 'ftp://127.0.0.1', 'nonsense', 'http://127.0.0.1.example.com'])(
    'has no API at %s, so that the token is never sent unencrypted',
    (url) => {
      expect(readGitHubContext({ GITHUB_API_URL: url }, 'token', undefined).apiUrl).toBeUndefined();
    },
  );

  it.each(['acme', 'acme/widgets/..', '../..x/y z', 'a/b?c'])('has no repository for "%s"', (name) => {
    expect(readGitHubContext({ GITHUB_REPOSITORY: name }, undefined, undefined).repository).toBeUndefined();
  });

  it.each(['0', '-1', '1.5', 'x', '1e3', '9'.repeat(20)])(
    'reads the attempt "%s" as the first',
    (attempt) => {
      expect(readGitHubContext({ GITHUB_RUN_ATTEMPT: attempt }, undefined, undefined).runAttempt).toBe(1);
    },
  );
});

describe('the tag of the event', () => {
  const readEventTag = (env: Record<string, string>) => readGitHubContext(env, undefined, undefined).eventTag;
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
    expect(readEventTag({ ...tagPush, GITHUB_REF_NAME: '' })).toBeUndefined();
    expect(readEventTag({ ...tagPush, GITHUB_EVENT_NAME: 'release' })).toBe('v1.2.0');
  });
});
