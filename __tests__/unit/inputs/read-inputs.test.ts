import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { INPUT_NAMES, type Inputs, readInputs } from '../../../src/inputs/read-inputs.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { attach, create, createInputs, KEY, readOrExplain, TOKEN } from '../fixtures.ts';

/** A key without a known prefix. */
const PLAIN = '0123456789abcdefg';
const followUp = { kind: 'follow-up', jobId: 'job_1', prompt: 'Write it' };
const workspace = temporaryFolder('read-inputs');

beforeAll(() => {
  writeFileSync(join(workspace, 'prompt.md'), 'Write it\n');
  writeFileSync(join(workspace, 'key.md'), `use ${KEY}`);
});

/** Reads these inputs and the required ones, passed as a runner passes them. */
function read(
  inputs: Record<string, string> = {},
  eventTag?: string,
  isWithoutSecrets = false,
): Inputs {
  const given = { prompt: 'Write it', 'project-id': 'docs', 'api-key': KEY, ...inputs };
  const env = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  return readInputs(
    { GITHUB_WORKSPACE: workspace, ...Object.fromEntries(env) },
    { eventTag, isWithoutSecrets },
  );
}

function readProblems(
  inputs: Record<string, string>,
  eventTag?: string,
  isWithoutSecrets = false,
): string[] {
  return readOrExplain(() => {
    read(inputs, eventTag, isWithoutSecrets);
    return [];
  });
}

