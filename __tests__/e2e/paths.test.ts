import { describe, expect, it } from 'vitest';
import type { FileChange, Repository } from '../../emulator/github/repository.ts';
import { commits, setUp, tagPush } from '../helpers/github.ts';
import { findRecords } from '../helpers/reuse.ts';

function change(path: string, parts: Partial<FileChange> = {}): FileChange {
  return { path, status: 'modified', additions: 1, deletions: 1, ...parts };
}

/** So many changes that no path of the tests matches. */
function others(count: number): FileChange[] {
  return Array.from({ length: count }, (_, index) => change(`src/${index}.ts`));
}

/** Two tags, `v1.0.0` and `v1.1.0`, between which the given files changed. */
function releaseOf(...files: FileChange[]): Partial<Repository> {
  const history = commits(2, { files });
  return { commits: history, tags: history.map(({ sha }, index) => ({ name: `v1.${index}.0`, sha })) };
}

const started = { wait: 'false', paths: 'docs/**' };
const onTag = tagPush('v1.1.0');

describe.concurrent('paths', () => {
  it('skips the job if none of 299 files that changed matches, and says so', async () => {
    const near = ['docs/drafts/a.md', 'docs/a/b.md', 'Docs/a.md'].map((path) => change(path));
    const { finish, emulator } = await setUp(releaseOf(...near, ...others(296)));
    const paths = ['docs/*.md', 'docs/drafts/**', '!docs/drafts/**', 'Doc/**'].join('\n');
    const result = await finish({ paths }, onTag);
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
      'No file that changed since `v1.0.0` matches `paths` (files changed: 299). No job was started, so nothing was spent.',
    ]);
    expect(result.summary).toMatch(
      /^## \S+ Rehearsal: Documentation job skipped\n\nNo file that changed since/,
    );
    expect(findRecords(result)).toEqual([]);
  });

  it('starts the job for the old name of a renamed file, and does not add the release context', async () => {
    const renamed = { previousPath: 'docs/drafts/final.md', status: 'renamed' } as const;
    const { finish, emulator, prompts } = await setUp(releaseOf(change('lib/a.ts', renamed)));
    const paths = 'docs/**\n!docs/drafts/**\ndocs/drafts/final.md';
    const result = await finish({ ...started, paths }, onTag);
    expect(result.outputs['outcome']).toBe('started');
    expect(result.stdout).toContain('lib/a.ts has changed since v1.0.0 and matches `paths`');
    expect(prompts()[0]).not.toContain('Facts about the release');
    expect(emulator.counts().creates).toBe(1);
  });

  const lacks = 'the response lacks what the API promises';
  const whole = { total_commits: 1, behind_by: 0, commits: [], files: [] };
  it.each<[string, string, number?, unknown?]>([
    ['GitHub lists no more than 300 changed files', 'v1.1.0'],
    ['acme/widgets has no tag of this name', 'v1.2.0'],
    ['HTTP 404', 'v1.1.0', 404, '<html>'],
    ['HTTP 202', 'v1.1.0', 202, whole],
    ['HTTP 204', 'v1.1.0', 204, ''],
    ...[
      '',
      '<html>',
      {},
      { message: 'x' },
      { ...whole, files: undefined },
      { ...whole, behind_by: null },
    ].map((body): [string, string, number, unknown] => [lacks, 'v1.1.0', 200, body]),
  ])(
    'starts the job if it cannot decide, and says why in one line: %s, %s, %s, %j',
    async (why, tag, status, body) => {
      const { finish, emulator, github, prompts } = await setUp(releaseOf(...others(300)));
      if (status !== undefined) {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        github.addFault({ path: /compare/, fault: { kind: 'written', status, body: text } });
      }
      const result = await finish({ ...started, 'release-context': 'true' }, tagPush(tag));
      expect(result.outputs['outcome']).toBe('started');
      const lines = result.stdout.match(/`paths` .*/g);
      expect(lines).toEqual([`\`paths\` ignored (${why}); starting the job`]);
      expect(prompts()[0]).not.toMatch(/NaN|undefined|Changed files: 0/);
      expect(emulator.counts().creates).toBe(1);
    },
  );

  it('says in a dry run what would happen, for the tag of release-tag', async () => {
    const { finish, emulator } = await setUp(releaseOf(...others(1)));
    const inputs = { paths: 'docs/**', 'dry-run': 'true', 'release-tag': 'v1.1.0' };
    const { outputs, stdout } = await finish(inputs);
    expect(outputs['outcome']).toBe('dry-run');
    const note = 'no file that changed since v1.0.0 matches `paths`: a real run would be skipped';
    expect(stdout).toContain(note);
    expect(emulator.counts().creates).toBe(0);
  });
});
