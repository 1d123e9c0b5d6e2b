import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
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

const isWindows = process.platform === 'win32';
const drivePath = workspace.slice(2);
/** The paths of Windows: drives, shares, devices, and streams. */
const onWindows = (...paths: string[]): string[] => (isWindows ? paths : []);

it.each([
  ...['prompt.md', './prompt.md', 'folder/../prompt.md', 'folder/inside.md'],
  join(workspace, 'prompt.md'),
  ...onWindows('folder\\..\\prompt.md', 'FOLDER\\..\\Prompt.md', `${drivePath}\\prompt.md`),
  ...onWindows(workspace.toLowerCase().concat('\\prompt.md')),
])('reads %s without its byte order mark', (path) => {
  expect(read(path)).toBe('text: Write the 📖');
});

const noText = ['binary.bin', 'surrogate.md', 'utf-16.md', 'nul.md'];
it.each<readonly [string, RegExp]>([
  ['nothing.md', /^was not found in the workspace/],
  ['a\0b', /^was not found/],
  ['large.md', /^is over 1 MiB/],
  ['folder', /^is not a regular file/],
  ['.', /^is not a regular file/],
  [workspace, /^is not a regular file/],
  ['blank.md', /^is an empty file/],
  ...noText.map((path) => [path, /^can't be read as UTF-8 text/] as const),
])('rejects %s', (path, problem) => {
  expect(read(path)).toMatch(problem);
});

it.each([
  ...['..', '../nothing.md', 'nothing/../../nothing.md', '/nothing.md', '../a\0b', 'link.md'],
  ...['../workspace-2/secret.md', join(outside, 'secret.md')],
  ...onWindows('..\\workspace-2\\secret.md', 'none\\..\\..\\workspace-2\\secret.md'),
  ...onWindows(`${workspace}-2\\secret.md`, '\\secret.md', 'Q:\\secret.md', '\\\\.\\NUL'),
  ...onWindows('\\\\localhost\\C$\\Windows\\win.ini', `\\\\?\\${outside}\\secret.md`),
  ...onWindows('prompt.md:\\..\\..\\workspace-2\\secret.md:x'),
])('rejects %s, which is outside the workspace', (path) => {
  expect(read(path)).toMatch(/^is outside the workspace/);
});

const devices = isWindows
  ? ['NUL', 'CON', 'prompt.md:hidden', '.. \\workspace-2\\secret.md', 'prompt.md.']
  : ['/dev/null'];
it.each(devices)('rejects %s, which is not a file in the workspace', (path) => {
  const problem = /^(?:was not found|is not a regular file|is outside)/;
  expect(read(path, isWindows ? workspace : '/')).toMatch(problem);
});
