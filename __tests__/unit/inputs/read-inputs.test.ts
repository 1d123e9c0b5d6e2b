import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { adminKey } from '../../../emulator/keys.ts';
import type { RunEventFacts } from '../../../src/inputs/combinations.ts';
import { INPUT_NAMES, type Inputs, readInputs } from '../../../src/inputs/read-inputs.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { attach, create, createInputs, KEY, readOrExplain, TOKEN } from '../fixtures.ts';

const WANTED = 'include-changes=true';
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
  isEventUnread: false,
  eventTag: undefined,
  branch: 'main',
  sha: 'c'.repeat(40),
  before: undefined,
  takenBack: undefined,
  isWithoutSecrets: false,
};
const onTag = { ...night, eventName: 'push', eventTag: 'v1.1.0', branch: undefined };
const push = { ...night, eventName: 'push', before: 'b'.repeat(40) };
const merge = { ...night, eventName: 'merge_group' };
const pull = { ...night, eventName: 'pull_request' };

/** Reads inputs such as `wait=false, paths=a`, and the required ones, as a runner passes them. */
function read(list = '', event: RunEventFacts = night): Inputs {
  const pairs = list.split(', ').map((item) => item.split(/=(.*)/s, 2));
  const named: Record<string, string> = Object.fromEntries(list === '' ? [] : pairs);
  const all = { prompt: 'Write it', 'project-id': 'docs', 'api-key': KEY, ...named };
  const env = Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  return readInputs({ GITHUB_WORKSPACE: workspace, ...Object.fromEntries(env) }, event);
}

/** Returns the problems with these inputs. Expects each to be short, and to begin with a name. */
function readProblems(list: string, event?: RunEventFacts): string[] {
  const problems = readOrExplain((): string[] => {
    read(list, event);
    return [];
  });
  for (const problem of problems.filter((text) => !text.startsWith('The inputs are '))) {
    expect(problem).toMatch(/^`[\w-]+` /);
    expect(problem.split(' ').length).toBeLessThanOrEqual(25);
    expect(problem.split(/\. /).length).toBeLessThanOrEqual(2);
  }
  return problems;
}

function nameProblems(list: string, event?: RunEventFacts): string[] {
  return readProblems(list, event).map((problem) => problem.split('`')[1] ?? problem);
}

it('uses the defaults of action.yml for inputs that are unset or blank', () => {
  const defaults = createInputs({ baseUrl: new URL('https://api.mintlify.com') });
  expect(read('wait=, timeout-minutes=  , base-url=\n')).toEqual(defaults);
});

it('reads every input', () => {
  const times = 'timeout-minutes=0.5, poll-interval-seconds=1.5';
  const others = `wait=false, dry-run=true, reuse=never, release-tag=v1, github-token=${TOKEN}`;
  const inputs = read(`base-url=http://localhost:8080/a, paths=src/**, ${others}, ${times}`);
  const expected = { wait: false, dryRun: true, reuse: 'never', timeoutMs: 30_000 };
  expect(inputs).toMatchObject({ ...expected, pollIntervalMs: 1_500 });
  expect(inputs.baseUrl.href).toBe('http://localhost:8080/a');
  expect(inputs.paths).toHaveLength(1);
});

it.each([
  ['', create],
  ['prompt=  two\nlines \n', { kind: 'create', prompt: 'two\nlines' }],
  ['prompt=, prompt-file=prompt.md', create],
  ['prompt=, job-id=job_1', attach],
  ['job-id=job_1', followUp],
  ['prompt=, prompt-file=prompt.md, job-id=job_1', followUp],
])('reads the request in %j', (inputs, request) => {
  expect(read(inputs).request).toEqual(request);
});

const unset = '0'.repeat(40);

