import { describe, expect, it } from 'vitest';
import type { FileChange, Repository } from '../github/repository.ts';
import { commits, setUp, tagPush } from '../helpers/github.ts';

function change(path: string, parts: Partial<FileChange> = {}): FileChange {
  return { path, status: 'modified', additions: 1, deletions: 1, ...parts };
}

/** Returns this many changes that match no pattern of the tests. */
function others(count: number): FileChange[] {
  return Array.from({ length: count }, (_, index) => change(`src/${index}.ts`));
}

/** Two tags, `v1.0.0` and `v1.1.0`, between which the given files changed. */
function releaseOf(...files: FileChange[]): Partial<Repository> {
  const history = commits(2, { files });
  return {
    commits: history,
    tags: history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha })),
  };
}

const started = { wait: 'false', paths: 'docs/**' };
const onTag = tagPush('v1.1.0');

describe.concurrent('paths', () => {
  it('skips the job and says so if none of 299 changed files matches', async () => {
    const near = ['docs/drafts/a.md', 'docs/a/b.md', 'Docs/a.md'].map((path) => change(path));
    const { finish, emulator, github } = await setUp(releaseOf(...near, ...others(296)));
    const paths = ['docs/*.md', 'docs/drafts/**', '!docs/drafts/**', 'Doc/**'].join('\n');
    const result = await finish({ paths }, onTag);
    expect(result.exitCode).toBe(0);
    expect(emulator.requests).toEqual([]);
    expect(result.outputs).toMatchObject({
      'job-result': 'skipped',
      'error-code': '',
      'job-id': '',
    });
    expect(result.annotations.notices).toEqual([
      'No file that changed since `v1.0.0` matches `paths` (changed files: 299).\nThis run started nothing and spent nothing. A rehearsal costs nothing.',
    ]);
    expect(result.summary).toContain('Documentation job skipped\n\nNo file that changed since');
    expect(github.count(/\/statuses\//, 'POST')).toBe(0);
  });

  it('starts the job for the old name of a renamed file, without the release context', async () => {
    const renamed = { previousPath: 'docs/drafts/final.md', status: 'renamed' } as const;
    const { finish, emulator, prompts } = await setUp(releaseOf(change('lib/a.ts', renamed)));
    const paths = 'docs/**\n!docs/drafts/**\ndocs/drafts/final.md';
    const result = await finish({ ...started, paths }, onTag);
    expect(result.outputs['job-result']).toBe('started');
    expect(result.stdout).toContain('lib/a.ts has changed since v1.0.0 and matches `paths`');
    expect(prompts()[0]).not.toContain('Facts about the release');
    expect(emulator.counts().creates).toBe(1);
  });
});
