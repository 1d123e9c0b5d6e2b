import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { getInput, type Inputs, readInputs } from '../../../src/inputs/read-inputs.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { KEY } from '../fixtures.ts';

const TOKEN = 'ghs_0123456789abcdef';
const workspace = mkdtempSync(join(tmpdir(), 'read-inputs-'));
writeFileSync(join(workspace, 'prompt.md'), 'Write it\n');
writeFileSync(join(workspace, 'key.md'), `use ${KEY}`);

afterAll(() => rmSync(workspace, { recursive: true }));

/** Reads the inputs of a step as the runner hands them over, on top of those that are required. */
function read(inputs: Record<string, string> = {}, eventTag?: string): Inputs {
  const given = { prompt: 'Write it', 'project-id': 'docs', 'api-key': KEY, ...inputs };
  const env = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  return readInputs({ GITHUB_WORKSPACE: workspace, ...Object.fromEntries(env) }, eventTag);
}

function readProblems(inputs: Record<string, string>, eventTag?: string): string[] {
  try {
    read(inputs, eventTag);
  } catch (error) {
    if (error instanceof InputError) {
      return error.problems.map(toPlainText);
    }
    throw error;
  }
  return [];
}

describe('getInput', () => {
  it('returns an input without outer white space, and undefined for a blank one', () => {
    const env = { INPUT_WAIT: ' true\n', 'INPUT_DRY-RUN': ' \t\n', 'INPUT_API-KEY': 'x y' };
    expect(getInput(env, 'wait')).toBe('true');
    expect(getInput(env, 'api-key')).toBe('x y');
    expect(getInput(env, 'dry-run')).toBeUndefined();
    expect(getInput(env, 'prompt')).toBeUndefined();
  });
});

