import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { toApiError } from '../github/faults.ts';
import { type Repository, type RepositoryCommit, toSha } from '../github/repository.ts';
import type { ActionOptions } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { broken, commits, PROMPT, repository, setUp, TOKEN, tagPush } from '../helpers/github.ts';

const wanted = { 'include-changes': 'true', wait: 'false' };
const history = commits(6);
const [first, , third] = history.map(({ sha }) => sha) as [string, string, string];
/** The commit of the run, with three more commits on the branch since the first one. */
const main = [...history.slice(0, 3), { ...history[3], sha: headSha } as RepositoryCommit];
const world = { commits: main, branches: { main: headSha } };

/** Returns the options of a run for a push to `main`. */
const push = (before: string): ActionOptions => ({
  event: { name: 'push', payload: { before, repository: { default_branch: 'main' } } },
});

interface Case {
  readonly inputs: Record<string, string>;
  readonly options: ActionOptions;
  /** Default: the history of `main`. */
  readonly world?: Partial<Repository>;
  readonly api?: Partial<GitHubApiOptions>;
  readonly isSkipped?: boolean;
  /** Where the changes begin, and how many commits there are, as outputs. Default: unknown. */
  readonly range?: readonly [start: string, commits: string];
  /** What the log, the summary, and the prompt show, in any order. */
  readonly shows: readonly string[];
  readonly warns?: string;
  /** What the prompt must not show. */
  readonly hides?: string;
}

/** Returns a repository with two commits, each with a tag, that change these files. */
function tagged(...paths: string[]): Partial<Repository> {
  const size = { status: 'modified', additions: 1, deletions: 1 } as const;
  const both = commits(2, { files: paths.map((path) => ({ path, ...size })) });
  return { commits: both, tags: both.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha })) };
}

