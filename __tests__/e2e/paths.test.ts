import { expect, it } from 'vitest';
import type { FileChange } from '../github/repository.ts';
import { commits, setUp, tagPush } from '../helpers/github.ts';

function change(path: string): FileChange {
  return { path, status: 'modified', additions: 1, deletions: 1 };
}

it('`paths` skips the job and says so if none of 299 changed files matches', async () => {
  const near = ['docs/drafts/a.md', 'docs/a/b.md', 'Docs/a.md'].map(change);
  const others = Array.from({ length: 296 }, (_, index) => change(`src/${index}.ts`));
  const history = commits(2, { files: [...near, ...others] });
  const tags = history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha }));
  const { finish, emulator, github } = await setUp({ commits: history, tags });
  const paths = ['docs/*.md', 'docs/drafts/**', '!docs/drafts/**', 'Doc/**'].join('\n');
  const { exitCode, outputs, annotations } = await finish({ paths }, tagPush('v1.1.0'));
  expect(exitCode).toBe(0);
  expect(emulator.requests).toEqual([]);
  expect(outputs).toMatchObject({ 'job-result': 'skipped', 'error-code': '', 'job-id': '' });
  expect(annotations.notices).toEqual([
    expect.stringContaining('No changed file matches `paths` (299 changed since `v1.0.0`)'),
  ]);
  expect(github.count(/\/statuses\//, 'POST')).toBe(0);
});

it('`paths` starts the job and names the file if one matches', async () => {
  const history = commits(2, { files: [change('src/a.ts'), change('docs/b.md')] });
  const tags = history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha }));
  const { finish, prompts } = await setUp({ commits: history, tags });
  const { stdout } = await finish(
    { paths: 'docs/**', 'include-changes': 'true' },
    tagPush('v1.1.0'),
  );
  expect(prompts()).toHaveLength(1);
  expect(prompts()[0]).toContain('selected paths: 1\n- modified docs/b.md +1 -1\n');
  expect(stdout).toContain('docs/b.md has changed since v1.0.0 and matches `paths`');
});