describe('readInputs', () => {
  it('uses the defaults of action.yml for inputs that are unset or blank', () => {
    expect(read({ wait: '', 'timeout-minutes': '  ', 'base-url': '\n' })).toEqual({
      request: { kind: 'create', prompt: 'Write it' },
      projectId: 'docs',
      apiKey: KEY,
      baseUrl: new URL('https://api.mintlify.com'),
      wait: true,
      dryRun: false,
      release: undefined,
      releaseContext: false,
      reuse: 'rerun',
      paths: undefined,
      timeoutMs: 30 * 60_000,
      pollIntervalMs: 10_000,
      notes: [],
    });
  });

  it('reads every input', () => {
    const inputs = read({
      'base-url': 'http://localhost:8080/a',
      wait: 'false',
      'dry-run': 'true',
      reuse: 'never',
      paths: 'src/**',
      'release-tag': 'v1',
      'timeout-minutes': '0.5',
      'poll-interval-seconds': '1.5',
      'github-token': TOKEN,
    });
    expect(inputs).toMatchObject({ wait: false, dryRun: true, reuse: 'never' });
    expect(inputs).toMatchObject({ timeoutMs: 30_000, pollIntervalMs: 1_500 });
    expect(inputs.baseUrl.href).toBe('http://localhost:8080/a');
    expect(inputs.paths).toHaveLength(1);
  });

  it.each([
    [{}, { kind: 'create', prompt: 'Write it' }],
    [{ prompt: '  two\nlines \n' }, { kind: 'create', prompt: 'two\nlines' }],
    [
      { prompt: '', 'prompt-file': 'prompt.md' },
      { kind: 'create', prompt: 'Write it' },
    ],
    [
      { prompt: '', 'job-id': 'job_1' },
      { kind: 'attach', jobId: 'job_1' },
    ],
    [{ 'job-id': 'job_1' }, { kind: 'follow-up', jobId: 'job_1', prompt: 'Write it' }],
    [
      { prompt: '', 'prompt-file': 'prompt.md', 'job-id': 'job_1' },
      { kind: 'follow-up', jobId: 'job_1', prompt: 'Write it' },
    ],
  ])('reads %o as a request', (inputs, request) => {
    expect(read(inputs).request).toEqual(request);
  });

  it.each<[string, string, string[]]>([
    ['timeout-minutes', 'more than 0 and at most 360', ['360', '0.001']],
    ['poll-interval-seconds', 'from 1 to 300', ['1', '300']],
  ])('accepts a %s %s', (name, range, accepted) => {
    for (const text of accepted) {
      expect(readProblems({ [name]: text })).toEqual([]);
    }
    for (const text of ['0', '361', '300.1', '0.9', '360.1'].filter(
      (text) => name !== 'timeout-minutes' || !/^(?:300.1|0.9)$/.test(text),
    )) {
      expect(readProblems({ [name]: text })).toEqual([
        `\`${name}\` must be a number such as \`10\` or \`2.5\`, ${range}, not \`${text}\`.`,
      ]);
    }
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no prompt', { prompt: '' }, /^`prompt` is missing: .* `prompt-file`\. To wait for .* `job-id`\.$/],
    ['a blank prompt', { prompt: ' \n\t ' }, /^`prompt` is missing/],
    ['a prompt over 1 MiB', { prompt: 'é'.repeat(524_289) }, /^`prompt` is longer than 1 MiB/],
    ['two prompts', { 'prompt-file': 'prompt.md' }, /^`prompt` and `prompt-file` are both set: keep one/],
    ['no file', { prompt: '', 'prompt-file': 'no.md' }, /^`prompt-file` was not found/],
    ['a directory', { prompt: '', 'prompt-file': '.' }, /^`prompt-file` is a directory/],
    [
      'no project',
      { 'project-id': '' },
      /^`project-id` is missing: .* the variable is defined for this repository\.$/,
    ],
    ['a wrong project', { 'project-id': '../other' }, /^`project-id` is not a project id/],
    ['no key', { 'api-key': '' }, /^`api-key` is missing: .* forks and of Dependabot/],
    ['a short key', { 'api-key': 'mint_123' }, /^`api-key` is shorter than 16/],
    ['a wrong address', { 'base-url': 'api.example.com' }, /^`base-url` is not a URL/],
    ['a wrong job id', { 'job-id': 'a/b' }, /^`job-id` is not a job id/],
    ['a wrong wait', { wait: 'yes' }, /^`wait` must be `true` or `false`, not `yes`\.$/],
    ['a wrong dry-run', { 'dry-run': '1' }, /^`dry-run` must be/],
    ['a wrong release-context', { 'release-context': '1' }, /^`release-context` must be/],
    ['a wrong reuse', { reuse: 'true' }, /^`reuse` must be `rerun`, `release`, or `never`, not `true`\.$/],
    ['wrong paths', { paths: '!a', 'release-tag': 'v1' }, /^`paths` has only/],
    [
      'paths for a follow-up',
      { paths: 'a', 'release-tag': 'v1', 'job-id': 'job_1' },
      /^`paths` and `job-id` are both set/,
    ],
    ['paths without a tag', { paths: 'a' }, /^`release-tag` is missing: `paths` needs a tag/],
    [
      'reuse in a release without a tag',
      { reuse: 'release' },
      /^`release-tag` is missing: `reuse: release` needs/,
    ],
    ['a wrong token', { 'github-token': 'ghs_1' }, /^`github-token` is not a token/],
    [
      'a release without a tag',
      { 'release-context': 'true' },
      /^`release-tag` is missing: `release-context` needs a tag, and this run is not about one\./,
    ],
    [
      'a wrong tag',
      { 'release-context': 'true', 'release-tag': 'v1..2' },
      /^`release-tag` is not a valid tag/,
    ],
    [
      'a tag that nothing uses',
      { 'release-tag': 'v1' },
      /^`release-tag` is set, but nothing uses it: set `release-context` to `true`, or remove `release-tag`\.$/,
    ],
    ['the key in the prompt', { prompt: `use ${KEY}` }, /^`prompt` holds the API key: take it out\.$/],
    ['the key in a file', { prompt: '', 'prompt-file': 'key.md' }, /^`prompt-file` holds the API key/],
    ['the key in the address', { 'base-url': `https://x/${KEY}` }, /^`base-url` holds the API key/],
    ['an encoded key', { prompt: Buffer.from(`x${KEY}`).toString('base64') }, /^`prompt` holds the API key/],
    ['the token in the prompt', { prompt: TOKEN, 'github-token': TOKEN }, /^`prompt` holds the GitHub token/],
  ])('refuses %s', (_, inputs, problem) => {
    expect(readProblems(inputs)).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['a GitHub token', TOKEN],
    ['an assistant key', 'mint_dsc_0123456789'],
    ['an index key', 'mint_us_0123456789abc'],
  ])('refuses %s as key at every address', (_, key) => {
    for (const url of ['', 'HTTPS://API.mintlify.com:443/', 'https://docs.example.com', 'http://127.0.0.1']) {
      expect(readProblems({ 'api-key': key, 'base-url': url })).toEqual([
        expect.stringMatching(/^`api-key` is an? /),
      ]);
    }
  });

  it.each(['project-id', 'github-token', 'wait', 'reuse', 'timeout-minutes', 'dry-run'])(
    'refuses a key in %s without quoting it, whether or not it is that of `api-key`',
    (name) => {
      for (const key of [KEY, 'mint_another0123456789']) {
        const problems = readProblems({ 'release-context': 'true', [name]: key }, 'v1');
        expect(problems).not.toEqual([]);
        expect(problems.every((problem) => problem.startsWith(`\`${name}\``))).toBe(true);
        expect(problems.join()).not.toContain('0123');
      }
    },
  );

  it('names both inputs where key and project id, or key and token, are swapped', () => {
    const swapped = readProblems({ 'api-key': 'docs', 'project-id': KEY });
    expect(swapped.map((problem) => problem.split(' ')[0])).toEqual(['`project-id`', '`api-key`']);
    const tokens = readProblems({ 'api-key': TOKEN, 'github-token': KEY });
    expect(tokens.map((problem) => problem.split(' ')[0])).toEqual(['`api-key`', '`github-token`']);
  });

  it('refuses a token that is the key', () => {
    const key = '0123456789abcdefg';
    expect(readProblems({ 'api-key': key, 'github-token': key })).toEqual([
      '`github-token` holds the API key: take it out.',
    ]);
  });

  it('refuses a misspelled input, and only notes another unknown one', () => {
    expect(readProblems({ dryrun: 'true', branch: 'main' })).toEqual([
      '`dryrun` is not an input of this action: did you mean `dry-run`? If it is an environment variable, rename it.',
    ]);
    expect(read({ branch: 'main' }).notes.map(toPlainText)).toEqual([
      '`branch` is not an input of this action, and is ignored',
    ]);
  });

  it.each([
    ['v1.2.0', undefined, { tag: 'v1.2.0', isNamed: true }],
    ['refs/tags/pkg@1.2.0', 'v1.1.0', { tag: 'pkg@1.2.0', isNamed: true }],
    ['', 'v1.1.0', { tag: 'v1.1.0', isNamed: false }],
  ])('describes the release "%s" in a run about %s', (tag, eventTag, release) => {
    expect(read({ 'release-context': 'true', 'release-tag': tag }, eventTag).release).toEqual(release);
  });

  it('knows the release without an input that needs it', () => {
    expect(read({}, 'v1.1.0')).toMatchObject({
      release: { tag: 'v1.1.0', isNamed: false },
      releaseContext: false,
    });
    expect(read({}).release).toBeUndefined();
  });

  it.each([
    ['nothing to append the release context to', { prompt: '', 'release-context': 'true' }],
    ['a job to wait for', { prompt: '', reuse: 'release' }],
    ['a follow-up', { reuse: 'release' }],
  ])('needs no tag where there is %s', (_, inputs) => {
    expect(readProblems({ 'job-id': 'job_1', ...inputs })).toEqual([]);
    expect(readProblems({ 'job-id': 'job_1', 'release-tag': 'v1', ...inputs })).toEqual([]);
  });

  it.each([{ reuse: 'release' }, { paths: 'a' }, { 'release-context': 'true' }])(
    'uses a tag for %o',
    (inputs) => {
      expect(readProblems({ 'release-tag': 'v1', ...inputs })).toEqual([]);
      expect(readProblems(inputs, 'v1')).toEqual([]);
    },
  );

  it.each(['job-id', 'release-tag', 'paths', 'prompt', 'base-url'])(
    'refuses the key in %s without quoting it',
    (name) => {
      const value = name === 'base-url' ? `https://x/${KEY}` : KEY;
      const problems = readProblems(
        { 'release-context': 'true', ...(name === 'paths' ? { 'release-tag': 'v1' } : {}), [name]: value },
        'v1',
      );
      expect(problems).toEqual([`\`${name}\` holds the API key: take it out.`]);
    },
  );

  it('reports every problem at once', () => {
    const problems = readProblems({
      prompt: '',
      'api-key': `secret value of ${KEY}`,
      'project-id': 'a/b',
      wait: 'perhaps',
      'timeout-minutes': 'soon',
      'base-url': 'nowhere',
      promt: 'x',
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(
      ['prompt', 'project-id', 'api-key', 'base-url', 'wait', 'timeout-minutes', 'promt'].map(
        (name) => `\`${name}\``,
      ),
    );
    expect(problems.join()).not.toContain(KEY);
  });
});