// unit/inputs/read-inputs.test.ts shows wrong starts, unit/changes/ other starts and failures.
const cases: Readonly<Record<string, Case>> = {
  'a push of three commits': {
    inputs: wanted,
    options: push(first),
    range: [first, '3'],
    shows: [
      `Branch: main\nCommit: ${headSha}\nChanges since: ${first.slice(0, 10)}\n`,
      `/compare/${first}...${headSha}\n`,
      'Commits, newest first: 3\n',
      '- modified src/file-1.ts +2 -1\n',
    ],
    hides: 'Release notes',
  },
  'a push of more commits than GitHub lists': {
    inputs: wanted,
    options: push(first),
    world: { commits: [...commits(260), { ...main[3], sha: headSha } as RepositoryCommit] },
    range: [first, '260'],
    shows: ['260 commits, 259 files since', 'Commits, newest first: 260\n'],
  },
  'a push while GitHub lists nothing': {
    inputs: { ...wanted, paths: 'docs/**' },
    options: push(third),
    api: broken(toApiError(503), /\/compare\//),
    range: [third, ''],
    shows: [`/compare/${third}...${headSha}\n`, 'so the job starts'],
    warns: 'The prompt lacks commits, files (HTTP 503',
  },
  'a named start if GitHub takes too long to compare': {
    inputs: { ...wanted, paths: 'docs/**', 'changes-since': first },
    options: push(third),
    api: broken(toApiError(422, 'Sorry, this diff is taking too long to generate.'), /\/compare\//),
    range: [first, ''],
    shows: [`/compare/${first}...${headSha}\n`, 'so the job starts'],
    warns: 'The prompt lacks commits, files (HTTP 422',
  },
  'a tag if a file matches `paths`': {
    inputs: { ...wanted, paths: 'docs/**' },
    options: tagPush('v1.1.0', toSha('commit 1')),
    world: tagged('src/a.ts', 'docs/b.md'),
    range: ['v1.0.0', '1'],
    shows: ['selected paths: 1\n- modified docs/b.md +1 -1\n', 'docs/b.md matches `paths`'],
  },
  'a tag that has moved since its run began': {
    inputs: wanted,
    options: tagPush('v1.1.0', third),
    world: {
      tags: [
        { name: 'v1.0.0', sha: first },
        { name: 'v1.1.0', sha: headSha },
      ],
    },
    range: ['v1.0.0', '2'],
    shows: [`Tag: v1.1.0\nCommit: ${third}\n`, 'Commits, newest first: 2\n', `v1.0.0...${third}\n`],
  },
  'a tag that moves, as the version on its commit': {
    inputs: { ...wanted, paths: 'docs/**' },
    options: tagPush('v1', toSha('commit 1')),
    world: {
      ...tagged('docs/a.md'),
      tags: [
        { name: 'v1', sha: toSha('commit 1') },
        { name: 'v1.1.0', sha: toSha('commit 1'), isAnnotated: true },
        { name: '1.0.0', sha: toSha('commit 0') },
      ],
      releases: { 'v1.1.0': 'A gauge.' },
    },
    range: ['1.0.0', '1'],
    shows: ['Tag: v1.1.0\n', 'Changes since: 1.0.0\n', '> A gauge.\n', 'docs/a.md matches `paths`'],
    hides: 'Tag: v1\n',
  },
  'a tag that moves, without a version': {
    inputs: { ...wanted, paths: 'docs/**' },
    options: tagPush('latest', third),
    world: { tags: [{ name: 'latest', sha: third }] },
    shows: ['Tag: latest\n', '`paths` was ignored (the tag is not a full version'],
    warns: 'nothing to compare `latest` with, because the tag is not a full version',
  },
  'a first version': {
    inputs: wanted,
    options: tagPush('pkg@1.0.0', third),
    world: {
      tags: ['pkg@1.0.0', 'v0.9.0', 'pkg@1.0.0-rc.1'].map((name) => ({ name, sha: third })),
    },
    shows: ['Changes since: unknown, because no tag is an earlier release of its series\n'],
    warns: 'nothing to compare `pkg@1.0.0` with, because no tag is an earlier release',
  },
  'a follow-up when nothing changed': {
    inputs: { ...wanted, 'job-id': 'job_1' },
    options: push(headSha),
    isSkipped: true,
    range: [headSha, '0'],
    shows: ['Follow-up skipped', `No commits since \`${headSha.slice(0, 10)}\``],
  },
};

it.concurrent.each(Object.entries(cases))('what changed decides about %s', async (_, one) => {
  const { inputs, options, isSkipped = false, range = ['', ''], shows, warns = '', hides } = one;
  const all = { ...world, ...one.world };
  const { finishInside, prompts, emulator, github } = await setUp(all, one.api);
  emulator.addJob('quick', 'job_1');
  const { outputs, stdout, summary = '', annotations } = await finishInside(inputs, options);
  expect(outputs['job-result']).toBe(isSkipped ? 'skipped' : 'started');
  expect([outputs['changes-start'], outputs['changes-commits']]).toEqual(range);
  const creates = isSkipped ? 0 : 1;
  expect(emulator.counts()).toMatchObject({ creates, followUps: 0 });
  expect(emulator.requests).toHaveLength(creates);
  expect(github.count(/\/statuses\//, 'POST') > 0).toBe(creates === 1);
  const unescaped = summary.replace(/\\(?=[^\w\s])/g, '').replaceAll("'", '`');
  const text = `${stdout}\n${unescaped}\n${prompts().join('\n')}`;
  expect(shows.filter((part) => !text.includes(part))).toEqual([]);
  expect(hides !== undefined && prompts().join().includes(hides)).toBe(false);
  expect(annotations.warnings.join()).toContain(warns);
  expect(annotations.warnings.join()).not.toContain('contents: read');
});

function toTag(name: string, index: number, isAnnotated = false) {
  return { name, sha: history[index]?.sha ?? '', isAnnotated };
}
const tags = [
  ...Array.from({ length: 250 }, (_, index) => toTag(`v0.0.${index}`, 0)),
  toTag('v1.0.0', 0),
  toTag('v1.1.0', 2, true),
  toTag('v1.2.0-rc.1', 4),
  toTag('v1.2.0', 5, true),
];
const expression = '$'.concat('{{ github.ref_name }}');
const notes = `A gauge.\n\n* by @octocat for ${expression.toUpperCase()}`;
const releases = { commits: history, tags, releases: { 'v1.2.0': notes } };

it('include-changes adds the facts about a pushed tag to prompt, log, and summary', async () => {
  const { finish, prompts, github } = await setUp(releases);
  const prompt = `${PROMPT} for ${expression}`;
  const result = await finish({ ...wanted, prompt }, tagPush('v1.2.0', toSha('commit 5')));
  const [sent = ''] = prompts();
  expect(sent.startsWith(`${prompt}\n\n---\nFacts about what changed`)).toBe(true);
  // Not about what others wrote.
  expect(result.annotations.warnings).toEqual([
    expect.stringContaining(`contains \`${expression}\`, which is sent unchanged`),
  ]);
  const facts = [
    `Commit: ${toSha('commit 5')}\nChanges since: v1.1.0\n`,
    'Commits, newest first: 3\n',
    `- ${toSha('commit 5').slice(0, 10)} Change number 5 (@octocat)\n`,
    'Changed files: 3\n- modified src/file-3.ts +2 -1\n',
    `Release notes:\n> A gauge.\n>\n> * by @octocat for ${expression.toUpperCase()}\n`,
  ];
  expect(facts.filter((fact) => !sent.includes(fact))).toEqual([]);
  expect(result.outputs['job-result']).toBe('started');
  expect(result.stdout).toContain('Changes since: v1.1.0');
  expect(result.summary).toContain('Changes since: v1.1.0');
  expect(github.count(/compare/)).toBe(1);
});

it('include-changes adds the facts about `release-tag` to a follow-up', async () => {
  const { finish, prompts, emulator, github } = await setUp(releases);
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
it('if GitHub refuses and quotes the token, only the tag is sent, with a warning', async () => {
  const { finish, prompts } = await setUp(releases, broken(toApiError(403, TOKEN.repeat(20))));
  const inputs = { ...wanted, reuse: 'never' };
  const { exitCode, stdout, annotations } = await finish(inputs, tagPush('v1.2.0'));
  expect(exitCode).toBe(0);
  const facts = 'Repository: acme/widgets (https://github.com/acme/widgets)\nTag: v1.2.0\n</';
  expect(prompts()[0]).toContain(facts);
  expect(annotations.warnings).toEqual([
    expect.stringMatching(/files, release notes \(HTTP 403: \*{3}.*Give .* `contents: read`/s),
  ]);
  expect(stdout.replaceAll(`::add-mask::${TOKEN}`, '')).not.toContain(TOKEN.slice(0, 8));
});

it('a run connects only to the service and to GitHub, and starts no process', async () => {
  const docs = repository({ pulls: { 128: { title: 'Docs', state: 'open', files: [] } } });
  const repositories = { 'acme/docs': docs };
  const { finish, baseUrl, apiUrl } = await setUp(tagged('src/a.ts'), { repositories });
  const preload = [fileURLToPath(new URL('../helpers/record-connections.cjs', import.meta.url))];
  const inputs = { 'include-changes': 'true', paths: 'src/**' };
  const env = { ...tagPush('v1.1.0').env, GITHUB_RUN_ATTEMPT: '2' };
  const { stderr, summary } = await finish(inputs, { env, preload });
  expect(summary).toContain('**[Docs](');
  expect(new Set(stderr.trim().split('\n'))).toEqual(
    new Set([`connects to ${apiUrl}`, `connects to ${baseUrl}`]),
  );
});
