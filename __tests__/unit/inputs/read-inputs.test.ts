import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunEventFacts } from '../../../src/inputs/combinations.ts';
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

/** An event that doesn't say where the changes begin. */
const night: RunEventFacts = {
  eventName: 'schedule',
  eventTag: undefined,
  branch: 'main',
  sha: 'c'.repeat(40),
  before: undefined,
  isWithoutSecrets: false,
};
const onTag = { ...night, eventName: 'push', eventTag: 'v1.1.0', branch: undefined };
const push = { ...night, eventName: 'push', before: 'b'.repeat(40) };
const pull = { ...night, eventName: 'pull_request' };

/** Reads these inputs and the required ones, passed as a runner passes them. */
function read(inputs: Record<string, string> = {}, event: RunEventFacts = night): Inputs {
  const given = { prompt: 'Write it', 'project-id': 'docs', 'api-key': KEY, ...inputs };
  const env = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  return readInputs({ GITHUB_WORKSPACE: workspace, ...Object.fromEntries(env) }, event);
}

/** Returns the problems with these inputs. Expects each to be short, and to begin with a name. */
function readProblems(inputs: Record<string, string>, event: RunEventFacts = night): string[] {
  const problems = readOrExplain((): string[] => {
    read(inputs, event);
    return [];
  });
  for (const problem of problems.filter((text) => !text.startsWith('The inputs are '))) {
    expect(problem).toMatch(/^`[\w-]+` /);
    expect(problem.split(' ').length).toBeLessThanOrEqual(25);
    expect(problem.split(/\. /).length).toBeLessThanOrEqual(2);
  }
  return problems;
}

