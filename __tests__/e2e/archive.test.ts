import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAX_BYTES = 290_000;
const folder = temporaryFolder('archive');
const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });

// The files that a runner downloads with a release: all files of the last commit without
// `export-ignore` in .gitattributes.
it('the archive is small, and has every action.yml and the files that it names', () => {
  const archive = git('archive', 'HEAD');
  expect(gzipSync(archive, { level: 6 }).length).toBeLessThanOrEqual(MAX_BYTES);
  execFileSync('tar', ['-xf', '-'], { cwd: folder, input: archive });
  const files = git('ls-files', '*action.yml').toString().split('\n');
  const actions = files.filter((path) => path !== '' && !path.startsWith('__tests__/'));
  expect(actions).toContain('action.yml');
  const named = actions.flatMap((path) => {
    const { runs } = parse(readFileSync(join(root, path), 'utf8'));
    const scripts: string[] = [runs.main, runs.post].filter(Boolean);
    return scripts.map((script) => join(path, '..', script));
  });
  expect(named).toContain(join('dist', 'index.js'));
  expect([...actions, ...named].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
});
