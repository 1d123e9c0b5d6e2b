import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPromptFile } from '../../../src/inputs/prompt-file.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { readOrExplain } from '../fixtures.ts';

const root = temporaryFolder('prompt-file');
const workspace = join(root, 'workspace');
const outside = join(root, 'workspace-2');

function read(path: string, from = workspace): string {
  return String(readOrExplain(() => `text: ${readPromptFile(from, path)}`));
}

beforeAll(() => {
  mkdirSync(join(workspace, 'folder'), { recursive: true });
  mkdirSync(outside);
  const files: Record<string, string | Buffer> = {
    'prompt.md': '\uFEFFWrite the 📖\n',
    'blank.md': ' \n',
    'binary.bin': Buffer.from([0xff, 0xfe, 0x00]),
    'surrogate.md': Buffer.from([0x61, 0xed, 0xa0, 0x80]),
    'utf-16.md': Buffer.from('\ufeffWrite', 'utf16le'),
    'nul.md': 'a\0b',
    'large.md': 'x'.repeat(2 ** 20 + 1),
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(workspace, name), content);
  }
  writeFileSync(join(outside, 'secret.md'), 'not yours');
  symlinkSync(join(outside, 'secret.md'), join(workspace, 'link.md'));
  symlinkSync(join(workspace, 'prompt.md'), join(workspace, 'folder', 'inside.md'));
});

describe('readPromptFile', () => {
  const paths = ['prompt.md', './prompt.md', 'folder/../prompt.md', 'folder/inside.md'];
  it.each([...paths, join(workspace, 'prompt.md')])(
    'reads %s without its byte order mark',
    (path) => {
      expect(read(path)).toBe('text: Write the 📖');
    },
  );

  it.each<readonly [string, RegExp]>([
    ['nothing.md', /^was not found in the workspace/],
    ['a\0b', /^was not found/],
    ['large.md', /^is over 1 MiB/],
    ['folder', /^is not a regular file/],
    ['.', /^is not a regular file/],
    [workspace, /^is not a regular file/],
    ['blank.md', /^is an empty file/],
  ])('rejects %s', (path, problem) => {
    expect(read(path)).toMatch(problem);
  });

  it.each(['binary.bin', 'surrogate.md', 'utf-16.md', 'nul.md'])(
    'rejects %s, which is not text in UTF-8',
    (path) => {
      expect(read(path)).toMatch(/^can't be read as UTF-8 text/);
    },
  );

  const inPath = ['..', '../nothing.md', 'nothing/../../nothing.md', '/nothing.md', '../a\0b'];
  it.each([...inPath, '../workspace-2/secret.md', join(outside, 'secret.md'), 'link.md'])(
    'rejects %s, which is outside the workspace',
    (path) => {
      expect(read(path)).toMatch(/^is outside the workspace/);
    },
  );

  // The paths of Windows: drives, shares, devices, and streams.
  describe.runIf(process.platform === 'win32')('on Windows', () => {
    const drivePath = workspace.slice(2);
    const inside = ['folder\\..\\prompt.md', 'FOLDER\\..\\Prompt.md', `${drivePath}\\prompt.md`];
    it.each([...inside, workspace.toLowerCase().concat('\\prompt.md')])('reads %s', (path) => {
      expect(read(path)).toBe('text: Write the 📖');
    });

    const outsideOfIt = [
      ...['..\\workspace-2\\secret.md', 'none\\..\\..\\workspace-2\\secret.md'],
      ...[`${workspace}-2\\secret.md`, '\\secret.md', 'Q:\\secret.md'],
      ...['\\\\localhost\\C$\\Windows\\win.ini', '\\\\.\\NUL'],
      ...[`\\\\?\\${outside}\\secret.md`, 'prompt.md:\\..\\..\\workspace-2\\secret.md:x'],
    ];
    it.each(outsideOfIt)('rejects %s, which is outside the workspace', (path) => {
      expect(read(path)).toMatch(/^is outside the workspace/);
    });

    const noFile = ['NUL', 'CON', 'prompt.md:hidden', '.. \\workspace-2\\secret.md', 'prompt.md.'];
    it.each(noFile)('rejects %s, which is not a file in the workspace', (path) => {
      expect(read(path)).toMatch(/^(?:was not found|is not a regular file|is outside)/);
    });
  });

  it.skipIf(process.platform === 'win32')('rejects a device', () => {
    expect(read('/dev/null', '/')).toMatch(/^is not a regular file/);
  });
});