/** Returns the inputs that the problems begin with. */
function nameProblems(inputs: Record<string, string>, event?: RunEventFacts): string[] {
  return readProblems(inputs, event).map((problem) => problem.split('`')[1] ?? problem);
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
  const wanted = { 'include-changes': 'true' };
  const unset = '0'.repeat(40);
  const last = 'last job';

  it.each<[Record<string, string>, RegExp]>([
    [{ prompt: ' \n\t ' }, /^`prompt` is empty\..*`prompt-file`.*`job-id`/],
    [{ 'prompt-file': 'prompt.md' }, /^`prompt` and `prompt-file` are both set/],
    [{ 'project-id': '' }, /^`project-id` is empty/],
    [{ 'api-key': '' }, /^`api-key` is empty\. Define the secret/],
    [{ 'project-id': '', 'api-key': ' ' }, /^`project-id` and `api-key` are empty\. Define/],
    [{ wait: 'yes' }, /^`wait` must be `true` or `false`/],
    [{ paths: 'a', ...tag, 'job-id': 'job_1' }, /^`paths` and `job-id` are both set/],
    [{ paths: 'a\n./b', ...tag }, /^`paths` line 2: begin at the root/],
    [{ reuse: 'release' }, /^`reuse` .* needs a tag/],
    [tag, /^`release-tag` has no use here/],
    [{ 'changes-since': 'v1' }, /^`changes-since` has no use here/],
    [file('key.md'), /^`prompt-file` contains the API key/],
    [{ 'api-key': PLAIN, 'github-token': PLAIN }, /^`github-token` contains the API key/],
    [{ prompt: TOKEN, 'github-token': TOKEN }, /^`prompt` contains a GitHub token/],
    [{ prompt: TOKEN, 'pr-token': TOKEN }, /^`prompt` contains a GitHub token/],
    [{ 'pr-token': 'short' }, /^`pr-token` is not a GitHub token/],
    [{ 'skip-while-pr-open': 'true' }, /^`skip-while-pr-open` needs `changes-since: last job`/],
  ])('rejects %j', (inputs, problem) => {
    expect(readProblems(inputs)).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[Record<string, string>, RunEventFacts, RegExp]>([
    [{ paths: 'a' }, night, /be empty/],
    [wanted, night, /be empty/],
    [{ ...wanted, 'job-id': 'job_1' }, night, /be empty/],
    [{ ...wanted, 'changes-since': unset }, night, /be empty/],
    [wanted, pull, /be empty/],
    [wanted, { ...pull, eventName: 'merge_group' }, /be empty/],
    [{ ...wanted, 'changes-since': 'HEAD~1' }, night, /must be a tag, branch, or commit/],
    [{ ...wanted, 'changes-since': last }, onTag, /can't be `last job`/],
    [{ ...wanted, ...tag, 'changes-since': last }, night, /can't be `last job`/],
    [{ ...wanted, 'changes-since': last }, pull, /can't be `last job`/],
  ])('rejects the start of the changes in %j in a run for %o', (inputs, event, problem) => {
    expect(readProblems(inputs, event)).toEqual([expect.stringMatching(problem)]);
    expect(nameProblems(inputs, event)).toEqual(['changes-since']);
  });

  const commit = `0123abc${'d'.repeat(33)}`;
  const branch = { ...push, sha: commit };
  const byTag = { ...onTag, sha: commit, eventTag: 'v1' };
  const spellings = {
    branch: [branch, ['main', 'heads/main', 'refs/heads/main']],
    tag: [byTag, ['v1', 'tags/v1', 'refs/tags/v1']],
    commit: [branch, [commit, commit.toUpperCase(), '0123abc', '0123ABCd', commit.slice(0, 39)]],
    'commit of the tag': [byTag, [commit, '0123abcd']],
  } as const;

  it.each(Object.entries(spellings))('rejects the own %s in any spelling', (_, [event, texts]) => {
    for (const text of texts) {
      const problems = readProblems({ paths: 'a', 'changes-since': text }, event);
      expect(problems).toEqual([expect.stringMatching(/^`changes-since` is the run's own/)]);
    }
  });

  it('rejects the tag in `release-tag` in any spelling, instead of that of the run', () => {
    for (const name of ['v2', 'refs/tags/v2']) {
      const inputs = { ...wanted, 'release-tag': name };
      for (const text of ['v2', 'tags/v2', 'refs/tags/v2']) {
        expect(nameProblems({ ...inputs, 'changes-since': text }, byTag)).toEqual([
          'changes-since',
        ]);
      }
      expect(nameProblems({ ...inputs, 'changes-since': 'v1' }, byTag)).toEqual([]);
    }
  });

  it.each<[string, RunEventFacts, readonly string[]]>([
    ['branch', branch, ['Main', 'main2', 'a/main', 'origin/main', 'tags/main', 'heads/main/a']],
    ['tag', byTag, ['main', 'v1.0.0', 'v', 'V1', 'heads/v1', 'release/v1', 'tags/v10']],
    ['commit', branch, ['0123ab', '0123abe', '123abcd', `${commit}0`, commit.slice(1), '0123abx']],
  ])('accepts what only looks like the own %s', (_, event, texts) => {
    for (const text of texts) {
      expect(nameProblems({ ...wanted, 'changes-since': text }, event)).toEqual([]);
    }
  });

  it.each<[string, RunEventFacts, string | undefined]>([
    ['', push, undefined],
    [unset, push, undefined],
    ['main', onTag, 'main'],
    ['v1.0.0', night, 'v1.0.0'],
    ['refs/tags/v1.0.0', pull, 'refs/tags/v1.0.0'],
    [last, night, last],
    [last, push, last],
  ])('reads `changes-since: %s` as it is written', (text, event, expected) => {
    for (const user of [wanted, { paths: 'a' }]) {
      expect(read({ ...user, 'changes-since': text }, event).changesSince).toBe(expected);
    }
  });

  const others = INPUT_NAMES.filter((name) => name !== 'api-key' && name !== 'prompt-file');
  it.each(others)('rejects the key in any form in `%s` without quoting it', (name) => {
    const forms = [KEY, KEY.slice(5), `"${KEY}"`, `x${KEY}`, btoa(`me:${KEY}`)];
    for (const form of forms) {
      const problems = readProblems({ 'include-changes': 'true', [name]: form }, onTag);
      expect(problems).toEqual([`\`${name}\` contains the API key. Remove it.`]);
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

  it.each([{}, { 'project-id': '' }])('says why a run has no key, with %j', (inputs) => {
    const withoutSecrets = { ...night, isWithoutSecrets: true };
    expect(readProblems({ ...inputs, 'api-key': '' }, withoutSecrets)).toEqual([
      expect.stringMatching(/^`api-key` is empty: Dependabot and forks get no secrets\. Skip/),
    ]);
    expect(readProblems({}, withoutSecrets)).toEqual([]);
  });

  it.each(['dry-rn', 'promt', 'tag', 'token', 'dry_run'])('rejects the input %s', (name) => {
    const [problem, list, ...others] = readProblems({ [name]: 'true' });
    expect(problem).toContain(`\`${name}\` is not an input. `);
    expect(problem).toContain(`\`INPUT_${name.toUpperCase()}\``);
    expect(list?.match(/`[a-z-]+`/g)).toEqual(INPUT_NAMES.map((input) => `\`${input}\``));
    expect(others).toEqual([]);
  });

  it('ignores variables of unknown inputs that are empty', () => {
    expect(readProblems({ tag: '', token: ' \n' })).toEqual([]);
  });

  it.each<[Record<string, string>, string]>([
    [{ ...tag, 'include-changes': 'yes' }, 'include-changes'],
    [{ ...tag, reuse: 'yes' }, 'reuse'],
    [{ 'changes-since': 'v0', 'include-changes': 'yes' }, 'include-changes'],
    [{ reuse: 'release', 'release-tag': 'a..b' }, 'release-tag'],
    [{ paths: 'a', 'changes-since': 'HEAD' }, 'changes-since'],
    [{ paths: 'a', 'release-tag': '@' }, 'release-tag'],
  ])('finds only the invalid input in %j, not what follows from it', (inputs, name) => {
    expect(nameProblems(inputs)).toEqual([name]);
  });

  it.each([
    [{ ...wanted, 'release-tag': 'v1.2.0' }, onTag, 'v1.2.0'],
    [wanted, onTag, 'v1.1.0'],
    [{}, onTag, 'v1.1.0'],
    [{}, night, undefined],
  ])('finds the tag for %o in a run for %o', (inputs, event, found) => {
    const includeChanges = 'include-changes' in inputs;
    expect(read(inputs, event)).toMatchObject({ tag: found, includeChanges });
  });

  it.each([
    ['a job to wait for with changes', { prompt: '', 'include-changes': 'true' }],
    ['a job to wait for', { prompt: '', reuse: 'release' }],
    ['a follow-up', { reuse: 'release' }],
  ])('needs no tag and no start for %s', (_, inputs) => {
    const names = { 'release-tag': 'v1', 'changes-since': 'v0' };
    expect(readProblems({ 'job-id': 'job_1', ...inputs })).toEqual([]);
    expect(readProblems({ 'job-id': 'job_1', ...names, ...inputs })).toEqual([]);
  });

  it.each([{ reuse: 'release' }, { paths: 'a' }, wanted])('uses a tag for %o', (inputs) => {
    expect(readProblems({ ...tag, ...inputs })).toEqual([]);
    expect(readProblems(inputs, onTag)).toEqual([]);
  });

  it('reports every problem at once, misspelled inputs first', () => {
    const invalid = {
      promt: 'x',
      'project-id': 'a/b',
      'api-key': `secret value of ${KEY}`,
      'base-url': 'nowhere',
      wait: 'perhaps',
      'timeout-minutes': 'soon',
      'changes-since': 'main',
      paths: '"a"',
      prompt: '',
      'job-id': '',
    };
    const names = nameProblems({ ...invalid, 'include-changes': 'true' });
    expect(names.slice(0, 6)).toEqual(Object.keys(invalid).slice(0, 6));
    expect(names.slice(6, -1).sort()).toEqual(['changes-since', 'paths', 'prompt']);
    expect(readProblems(invalid).join()).not.toContain(KEY);
  });
});
