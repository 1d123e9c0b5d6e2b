import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { InputName } from '../../../src/inputs/combinations.ts';
import { INPUT_NAMES, readInputs } from '../../../src/inputs/read-inputs.ts';
import { getFingerprint } from '../../../src/record/task.ts';
import { toInputVariables } from '../../harness/action-environment.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createGitHubContext, KEY, TOKEN } from '../fixtures.ts';

const workspace = temporaryFolder('task');
const night = createGitHubContext({ eventName: 'schedule', before: undefined });
const required = {
  prompt: 'Write it',
  'project-id': 'docs',
  'api-key': KEY,
  'base-url': 'https://api.example.com',
};

beforeAll(() => {
  writeFileSync(join(workspace, 'a.md'), 'a');
  writeFileSync(join(workspace, 'b.md'), 'b');
});

type Values = Readonly<Partial<Record<InputName, string>>>;

/** Returns the fingerprint of a run with these inputs, and the required ones. */
function identify(inputs: Values): string {
  const variables = toInputVariables({ ...required, ...inputs });
  return getFingerprint(readInputs({ GITHUB_WORKSPACE: workspace, ...variables }, night));
}

const changes = { 'include-changes': 'true', 'changes-since': 'last job' };

/** Two values of each input, and the other inputs that it needs. They are different tasks. */
const identity: Readonly<Record<string, readonly [string, string, Values?]>> = {
  prompt: ['a', 'b'],
  'prompt-file': ['a.md', 'b.md', { prompt: '' }],
  'project-id': ['a', 'b'],
  'base-url': ['https://a.example:1', 'https://a.example:2'],
  'changes-since': ['v1', 'last job', { 'include-changes': 'true' }],
  'release-tag': ['a@v1', 'b@v1', { 'include-changes': 'true', 'changes-since': 'v0' }],
  paths: ['docs/**', 'docs/**\n!docs/old/**', { 'changes-since': 'v1' }],
};

/** The same, and why they are the same task nevertheless. */
const others: Readonly<Record<string, readonly [reason: string, string, string, Values?]>> = {
  'api-key': ['a new key pays for the same job', KEY, `${KEY}0`],
  'job-id': ['starts no job', 'a', 'b'],
  wait: ['how long the run takes', 'true', 'false'],
  'timeout-minutes': ['how long the run takes', '1', '2'],
  'poll-interval-seconds': ['how long the run takes', '1', '2'],
  'include-changes': [
    'a re-run may find other changes',
    'true',
    'false',
    { 'release-tag': 'v1', 'changes-since': 'v0', paths: 'a' },
  ],
  'skip-while-pr-open': ['when a job starts, not what it does', 'true', 'false', changes],
  reuse: ['which records count', 'never', 'rerun'],
  'github-token': ['only for GitHub', '', TOKEN],
  'pr-token': ['only for GitHub', '', TOKEN],
  'dry-run': ['starts no job', 'true', 'false'],
};

it('each input is part of the fingerprint, or there is a reason why not', () => {
  const decided = [...Object.keys(identity), ...Object.keys(others)];
  expect(decided.sort()).toEqual([...INPUT_NAMES].sort());
});

it.each(Object.entries(identity))('`%s` is part of the fingerprint', (name, [a, b, more]) => {
  expect(identify({ ...more, [name]: a })).not.toBe(identify({ ...more, [name]: b }));
});

it.each(
  Object.entries(others).map(([name, [reason, ...values]]) => [name, reason, values] as const),
)('`%s` is not part of the fingerprint: %s', (name, _, [a, b, more]) => {
  expect(identify({ ...more, [name]: a })).toBe(identify({ ...more, [name]: b }));
});

it('the fingerprint never changes, so that a re-run with a newer version finds the job', () => {
  const paths = { paths: 'docs/**\n!docs/old/**' };
  expect([
    identify({}),
    identify({ ...paths, 'release-tag': 'v1.2.0', 'changes-since': 'v1.1.0' }),
  ]).toEqual(['4415926a8b6d57c05c558f1bd2813894', '8bb061805e0e204804ca85726bad8508']);
});

const tagged = (tag: string): Values => ({ 'release-tag': tag, prompt: 'New in v1.2.0' });

it.each<[string, Values, Values]>([
  ['a prompt with other line ends', { prompt: 'a\r\nb\rc' }, { prompt: 'a\nb\nc' }],
  [
    'an address with a slash at its end',
    { 'base-url': 'https://a.example/b/' },
    { 'base-url': 'https://a.example/b' },
  ],
  ['another tag of the release', tagged('v1.2.0'), tagged('v1')],
  ['a tag of the release without numbers', tagged('v1.2.0'), tagged('latest')],
  ['one of a package', tagged('app-v1.2.0'), tagged('app-latest')],
  [
    'another port of this machine',
    { 'base-url': 'http://127.0.0.1:4010/b' },
    { 'base-url': 'http://127.0.0.1:45123/b' },
  ],
])('%s is the same task', (_, one, other) => {
  expect(identify(one)).toBe(identify(other));
});

it.each([
  ['v1.2.0', 'v1.2.0-rc.1'],
  ['v1.2.0-android', 'v1.2.0-ios'],
  ['a@1.2.0', 'b@1.2.0'],
  ['deploy-prod', 'deploy-staging'],
  ['v1.2.0+k3s1', 'v1.2.0+k3s2'],
])('%s and %s are two releases', (one, other) => {
  expect(identify(tagged(one))).not.toBe(identify(tagged(other)));
});
