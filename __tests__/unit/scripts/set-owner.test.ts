import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExamples, readOrigin } from '../../../scripts/examples.ts';
import { root } from '../../../scripts/tools.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const unread = ['dist', '*.png', 'package-lock.json', '__tests__/unit/scripts/set-owner.test.ts'];
const excludes = unread.map((path) => `:(exclude)${path}`);
const options = ['-z', '--', '.', ...excludes];
const files = execFileSync('git', ['ls-files', ...options], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)));

describe('set-owner', () => {
  const copy = mkdtempSync(join(tmpdir(), 'set-owner-'));
  const setOwner = (...args: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'scripts/set-owner.ts', ...args], {
      cwd: copy,
      encoding: 'utf8',
    });
  const findFilesWith = (pattern: RegExp): string[] =>
    files.filter((file) => pattern.test(readFileSync(join(copy, file), 'utf8')));

  beforeAll(() => {
    for (const file of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(root, file), join(copy, file));
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  it('changes nothing if the owner or the version is not a name', () => {
    const before = readExamples(copy);
    for (const [wrong, ...args] of [[''], ['acme/docs'], ['v1 v2', 'acme']] as const) {
      const { status, stderr } = setOwner(...args, wrong);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(wrong) });
    }
    expect(setOwner('acme', 'v1', 'v2').stderr).toContain('"v2" is one argument too many');
    expect(readExamples(copy)).toEqual(before);
  });

  it('leaves no placeholder for the owner, and the given version in all examples', () => {
    const placeholders = [/\bOWNER\b/, /docs-agent-action[\w/]*@v1(?![\w.])/];
    for (const placeholder of placeholders) {
      expect(findFilesWith(placeholder)).toContain('examples/docs.yml');
    }
    expect(setOwner('octo-org', commit)).toMatchObject({ status: 0, stderr: '' });
    expect(placeholders.flatMap(findFilesWith)).toEqual([]);
    expect(readOrigin(copy)).toEqual({ owner: 'octo-org', version: commit });
  });

  it('keeps the README and the first workflow the same', () => {
    const readme = readFileSync(join(copy, 'README.md'), 'utf8');
    expect(readme).toContain(readFileSync(join(copy, 'examples/docs.yml'), 'utf8'));
  });

  // An owner may also be the name of a folder or of the action.
  it.each(['docs', 'src', 'docs-agent-action'])(
    'can replace an owner that it has set by %s, keeps the version, and says what to do next',
    (owner) => {
      const { status, stdout } = setOwner(owner);
      expect(status).toBe(0);
      expect(stdout).toContain(`put @${owner} in place of the team in .github/CODEOWNERS`);
      expect(findFilesWith(/\bocto-org\b/)).toEqual([]);
      expect(readOrigin(copy)).toEqual({ owner, version: commit });
    },
  );

  it('can undo all that it has done', () => {
    const { owner, version } = readOrigin(root);
    expect(setOwner(owner, version)).toMatchObject({ status: 0, stderr: '' });
    const changed = files.filter(
      (file) => !readFileSync(join(copy, file)).equals(readFileSync(join(root, file))),
    );
    expect(changed).toEqual([]);
  });
});
