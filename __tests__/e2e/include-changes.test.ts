import { expect, it } from 'vitest';
import { toApiError } from '../github/faults.ts';
import { type RepositoryTag, toSha } from '../github/repository.ts';
import { broken, commits, PROMPT, setUp, TOKEN, tagPush } from '../helpers/github.ts';

const history = commits(6);
const head = history.at(-1)?.sha ?? '';

function tag(name: string, index: number, isAnnotated = false): RepositoryTag {
  return { name, sha: history[index]?.sha ?? '', isAnnotated };
}

const tags = [
  ...Array.from({ length: 250 }, (_, index) => tag(`v0.0.${index}`, 0)),
  tag('v1.0.0', 0),
  tag('v1.1.0', 2, true),
  tag('v1.2.0-rc.1', 4),
  tag('v1.2.0', 5, true),
];
const world = { commits: history, tags, releases: { 'v1.2.0': 'A gauge.\n\n* by @octocat' } };
const wanted = { 'include-changes': 'true', wait: 'false' };

it('include-changes adds the facts about a pushed tag to prompt, log, and summary', async () => {
  const { finish, prompts, github } = await setUp(world);
  const result = await finish(wanted, tagPush('v1.2.0'));
  const [prompt = ''] = prompts();
  expect(prompt.startsWith(`${PROMPT}\n\n---\nFacts about what changed`)).toBe(true);
  const facts = [
    `Commit: ${head}\nChanges since: v1.1.0\n`,
    'Commits, newest first: 3\n',
    `- ${toSha('commit 5').slice(0, 10)} Change number 5 (@octocat)\n`,
    'Changed files: 3\n- modified src/file-3.ts +2 -1\n',
    'Release notes:\n> A gauge.\n>\n> * by @octocat\n',
  ];
  expect(facts.filter((fact) => !prompt.includes(fact))).toEqual([]);
  expect(result.outputs['job-result']).toBe('started');
  expect(result.stdout).toContain('Changes since: v1.1.0');
  expect(result.summary).toContain('Changes since: v1.1.0');
  expect(github.count(/compare/)).toBe(1);
});

it('include-changes adds the facts about `release-tag` to a follow-up', async () => {
  const { finish, prompts, emulator, github } = await setUp(world);
  emulator.addJob('quick', 'job_1');
  const inputs = { ...wanted, 'job-id': 'job_1', 'release-tag': 'refs/tags/v1.2.0-rc.1' };
  const { outputs } = await finish(inputs, tagPush('v1.1.0'));
  expect(outputs).toMatchObject({ 'job-result': 'started', 'job-id': 'job_1' });
  expect(prompts()[0]).toContain('Tag: v1.2.0-rc.1\n');
  expect(prompts()[0]).toContain('Changes since: v1.1.0\n');
  expect(prompts()[0]).toContain('Release notes: none\n');
  expect(emulator.counts()).toMatchObject({ creates: 0, followUps: 1 });
  expect(github.count(/\/statuses\//, 'POST')).toBe(0);
});

// unit/changes/ shows other failures.
it('if GitHub refuses and quotes the token, only the tag is sent, and a warning says so', async () => {
  const { finish, prompts } = await setUp(world, broken(toApiError(403, TOKEN.repeat(20))));
  const inputs = { ...wanted, reuse: 'never' };
  const { exitCode, stdout, annotations } = await finish(inputs, tagPush('v1.2.0'));
  expect(exitCode).toBe(0);
  const facts = 'Repository: acme/widgets (https://github.com/acme/widgets)\nTag: v1.2.0\n</';
  expect(prompts()[0]).toContain(facts);
  expect(annotations.warnings).toEqual([
    expect.stringContaining('files, release notes (HTTP 403: ***'),
  ]);
  expect(stdout.replaceAll(`::add-mask::${TOKEN}`, '')).not.toContain(TOKEN.slice(0, 8));
});