describe('readInputs', () => {
  it('uses the defaults of action.yml for inputs that are unset or blank', () => {
    const defaults = createInputs({ baseUrl: new URL('https://api.mintlify.com') });
    expect(read({ wait: '', 'timeout-minutes': '  ', 'base-url': '\n' })).toEqual(defaults);
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
    const times = { timeoutMs: 30_000, pollIntervalMs: 1_500 };
    expect(inputs).toMatchObject({ wait: false, dryRun: true, reuse: 'never', ...times });
    expect(inputs.baseUrl.href).toBe('http://localhost:8080/a');
    expect(inputs.paths).toHaveLength(1);
  });

  it.each([
    [{}, create],
    [{ prompt: '  two\nlines \n' }, { kind: 'create', prompt: 'two\nlines' }],
    [{ prompt: '', 'prompt-file': 'prompt.md' }, create],
    [{ prompt: '', 'job-id': 'job_1' }, attach],
    [{ 'job-id': 'job_1' }, followUp],
    [{ prompt: '', 'prompt-file': 'prompt.md', 'job-id': 'job_1' }, followUp],
  ])('reads the request in %o', (inputs, request) => {
    expect(read(inputs).request).toEqual(request);
  });

  const file = (name: string) => ({ prompt: '', 'prompt-file': name });
  const tag = { 'release-tag': 'v1' };
  const wanted = { 'release-context': 'true' };

  it.each<[Record<string, string>, RegExp]>([
    [{ prompt: ' \n\t ' }, /^`prompt` is missing: .* `prompt-file`\. To wait for .* `job-id`\.$/],
    [{ 'prompt-file': 'prompt.md' }, /^`prompt` and `prompt-file` are both set: keep one/],
    [{ 'project-id': '' }, /^`project-id` is missing/],
    [{ 'api-key': '' }, /^`api-key` is missing: pass a secret/],
    [{ wait: 'yes' }, /^`wait` must be `true` or `false`, not `yes`\.$/],
    [{ paths: 'a', ...tag, 'job-id': 'job_1' }, /^`paths` and `job-id` are both set/],
    [{ paths: 'a' }, /^`paths` needs a tag, but this run has no tag/],
    [{ reuse: 'release' }, /^`reuse: release` needs a tag/],
    [wanted, /^`release-context` needs a tag/],
    [{ ...wanted, 'job-id': 'job_1' }, /^`release-context` needs a tag/],
    [tag, /^`release-tag` is set, but nothing uses it/],
    [file('key.md'), /^`prompt-file` contains the API key: remove it\.$/],
    [{ 'api-key': PLAIN, 'github-token': PLAIN }, /^`github-token` contains the API key/],
    [{ prompt: TOKEN, 'github-token': TOKEN }, /^`prompt` contains the GitHub token: remove it\.$/],
  ])('rejects %j', (inputs, problem) => {
    expect(readProblems(inputs)).toEqual([expect.stringMatching(problem)]);
  });

  const others = INPUT_NAMES.filter((name) => name !== 'api-key' && name !== 'prompt-file');
  it.each(others)('rejects the key in any form in `%s` without quoting it', (name) => {
    const forms = [KEY, KEY.slice(5), `"${KEY}"`, `x${KEY}`, btoa(`me:${KEY}`)];
    for (const form of forms) {
      const problems = readProblems({ 'release-context': 'true', [name]: form }, 'v1');
      expect(problems).toEqual([`\`${name}\` contains the API key: remove it.`]);
    }
  });

  it.each([
    'mint-v2-migration-guide',
    'peppermint_authenticationProvider',
    'packages/mint-tokens-v2-beta/README.md',
    'mint_AnotherKeyOf0123456789',
    'ghs_0123456789012345678901234567890123456',
  ])('accepts a prompt about %s', (text) => {
    expect(readProblems({ prompt: `Document ${text}`, 'github-token': TOKEN })).toEqual([]);
  });

  it('says why a run for Dependabot or for a fork has no key', () => {
    expect(readProblems({ 'api-key': '' }, undefined, true)).toEqual([
      expect.stringMatching(
        /^`api-key` is missing: Dependabot .* forks don't get Actions secrets\./,
      ),
    ]);
    expect(readProblems({}, undefined, true)).toEqual([]);
  });

  it.each(['dry-rn', 'promt', 'tag', 'token', 'dry_run'])('rejects the input %s', (name) => {
    const problems = readProblems({ [name]: 'true' });
    expect(problems).toEqual([
      `\`${name}\` is not an input of this action: correct its name, or remove it. If it is not under \`with\`, set \`INPUT_${name.toUpperCase()}\` to \`''\` in the \`env\` of this step.`,
      expect.stringMatching(/^The inputs are `prompt`, .*, `dry-run`\.$/),
    ]);
    expect(problems[1]?.match(/`[a-z-]+`/g)).toHaveLength(INPUT_NAMES.length);
  });

  it('ignores variables of unknown inputs that are empty', () => {
    expect(readProblems({ tag: '', token: ' \n' })).toEqual([]);
  });

  it('says nothing about the use of a tag next to an input that is no boolean', () => {
    expect(readProblems({ ...tag, 'release-context': 'yes' })).toEqual([
      expect.stringMatching(/^`release-context` must be `true` or `false`/),
    ]);
  });

  it.each([
    [{ ...wanted, 'release-tag': 'v1.2.0' }, 'v1.1.0', 'v1.2.0'],
    [wanted, 'v1.1.0', 'v1.1.0'],
    [{}, 'v1.1.0', 'v1.1.0'],
    [{}, undefined, undefined],
  ])('finds the tag for %o in a run with the tag %s', (inputs, eventTag, found) => {
    const releaseContext = 'release-context' in inputs;
    expect(read(inputs, eventTag)).toMatchObject({ tag: found, releaseContext });
  });

  it.each([
    ['a job to wait for with a release context', { prompt: '', 'release-context': 'true' }],
    ['a job to wait for', { prompt: '', reuse: 'release' }],
    ['a follow-up', { reuse: 'release' }],
  ])('needs no tag for %s', (_, inputs) => {
    expect(readProblems({ 'job-id': 'job_1', ...inputs })).toEqual([]);
    expect(readProblems({ 'job-id': 'job_1', 'release-tag': 'v1', ...inputs })).toEqual([]);
  });

  it.each([{ reuse: 'release' }, { paths: 'a' }, wanted])('uses a tag for %o', (inputs) => {
    expect(readProblems({ ...tag, ...inputs })).toEqual([]);
    expect(readProblems(inputs, 'v1')).toEqual([]);
  });

  it('reports every problem at once', () => {
    const invalid = {
      prompt: '',
      'project-id': 'a/b',
      'api-key': `secret value of ${KEY}`,
      'base-url': 'nowhere',
      wait: 'perhaps',
      'timeout-minutes': 'soon',
      prompts: 'x',
    };
    const problems = readProblems(invalid);
    expect(problems.slice(0, -1).map((problem) => problem.split('`')[1])).toEqual(
      Object.keys(invalid),
    );
    expect(problems.join()).not.toContain(KEY);
  });
});
