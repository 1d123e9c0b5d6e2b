import { describe, expect, it } from 'vitest';
import type { FileChange, Repository, WorkflowAttempt } from '../../emulator/github-repository.ts';
import { commits, RUN_ID, setUp, tagPush } from '../helpers/github.ts';
import { findRecords, jobWith, recordOf, tagAttempt } from '../helpers/reuse.ts';

function change(path: string, parts: Partial<FileChange> = {}): FileChange {
  return { path, status: 'modified', additions: 1, deletions: 1, ...parts };
}

/** Two tags, `v1.0.0` and `v1.1.0`, between which the given files changed. */
function releaseOf(...files: FileChange[]): Partial<Repository> {
  const history = [
    ...commits(1),
    ...commits(2)
      .slice(1)
      .map((commit) => ({ ...commit, files })),
  ];
  return { commits: history, tags: history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha })) };
}

const started = { wait: 'false' };
const onTag = tagPush('v1.1.0');

describe.concurrent('paths', () => {
  it('skips the job if no file that changed matches, and says so', async () => {
    const { finish, emulator } = await setUp(releaseOf(change('src/a.ts'), change('test/a.ts')));
    const result = await finish({ paths: 'docs/**\n*.md' }, onTag);
    expect(result.exitCode).toBe(0);
    expect(emulator.requests).toEqual([]);
    expect(result.outputs).toMatchObject({
      outcome: 'skipped',
      'error-code': '',
      'job-id': '',
      status: '',
      reused: 'false',
    });
    expect(result.annotations.notices).toEqual([
      'No file that changed since `v1.0.0` matches `paths` (files changed: 2). No job was started.',
    ]);
    expect(result.summary).toMatch(/^## \S+ Documentation job skipped\n\nNo file that changed since/);
    expect(findRecords(result)).toEqual([]);
  });

  it('skips the job if nothing changed at all', async () => {
    const [commit] = commits(1);
    const tags = ['v1.0.0', 'v1.1.0'].map((name) => ({ name, sha: commit?.sha ?? '' }));
    const { finish } = await setUp({ commits: commits(1), tags });
    expect((await finish({ paths: '**' }, onTag)).outputs['outcome']).toBe('skipped');
  });

  it.each<[string, FileChange[], string, string]>([
    ['a file that matches', [change('src/a.ts'), change('docs/a.md')], 'docs/**', 'docs/a.md'],
    [
      'the old name of a renamed file',
      [change('lib/a.ts', { previousPath: 'docs/a.md', status: 'renamed' })],
      'docs/**',
      'lib/a.ts',
    ],
    ['a removed file', [change('docs/a.md', { status: 'removed' })], 'docs/**', 'docs/a.md'],
    [
      'a file that is included again',
      [change('docs/drafts/final.md')],
      'docs/**\n!docs/drafts/**\ndocs/drafts/final.md',
      'docs/drafts/final.md',
    ],
    ['a repeated character', [change('docs/aab.md')], 'docs/a+b.md', 'docs/aab.md'],
  ])('starts the job for %s', async (_, files, paths, name) => {
    const { finish, emulator } = await setUp(releaseOf(...files));
    const result = await finish({ ...started, paths }, onTag);
    expect(result.outputs['outcome']).toBe('started');
    expect(result.stdout).toContain(`${name} has changed since v1.0.0 and matches \`paths\``);
    expect(emulator.counts().creates).toBe(1);
  });

  it.each<[string, FileChange[], string]>([
    ['is excluded later', [change('docs/drafts/a.md')], 'docs/**\n!docs/drafts/**'],
    ['has a directory where * stands', [change('docs/a/b.md')], 'docs/*.md'],
    ['has another case', [change('Docs/a.md')], 'docs/**'],
    ['is named with a leading slash', [change('docs/a.md')], '/docs/**'],
  ])('skips the job for a file that %s', async (_, files, paths) => {
    const { finish } = await setUp(releaseOf(...files));
    expect((await finish({ paths }, onTag)).outputs['outcome']).toBe('skipped');
  });

  it.each<[string, Partial<Repository>, string, string]>([
    [
      'a first release',
      { commits: commits(1), tags: [{ name: 'v1.1.0', sha: commits(1)[0]?.sha ?? '' }] },
      'v1.1.0',
      'This is the first final version with this prefix.',
    ],
    [
      'a tag without an order',
      { commits: commits(1), tags: [{ name: 'nightly', sha: commits(1)[0]?.sha ?? '' }] },
      'nightly',
      'The tag does not end in a semantic version, so there is no order to find it by.',
    ],
    [
      '300 files',
      releaseOf(...Array.from({ length: 300 }, (_, index) => change(`src/${index}.ts`))),
      'v1.1.0',
      'GitHub lists no more than 300 changed files.',
    ],
    [
      'a tag that is not there yet',
      releaseOf(change('src/a.ts')),
      'v1.2.0',
      'acme/widgets has no tag of this name',
    ],
    [
      'a tag on an older commit than the one before it',
      {
        commits: commits(2),
        tags: [
          { name: 'v1.0.0', sha: commits(2)[1]?.sha ?? '' },
          { name: 'v1.1.0', sha: commits(2)[0]?.sha ?? '' },
        ],
      },
      'v1.1.0',
      'v1.0.0 is not an ancestor of v1.1.0.',
    ],
  ])('starts the job if it cannot decide, with one line why: %s', async (_, parts, tag, why) => {
    const { finish, emulator } = await setUp(parts);
    const result = await finish({ ...started, paths: 'docs/**' }, tagPush(tag));
    expect(result.outputs['outcome']).toBe('started');
    expect(result.stdout.match(/`paths` can't decide whether to skip: .*/g)).toEqual([
      expect.stringContaining(why),
    ]);
    expect(emulator.counts().creates).toBe(1);
  });

  it('skips with 299 files', async () => {
    const files = Array.from({ length: 299 }, (_, index) => change(`src/${index}.ts`));
    const { finish } = await setUp(releaseOf(...files));
    expect((await finish({ paths: 'docs/**' }, onTag)).outputs['outcome']).toBe('skipped');
  });

  it.each<[string, Parameters<typeof setUp>[1], RegExp]>([
    ['no permission', { permissions: ['actions'] }, /HTTP 403: Resource not accessible/],
    [
      'an error of the comparison',
      { faults: [{ path: /compare/, fault: { kind: 'error', status: 500 } }] },
      /HTTP 500/,
    ],
    [
      'a rate limit',
      { faults: [{ path: /compare/, fault: { kind: 'primary-rate-limit', resetInSeconds: 900 } }] },
      /rate limit exceeded/,
    ],
  ])('starts the job if the files cannot be read: %s', async (_, api, why) => {
    const { finish, emulator } = await setUp(releaseOf(change('src/a.ts')), api);
    const result = await finish({ ...started, paths: 'docs/**' }, onTag);
    expect(result.outputs['outcome']).toBe('started');
    expect(result.stdout).toMatch(why);
    expect(emulator.counts().creates).toBe(1);
  });

  it('starts the job without a token, too', async () => {
    const { finish, emulator } = await setUp(releaseOf(change('src/a.ts')));
    const result = await finish({ ...started, paths: 'docs/**', 'github-token': '' }, onTag);
    expect(result.stdout).toContain("`paths` can't decide whether to skip: 'github-token' is empty.");
    expect(emulator.counts().creates).toBe(1);
  });

  it('does not add the release context to the prompt', async () => {
    const { finish, prompts } = await setUp(releaseOf(change('docs/a.md')));
    await finish({ ...started, paths: 'docs/**' }, onTag);
    await finish({ ...started, paths: 'docs/**', 'release-context': 'true' }, onTag);
    expect(prompts().map((prompt) => prompt.includes('Facts about the release'))).toEqual([false, true]);
  });

  it('comes after a job that exists: a re-run waits for that', async () => {
    const attempts: WorkflowAttempt[] = [];
    const runs = { [RUN_ID]: { headBranch: 'v1.1.0', attempts } };
    const { finish, emulator, github, baseUrl } = await setUp({ ...releaseOf(change('src/a.ts')), runs });
    emulator.addJob('quick', 'job_1');
    attempts.push([jobWith(11, 'docs', recordOf('job_1', { baseUrl, tag: 'v1.1.0' }))]);
    const second = await finish({ paths: 'docs/**' }, tagAttempt(2, 'v1.1.0'));
    expect(second.outputs).toMatchObject({ outcome: 'pull-request-opened', reused: 'true' });
    expect(github.count(/compare/)).toBe(0);
    expect(emulator.counts().creates).toBe(0);
  });

  it('says in a dry run what would happen', async () => {
    const { finish, emulator } = await setUp(releaseOf(change('src/a.ts')));
    const skipped = await finish({ paths: 'docs/**', 'dry-run': 'true' }, onTag);
    const begun = await finish({ paths: 'src/**', 'dry-run': 'true' }, onTag);
    expect(skipped.outputs['outcome']).toBe('dry-run');
    expect(skipped.stdout).toContain(
      'no file that changed since v1.0.0 matches `paths`: a real run would be skipped',
    );
    expect(begun.stdout).toContain('src/a.ts has changed since v1.0.0 and matches `paths`');
    expect(emulator.requests).toEqual([]);
  });

  it('takes the tag of release-tag', async () => {
    const { finish } = await setUp(releaseOf(change('src/a.ts')));
    const result = await finish({ paths: 'docs/**', 'release-tag': 'v1.1.0' });
    expect(result.outputs['outcome']).toBe('skipped');
  });

  it.each<[string, Record<string, string>, object, string]>([
    ['without a tag', { paths: 'docs/**' }, {}, '`release-tag` is missing: `paths` needs a tag'],
    [
      'with job-id',
      { paths: 'docs/**', 'job-id': 'job_1', prompt: '' },
      onTag,
      '`paths` and `job-id` are both set: keep one of them.',
    ],
    [
      'with nothing but exclusions',
      { paths: '!docs/**' },
      onTag,
      '`paths` has only patterns that begin with `!`',
    ],
    [
      'with a pattern that is none',
      { paths: 'docs/**\ndocs/[a' },
      onTag,
      '`paths` has an invalid pattern in line 2',
    ],
    [
      'for a release-tag that does not exist',
      { paths: 'docs/**', 'release-tag': 'v9.9.9' },
      {},
      '`release-tag` is wrong: acme/widgets has no tag of this name.',
    ],
  ])('is an input error %s', async (_, inputs, options, problem) => {
    const { finish, emulator } = await setUp(releaseOf(change('src/a.ts')));
    const result = await finish(inputs, options);
    expect(result.outputs).toMatchObject({ outcome: 'not-started', 'error-code': 'invalid-input' });
    expect(result.annotations.errors.join()).toContain(problem);
    expect(emulator.requests).toEqual([]);
  });
});
