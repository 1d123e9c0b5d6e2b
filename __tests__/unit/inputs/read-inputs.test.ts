import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  INPUT_NAMES,
  type Inputs,
  type RunEventFacts,
  readInputs,
} from '../../../src/inputs/read-inputs.ts';
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

function readProblems(inputs: Record<string, string>, event: RunEventFacts = night): string[] {
  return readOrExplain(() => {
    read(inputs, event);
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
  const wanted = { 'include-changes': 'true' };
  const unset = '0'.repeat(40);
  const last = 'last successful run';

  it.each<[Record<string, string>, RegExp]>([
    [{ prompt: ' \n\t ' }, /^`prompt` is missing: .* `prompt-file`\. To wait for .* `job-id`\.$/],
    [{ 'prompt-file': 'prompt.md' }, /^`prompt` and `prompt-file` are both set: keep one/],
    [{ 'project-id': '' }, /^`project-id` is missing/],
    [{ 'api-key': '' }, /^`api-key` is missing: pass a secret/],
    [{ wait: 'yes' }, /^`wait` must be `true` or `false`, not `yes`\.$/],
    [{ paths: 'a', ...tag, 'job-id': 'job_1' }, /^`paths` and `job-id` are both set/],
    [{ reuse: 'release' }, /^`reuse: release` needs a tag/],
    [tag, /^`release-tag` is set, but nothing uses it: set `include-changes` to `true`/],
    [{ 'changes-since': 'v1' }, /^`changes-since` is set, but nothing uses it/],
    [file('key.md'), /^`prompt-file` contains the API key: remove it\.$/],
    [{ 'api-key': PLAIN, 'github-token': PLAIN }, /^`github-token` contains the API key/],
    [{ prompt: TOKEN, 'github-token': TOKEN }, /^`prompt` contains the GitHub token: remove it\.$/],
  ])('rejects %j', (inputs, problem) => {
    expect(readProblems(inputs)).toEqual([expect.stringMatching(problem)]);
  });

  const noStart =
    /^`(?:paths|include-changes)` needs to know where the changes begin, which a run for `schedule` doesn't say\. Set `changes-since` to `last successful run`, or/;
  const merge = /which a run for `pull_request` doesn't say\. Start the workflow on `push` instead/;
  const form = /^`changes-since` must be a tag, branch, or commit of this repository, or `last/;
  const ownStart = /^`changes-since` is the branch or commit of this run/;

  it.each<[Record<string, string>, RunEventFacts, RegExp]>([
    [{ paths: 'a' }, night, noStart],
    [wanted, night, noStart],
    [{ ...wanted, 'job-id': 'job_1' }, night, noStart],
    [{ ...wanted, 'changes-since': unset }, night, noStart],
    [wanted, pull, merge],
    [wanted, { ...pull, eventName: 'merge_group' }, /^`include-changes` .* `push` instead/],
    [{ ...wanted, 'changes-since': 'HEAD~1' }, night, form],
    [{ ...wanted, 'changes-since': 'main' }, push, ownStart],
    [{ paths: 'a', 'changes-since': 'refs/heads/main' }, night, ownStart],
    [{ ...wanted, 'changes-since': 'c'.repeat(40) }, night, ownStart],
    [{ ...wanted, 'changes-since': last }, onTag, /can't be `last successful run` for a tag/],
    [{ ...wanted, 'changes-since': last }, pull, /for this event\. Start the workflow on `push`/],
  ])('rejects %j in a run for %o', (inputs, event, problem) => {
    expect(readProblems(inputs, event)).toEqual([expect.stringMatching(problem)]);
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
    const withoutSecrets = { ...night, isWithoutSecrets: true };
    expect(readProblems({ 'api-key': '' }, withoutSecrets)).toEqual([
      expect.stringMatching(
        /^`api-key` is missing: Dependabot .* forks don't get Actions secrets\./,
      ),
    ]);
    expect(readProblems({}, withoutSecrets)).toEqual([]);
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
    expect(readProblems({ ...tag, 'include-changes': 'yes' })).toEqual([
      expect.stringMatching(/^`include-changes` must be `true` or `false`/),
    ]);
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