it.each<[string, RegExp, RunEventFacts?]>([
  ['prompt= \n\t ', /^`prompt` is empty\..*`prompt-file`.*`job-id`/],
  ['prompt-file=prompt.md', /^`prompt` and `prompt-file` are both set/],
  ['project-id=', /^`project-id` is empty/],
  ['api-key=', /^`api-key` is empty\. Define the secret/],
  [`api-key=${'a'.repeat(1_501)}`, /^`api-key` is .*too long for a key/],
  ['project-id=, api-key= ', /^`project-id` and `api-key` are empty\. Define/],
  ['wait=yes', /^`wait` must be `true` or `false`/],
  ['paths=a, release-tag=v1, job-id=job_1', /^`paths` and `job-id` are both set/],
  ['paths=a\n./b, release-tag=v1', /^`paths` line 2: begin at the root/],
  ['reuse=release', /^`reuse` must be `auto`, `rerun`, or `never`/],
  ['release-tag=v1, reuse=never', /^`release-tag` has no use here/],
  ['changes-since=v1', /^`changes-since` has no use here/],
  ['prompt=, prompt-file=key.md', /^`prompt-file` contains the API key/],
  [`api-key=${PLAIN}, github-token=${PLAIN}`, /^`github-token` contains the API key/],
  [`prompt=${TOKEN}, github-token=${TOKEN}`, /^`prompt` contains a GitHub token/],
  [`prompt=${TOKEN}, pr-token=${TOKEN}`, /^`prompt` contains a GitHub token/],
  ['pr-token=short', /^`pr-token` is not a GitHub token/],
  ['skip-while-pr-open=true', /^`skip-while-pr-open` needs `changes-since: last job`/],
  ['paths=a', /^`changes-since` .*be empty/],
  [WANTED, /^`changes-since` .*be empty/],
  [`${WANTED}, job-id=job_1`, /^`changes-since` .*be empty/],
  [`${WANTED}, changes-since=${unset}`, /^`changes-since` .*be empty/],
  [WANTED, /^`changes-since` .*be empty/, pull],
  [`${WANTED}, changes-since=HEAD~1`, /^`changes-since` must be a tag, branch, or commit/],
  [`${WANTED}, changes-since=last job`, /^`changes-since` .*can't be `last job`/, onTag],
  [`${WANTED}, release-tag=v1, changes-since=last job`, /^`changes-since` .*can't be `last job`/],
  [`${WANTED}, changes-since=last job`, /^`changes-since` .*can't be `last job`/, pull],
  [`${WANTED}, changes-since=last job`, /^`changes-since` .*can't be `last job`/, merge],
  [`${WANTED}, changes-since=last job, job-id=job_1`, /^`changes-since` .* with `job-id`/],
  [`${WANTED}, changes-since=last job, reuse=never`, /^`changes-since` .* `reuse: never`/],
])('rejects %j: %s', (inputs, problem, event) => {
  expect(readProblems(inputs, event)).toEqual([expect.stringMatching(problem)]);
});

const commit = `0123abc${'d'.repeat(33)}`;
const branch = { ...push, sha: commit };
const byTag = { ...onTag, sha: commit, eventTag: 'v1' };

it.each<[string, RunEventFacts, string]>([
  ['branch', branch, 'main heads/main refs/heads/main'],
  ['tag', byTag, 'v1 tags/v1 refs/tags/v1'],
  ['commit', branch, `${commit} ${commit.toUpperCase()} 0123abc 0123ABCd ${commit.slice(0, 39)}`],
  ['commit of the tag', byTag, `${commit} 0123abcd`],
])('rejects the own %s in any spelling', (_, event, texts) => {
  for (const text of texts.split(' ')) {
    const problems = readProblems(`paths=a, changes-since=${text}`, event);
    expect(problems).toEqual([expect.stringMatching(/^`changes-since` is the run's own/)]);
  }
});

it.each(['v2', 'refs/tags/v2'])(
  'rejects the tag in `release-tag`, %s, not that of the run',
  (name) => {
    const problems = ['v2', 'tags/v2', 'refs/tags/v2', 'v1'].map((text) =>
      nameProblems(`${WANTED}, release-tag=${name}, changes-since=${text}`, byTag).join(),
    );
    expect(problems).toEqual(['changes-since', 'changes-since', 'changes-since', '']);
  },
);

it.each<[string, RunEventFacts, string]>([
  ['branch', branch, 'Main main2 a/main origin/main tags/main heads/main/a'],
  ['tag', byTag, 'main v1.0.0 v V1 heads/v1 release/v1 tags/v10'],
  ['commit', branch, `0123ab 0123abe 123abcd ${commit}0 ${commit.slice(1)} 0123abx`],
])('accepts what only looks like the own %s', (_, event, texts) => {
  for (const text of texts.split(' ')) {
    expect(nameProblems(`${WANTED}, changes-since=${text}`, event)).toEqual([]);
  }
});

it.each<[string, RunEventFacts, string | undefined]>([
  ['', push, undefined],
  [unset, push, undefined],
  ['main', onTag, 'main'],
  ['refs/tags/v1.0.0', pull, 'refs/tags/v1.0.0'],
  ['last job', push, 'last job'],
])('reads `changes-since: %s` as it is written', (text, event, expected) => {
  for (const user of [WANTED, 'paths=a']) {
    expect(read(`${user}, changes-since=${text}`, event).changesSince).toBe(expected);
  }
});

const others = INPUT_NAMES.filter((name) => name !== 'api-key' && name !== 'prompt-file');
it.each(others)('rejects the key in any form in `%s` without quoting it', (name) => {
  for (const form of [KEY, KEY.slice(5), `"${KEY}"`, `x${KEY}`, btoa(`me:${KEY}`)]) {
    const problems = readProblems(`${WANTED}, ${name}=${form}`, onTag);
    expect(problems).toEqual([`\`${name}\` contains the API key. Remove it.`]);
  }
});

/** Another key than that of the run, which nothing knows. */
const stray = 'mint_0f9e8d7c6b5a4321';
it.each(INPUT_NAMES.filter((name) => name !== 'api-key' && name !== 'prompt-file'))(
  'rejects another key in any form in `%s` without quoting it',
  (name) => {
    const quoted = [`"${stray}"`, `'${stray}'`, `<${stray}>`, ` ${stray}\n`, `${stray},`];
    const named = [`Bearer ${stray}`, `bearer "${stray}"`, `api-key: ${stray}`, `KEY="${stray}"`];
    const encoded = [stray.replace('_', '%5F'), btoa(stray), stray.toUpperCase()];
    for (const form of [stray, adminKey, ...quoted, ...named, ...encoded]) {
      const problems = readProblems(`${WANTED}, changes-since=v0, ${name}=${form}`);
      expect(problems[0], form).toBe(
        `\`${name}\` is an API key. Remove it, and pass the right one as \`api-key\`.`,
      );
    }
  },
);

it.each([
  'release-tag=mint_components@1.2.0',
  'release-tag=mint_production-v1.2.0',
  'changes-since=refs/heads/mint_dark_mode_redesign',
  'changes-since=mint_next',
  'project-id=mint_production',
  'project-id=mint-documentation-2026',
  'job-id=job_mint_0f9e8d7c6b5a4321',
  'paths=packages/mint_components/**',
])('accepts %s, which is no key', (input) => {
  expect(readProblems(`prompt=Write it, ${WANTED}, changes-since=v0, ${input}`)).toEqual([]);
});

it.each([
  'mint-v2-migration-guide',
  'peppermint_authenticationProvider',
  'packages/mint-tokens-v2-beta/README.md',
  'mint_AnotherKeyOf0123456789',
  'ghs_0123456789012345678901234567890123456',
])('accepts a prompt about %s', (text) => {
  expect(readProblems(`prompt=Document ${text}, github-token=${TOKEN}`)).toEqual([]);
});

it.each(['', 'project-id=, '])('says why a run has no key, with "%s"', (inputs) => {
  const withoutSecrets = { ...night, isWithoutSecrets: true };
  expect(readProblems(`${inputs}api-key=`, withoutSecrets)).toEqual([
    expect.stringMatching(/^`api-key` is empty: Dependabot and forks get no secrets\. Skip/),
  ]);
  expect(readProblems('', withoutSecrets)).toEqual([]);
});

const unread = { isEventUnread: true, before: undefined };
const lost = /^`GITHUB_EVENT_PATH` names no event file that can be read/;
it.each<[string, RunEventFacts, readonly RegExp[]]>([
  [WANTED, { ...push, ...unread }, [lost]],
  ['paths=a', { ...push, ...unread }, [lost]],
  // It may take something back.
  [`${WANTED}, changes-since=v1`, { ...push, ...unread }, [lost]],
  [WANTED, { ...onTag, ...unread }, [lost]],
  ['', { ...onTag, ...unread, eventName: 'release' }, [lost]],
  ['', { ...pull, ...unread }, [lost]],
  ['api-key=', { ...pull, ...unread }, [lost]],
  ['api-key=, project-id=', { ...pull, ...unread }, [lost]],
  ['api-key=', { ...push, ...unread }, [/^`api-key` is empty\. Define/, lost]],
  ['api-key=, job-id=job_1, prompt=', { ...pull, ...unread }, [lost]],
  ['api-key=', { ...pull, ...unread, isWithoutSecrets: true }, [/: Dependabot and forks/, lost]],
  ['api-key=', { ...pull, ...unread, eventName: 'pull_request_target' }, [/Define the se/, lost]],
  ['job-id=job_1', { ...push, ...unread }, [lost]],
  // It doesn't matter.
  ['job-id=job_1, prompt=', { ...push, ...unread }, []],
  ['', { ...night, ...unread }, []],
  [WANTED, { ...night, ...unread }, [/^`changes-since` .*be empty/]],
])('names an unread event if it matters for %j in %o', (inputs, event, expected) => {
  const problems = readProblems(inputs, event);
  expect(problems).toEqual(expected.map((problem) => expect.stringMatching(problem)));
});

it.each(['dry-rn', 'promt', 'tag', 'token', 'dry_run'])('rejects the input %s', (name) => {
  const [problem, list, ...others] = readProblems(`${name}=true`);
  expect(problem).toContain(`\`${name}\` is not an input. `);
  expect(problem).toContain(`\`INPUT_${name.toUpperCase()}\``);
  expect(list?.match(/`[a-z-]+`/g)).toEqual(INPUT_NAMES.map((input) => `\`${input}\``));
  expect(others).toEqual([]);
});

it.each([
  ['release-tag=v1, include-changes=yes', 'include-changes'],
  ['release-tag=v1, reuse=yes', 'reuse'],
  ['changes-since=v0, include-changes=yes', 'include-changes'],
  ['reuse=auto, release-tag=a..b', 'release-tag'],
  ['paths=a, changes-since=HEAD', 'changes-since'],
  ['paths=a, release-tag=@', 'release-tag'],
])('finds only the invalid input in %j, not what follows from it', (inputs, name) => {
  expect(nameProblems(inputs)).toEqual([name]);
});

it.each<[string, RunEventFacts, string | undefined, boolean]>([
  [`${WANTED}, release-tag=v1.2.0`, onTag, 'v1.2.0', true],
  [WANTED, onTag, 'v1.1.0', true],
  ['', onTag, 'v1.1.0', false],
  ['', night, undefined, false],
  // It is skipped.
  [WANTED, { ...night, eventName: 'delete', takenBack: 'ref-deleted' }, undefined, true],
])('finds the tag for %j in a run for %o', (inputs, event, tag, includeChanges) => {
  expect(read(inputs, event)).toMatchObject({ tag, includeChanges });
});

it.each<[string, RunEventFacts?]>([
  // Variables of unknown inputs that are empty.
  ['tag=, token= \n'],
  // A job to wait for, and a follow-up, need no tag and no start.
  ...[`prompt=, ${WANTED}`, 'prompt=', 'wait=true'].flatMap((more) => [
    [`job-id=job_1, ${more}`] as [string],
    [`job-id=job_1, release-tag=v1, changes-since=v0, ${more}`] as [string],
  ]),
  // What uses a tag.
  ...['reuse=auto', 'paths=a', `reuse=rerun, ${WANTED}`].flatMap(
    (user): [string, RunEventFacts][] => [
      [`release-tag=v1, ${user}`, night],
      [user, onTag],
    ],
  ),
])('accepts %j', (inputs, event) => {
  expect(readProblems(inputs, event)).toEqual([]);
});

it('reports every problem at once, misspelled inputs first', () => {
  const first = `promt=x, project-id=a/b, api-key=secret value of ${KEY}, base-url=nowhere`;
  const others = 'wait=perhaps, timeout-minutes=soon, changes-since=main, paths="a"';
  const invalid = `${first}, ${others}, prompt=, job-id=`;
  const names = nameProblems(`${invalid}, ${WANTED}`);
  const ordered = ['promt', 'project-id', 'api-key', 'base-url', 'wait', 'timeout-minutes'];
  expect(names.slice(0, 6)).toEqual(ordered);
  expect(names.slice(6, -1).sort()).toEqual(['changes-since', 'paths', 'prompt']);
  expect(readProblems(invalid).join()).not.toContain(KEY);
});
