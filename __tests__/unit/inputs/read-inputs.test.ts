import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { InputError, readInputs } from '../../../src/inputs/read-inputs.ts';

const KEY = 'mint_0123456789abcdef';

/** The environment of a step with these inputs, as the runner makes it. */
function toEnv(inputs: Record<string, string>, workspace = tmpdir()): Record<string, string> {
  const given = { prompt: 'Write it', 'project-id': 'docs', 'api-key': KEY, ...inputs };
  return {
    GITHUB_WORKSPACE: workspace,
    ...Object.fromEntries(
      Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  };
}

function readProblems(inputs: Record<string, string>, workspace?: string): readonly string[] {
  try {
    readInputs(toEnv(inputs, workspace));
  } catch (error) {
    if (error instanceof InputError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

describe('readInputs', () => {
  it('takes the defaults of action.yml where an input is absent or blank', () => {
    const inputs = readInputs(toEnv({ wait: '', 'timeout-minutes': '  ', 'base-url': '\n' }));
    expect(inputs).toEqual({
      intent: { kind: 'create', prompt: 'Write it' },
      projectId: 'docs',
      apiKey: KEY,
      baseUrl: new URL('https://api.mintlify.com'),
      isWaiting: true,
      isDryRun: false,
      release: undefined,
      isReusing: true,
      timeoutMs: 30 * 60_000,
      pollIntervalMs: 10_000,
    });
  });

  it.each([
    [{}, { kind: 'create', prompt: 'Write it' }],
    [{ prompt: '  two\nlines \n' }, { kind: 'create', prompt: 'two\nlines' }],
    [
      { prompt: '', 'job-id': 'job_1' },
      { kind: 'attach', jobId: 'job_1' },
    ],
    [{ 'job-id': 'job_1' }, { kind: 'follow-up', jobId: 'job_1', prompt: 'Write it' }],
  ])('reads %o as %o', (inputs, intent) => {
    expect(readInputs(toEnv(inputs)).intent).toEqual(intent);
  });

  it.each([
    ['true', true],
    ['True', true],
    ['TRUE', true],
    ['false', false],
    ['False', false],
    ['FALSE', false],
  ])('reads the boolean %s', (text, value) => {
    expect(readInputs(toEnv({ wait: text })).isWaiting).toBe(value);
  });

  it.each([
    ['timeout-minutes', '0.5', 'timeoutMs', 30_000],
    ['timeout-minutes', '360', 'timeoutMs', 21_600_000],
    ['poll-interval-seconds', '1', 'pollIntervalMs', 1_000],
    ['poll-interval-seconds', '300', 'pollIntervalMs', 300_000],
  ] as const)('reads %s %s', (name, text, field, value) => {
    expect(readInputs(toEnv({ [name]: text }))[field]).toBe(value);
  });

  it.each([
    'https://api.example.com',
    'https://api.example.com/',
    'https://proxy.example.com:8443/agent/v1',
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://127.8.8.8',
    'http://[::1]:4010/prefix',
  ])('accepts the address %s', (url) => {
    expect(readInputs(toEnv({ 'base-url': url })).baseUrl.href).toBe(new URL(url).href);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no prompt', { prompt: '' }, /^`prompt` is missing/],
    ['a blank prompt', { prompt: ' \n\t ' }, /^`prompt` is missing/],
    ['a prompt over 1 MiB', { prompt: 'é'.repeat(524_289) }, /^`prompt` is longer than 1 MiB/],
    ['no project', { 'project-id': '' }, /^`project-id` is missing/],
    ['a project with a slash', { 'project-id': '../other' }, /^`project-id` is not a project id/],
    ['a project of dots', { 'project-id': '..' }, /^`project-id` is not a project id/],
    ['a project with a query', { 'project-id': 'docs?x=1' }, /^`project-id` is not a project id/],
    ['a project with a bidi mark', { 'project-id': 'do\u202ecs' }, /^`project-id` is not a project id/],
    ['no key', { 'api-key': '' }, /^`api-key` is missing/],
    ['a short key', { 'api-key': 'mint_123' }, /^`api-key` is shorter than 16/],
    ['a key with Bearer', { 'api-key': `Bearer ${KEY}` }, /^`api-key` holds a character/],
    ['a key with a line break', { 'api-key': `${KEY}\n${KEY}` }, /^`api-key` holds a character/],
    ['an assistant key', { 'api-key': 'mint_dsc_0123456789' }, /^`api-key` is an assistant key/],
    ['an index key', { 'api-key': 'mint_us_0123456789abc' }, /^`api-key` is an index key/],
    ['the key in the prompt', { prompt: `use ${KEY}` }, /^`prompt` holds the API key/],
    [
      'the token in the prompt',
      { prompt: 'use ghs_0123456789abcdef', 'github-token': 'ghs_0123456789abcdef' },
      /^`prompt` holds the GitHub token/,
    ],
    [
      'the token as key',
      { 'api-key': 'ghs_0123456789abcdef', 'github-token': 'ghs_0123456789abcdef' },
      /^`api-key` holds the GitHub token/,
    ],
    ['the key as project', { 'project-id': KEY }, /^`project-id` holds the API key/],
    ['the key as job', { 'job-id': KEY }, /^`job-id` holds the API key/],
    ['no URL', { 'base-url': 'api.example.com' }, /^`base-url` is not a URL/],
    ['a URL with a space', { 'base-url': 'https://api.exa mple.com' }, /^`base-url` is not a URL/],
    ['plain http elsewhere', { 'base-url': 'http://api.example.com' }, /^`base-url` must begin with `https/],
    ['http to a name like loopback', { 'base-url': 'http://127.0.0.1.nip.io' }, /^`base-url` must begin/],
    ['another scheme', { 'base-url': 'ftp://api.example.com' }, /^`base-url` must begin with `https/],
    ['a user in the URL', { 'base-url': 'https://me:pw@api.example.com' }, /^`base-url` must not hold/],
    ['a query in the URL', { 'base-url': 'https://api.example.com/?' }, /^`base-url` must not hold/],
    ['a fragment in the URL', { 'base-url': 'https://api.example.com/#' }, /^`base-url` must not hold/],
    ['a job id with dots', { 'job-id': '..' }, /^`job-id` is not a job id/],
    ['a job id with a slash', { 'job-id': 'a/b' }, /^`job-id` is not a job id/],
    ['an encoded job id', { 'job-id': '%2e%2e' }, /^`job-id` is not a job id/],
    ['a release without a tag', { 'release-context': 'true' }, /^`release-tag` is missing/],
    ['a tag that git refuses', { 'release-tag': 'v1..2' }, /^`release-tag` is no name that a tag can have/],
    ['a tag with a line break', { 'release-tag': 'v1\n::x::' }, /^`release-tag` is no name/],
    ['a token with a line break', { 'github-token': `${KEY}\nx` }, /^`github-token` is not a token/],
    ['a short token', { 'github-token': 'ghs_1' }, /^`github-token` is not a token/],
    ['a YAML 1.1 boolean', { wait: 'yes' }, /^`wait` must be `true` or `false`, not `yes`/],
    ['a number as boolean', { 'dry-run': '1' }, /^`dry-run` must be/],
    ['no timeout at all', { 'timeout-minutes': '0' }, /^`timeout-minutes` must be a number .* not `0`/],
    ['more than a job may run', { 'timeout-minutes': '360.1' }, /^`timeout-minutes` must be a number/],
    ['a unit', { 'timeout-minutes': '30m' }, /^`timeout-minutes` must be a number/],
    ['an exponent', { 'timeout-minutes': '1e2' }, /^`timeout-minutes` must be a number/],
    ['a hexadecimal number', { 'timeout-minutes': '0x10' }, /^`timeout-minutes` must be a number/],
    ['a negative number', { 'poll-interval-seconds': '-5' }, /^`poll-interval-seconds` must be/],
    ['too short an interval', { 'poll-interval-seconds': '0.9' }, /^`poll-interval-seconds` must be/],
    ['too long an interval', { 'poll-interval-seconds': '301' }, /^`poll-interval-seconds` must be/],
  ])('refuses %s', (_, inputs, problem) => {
    expect(readProblems(inputs)).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['v1.2.0', {}, { tag: 'v1.2.0', isNamed: true }],
    ['refs/tags/pkg@1.2.0', {}, { tag: 'pkg@1.2.0', isNamed: true }],
    ['', { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.1.0' }, { tag: 'v1.1.0', isNamed: false }],
  ])('reads the release-tag "%s" in a run with %o', (tag, run, release) => {
    const env = { ...toEnv({ 'release-context': 'true', 'release-tag': tag }), ...run };
    expect(readInputs(env).release).toEqual(release);
  });

  it('needs no tag where there is no prompt to append facts to', () => {
    expect(readProblems({ prompt: '', 'job-id': 'job_1', 'release-context': 'true' })).toEqual([]);
  });

  it('takes the wrong kinds of key where another service may know them', () => {
    const inputs = { 'api-key': 'mint_dsc_0123456789', 'base-url': 'https://docs.example.com' };
    expect(readProblems(inputs)).toEqual([]);
  });

  it('knows the wrong kinds of key also behind a default address that is written otherwise', () => {
    const inputs = { 'api-key': 'mint_us_0123456789abc', 'base-url': 'HTTPS://API.mintlify.com:443/' };
    expect(readProblems(inputs)).toHaveLength(1);
  });

  it('reports every problem at once, and no value of the key', () => {
    const key = `secret value of ${KEY}`;
    const problems = readProblems({
      prompt: '',
      'api-key': key,
      'project-id': 'a/b',
      wait: 'perhaps',
      'timeout-minutes': 'soon',
      'base-url': 'nowhere',
    });
    expect(problems.map((problem) => /^`([\w-]+)`/.exec(problem)?.[1])).toEqual([
      'project-id',
      'api-key',
      'base-url',
      'wait',
      'timeout-minutes',
      'prompt',
    ]);
    expect(problems.join()).not.toContain(KEY);
  });
});

describe('prompt-file', () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  const workspace = mkdtempSync(join(tmpdir(), 'workspace-'));
  afterAll(() => {
    for (const folder of [outside, workspace]) rmSync(folder, { recursive: true });
  });
  const files: Record<string, string | Buffer> = {
    'prompt.md': '\uFEFFWrite the 📖\n',
    'blank.md': ' \n',
    'binary.bin': Buffer.from([0xff, 0xfe, 0x00]),
    'nul.md': 'a\0b',
    'large.md': 'x'.repeat(1024 * 1024 + 1),
    'limit.md': 'x'.repeat(1024 * 1024),
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(workspace, name), content);
  }
  mkdirSync(join(workspace, 'folder'));
  writeFileSync(join(outside, 'secret.md'), 'not yours');
  symlinkSync(join(outside, 'secret.md'), join(workspace, 'link.md'));
  symlinkSync(join(workspace, 'prompt.md'), join(workspace, 'folder', 'inside.md'));

  it.each([
    'prompt.md',
    './prompt.md',
    'folder/../prompt.md',
    'folder/inside.md',
    join(workspace, 'prompt.md'),
  ])('reads %s without mark and white space', (path) => {
    const inputs = readInputs(toEnv({ prompt: '', 'prompt-file': path }, workspace));
    expect(inputs.intent).toEqual({ kind: 'create', prompt: 'Write the 📖' });
  });

  it('reads a file of exactly 1 MiB', () => {
    expect(readProblems({ prompt: '', 'prompt-file': 'limit.md' }, workspace)).toEqual([]);
  });

  it.each([
    ['nothing.md', /was not found/],
    ['folder', /is not a file/],
    ['blank.md', /is an empty file/],
    ['binary.bin', /is not UTF-8/],
    ['nul.md', /holds a NUL/],
    ['large.md', /is larger than 1 MiB/],
    ['..', /leaves the workspace/],
    ['../elsewhere.md', /leaves the workspace/],
    [join(outside, 'secret.md'), /leaves the workspace/],
    ['link.md', /leaves the workspace/],
  ])('refuses %s', (path, problem) => {
    expect(readProblems({ prompt: '', 'prompt-file': path }, workspace)).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('excludes prompt', () => {
    expect(readProblems({ 'prompt-file': 'prompt.md' }, workspace)).toEqual([
      expect.stringMatching(/both set/),
    ]);
  });

  it('is an instruction for a follow-up, too', () => {
    const inputs = readInputs(
      toEnv({ prompt: '', 'prompt-file': 'prompt.md', 'job-id': 'job_1' }, workspace),
    );
    expect(inputs.intent).toEqual({ kind: 'follow-up', jobId: 'job_1', prompt: 'Write the 📖' });
  });
});
