import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAX_BYTES = 290_000;

// The files that a runner downloads with a release: all files of the last commit without
// `export-ignore` in .gitattributes.
describe('the archive of the repository', () => {
  const folder = temporaryFolder('archive');
  let size = 0;

  beforeAll(() => {
    const archive = execFileSync('git', ['archive', 'HEAD'], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    size = gzipSync(archive, { level: 6 }).length;
    execFileSync('tar', ['-xf', '-'], { cwd: folder, input: archive });
  });

  it(`has at most ${MAX_BYTES} bytes when compressed`, () => {
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('has every action.yml and the files that it names', () => {
    const files = execFileSync('git', ['ls-files', '*action.yml'], { cwd: root, encoding: 'utf8' });
    const actions = files
      .split('\n')
      .filter((path) => path !== '' && !path.startsWith('__tests__/'));
    expect(actions).toContain('action.yml');
    const named = actions.flatMap((path) => {
      const { runs } = parse(readFileSync(join(root, path), 'utf8'));
      return [runs.main, runs.post]
        .filter(Boolean)
        .map((script: string) => join(path, '..', script));
    });
    expect(named).toContain(join('dist', 'index.js'));
    expect([...actions, ...named].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });
});
