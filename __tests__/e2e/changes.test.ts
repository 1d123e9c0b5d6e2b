import { expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { toApiError } from '../github/faults.ts';
import type { Repository, RepositoryCommit } from '../github/repository.ts';
import type { ActionOptions } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { broken, commits, setUp, tagPush } from '../helpers/github.ts';

const history = commits(4);
const [first, , third] = history.map(({ sha }) => sha) as [string, string, string];
/** The commit of the run, with three more commits on the branch since the first one. */
const main = [...history.slice(0, 3), { ...history[3], sha: headSha } as RepositoryCommit];
const facts = { 'include-changes': 'true', wait: 'false' };

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
  /** The expected `job-result`, or `error-code`. */
  readonly ends: string;
  /** What the log, the summary, and the prompt show, in any order. */
  readonly shows: readonly string[];
  readonly warns?: string;
  /** What the prompt must not show. */
  readonly hides?: string;
}

const world = { commits: main, branches: { main: headSha } };
/** Returns a repository with two commits, each with a tag, that change these files. */
function tagged(...paths: string[]): Partial<Repository> {
  const size = { status: 'modified', additions: 1, deletions: 1 } as const;
  const both = commits(2, { files: paths.map((path) => ({ path, ...size })) });
  return { commits: both, tags: both.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha })) };
}

const near = ['docs/drafts/a.md', 'docs/a/b.md', 'Docs/a.md'];
const others = Array.from({ length: 296 }, (_, index) => `src/${index}.ts`);

// unit/inputs/read-inputs.test.ts shows wrong starts, unit/changes/ other starts and failures.
const cases: Readonly<Record<string, Case>> = {
  'a push of three commits': {
    inputs: facts,
    options: push(first),
    ends: 'started',
    shows: [
      `Branch: main\nCommit: ${headSha}\nChanges since: ${first.slice(0, 10)}\n`,
      `/compare/${first}...${headSha}\n`,
      'Commits, newest first: 3\n',
      '- modified src/file-1.ts +2 -1\n',
    ],
    hides: 'Release notes',
  },
  'a push while GitHub lists nothing': {
    inputs: { ...facts, paths: 'docs/**' },
    options: push(third),
    api: broken(toApiError(503), /\/compare\//),
    ends: 'started',
    shows: [`/compare/${third}...${headSha}\n`, 'so the job starts'],
    warns: 'The prompt lacks commits, files (HTTP 503',
  },
  'a tag if none of 299 files matches `paths`': {
    inputs: { paths: 'docs/*.md\ndocs/drafts/**\n!docs/drafts/**\nDoc/**' },
    options: tagPush('v1.1.0'),
    world: tagged(...near, ...others),
    ends: 'skipped',
    shows: ['::notice', 'No changed file matches `paths` (299 changed since `v1.0.0`)'],
  },
  'a tag if a file matches `paths`': {
    inputs: { ...facts, paths: 'docs/**' },
    options: tagPush('v1.1.0'),
    world: tagged('src/a.ts', 'docs/b.md'),
    ends: 'started',
    shows: ['selected paths: 1\n- modified docs/b.md +1 -1\n', 'docs/b.md matches `paths`'],
  },
  'a follow-up when nothing changed': {
    inputs: { ...facts, 'job-id': 'job_1' },
    options: push(headSha),
    ends: 'skipped',
    shows: ['Follow-up skipped', `No commits since \`${headSha.slice(0, 10)}\``],
  },
};

it.concurrent.each(Object.entries(cases))('what changed decides about %s', async (_, one) => {
  const { inputs, options, ends, shows, warns = '', hides } = one;
  const { finish, prompts, emulator, github } = await setUp({ ...world, ...one.world }, one.api);
  emulator.addJob('quick', 'job_1');
  const { outputs, stdout, summary = '', annotations } = await finish(inputs, options);
  expect(outputs['error-code'] || outputs['job-result']).toBe(ends);
  const creates = ends === 'started' ? 1 : 0;
  expect(emulator.counts()).toMatchObject({ creates, followUps: 0 });
  expect(emulator.requests).toHaveLength(creates);
  expect(github.count(/\/statuses\//, 'POST') > 0).toBe(creates === 1);
  const unescaped = summary.replace(/\\(?=[^\w\s])/g, '').replaceAll("'", '`');
  const text = `${stdout}\n${unescaped}\n${prompts().join('\n')}`;
  expect(shows.filter((part) => !text.includes(part))).toEqual([]);
  expect(hides !== undefined && prompts().join().includes(hides)).toBe(false);
  expect(annotations.warnings.join()).toContain(warns);
});
