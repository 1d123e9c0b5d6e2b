import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { expect, it } from 'vitest';

/** The only places of `src` that may import something. */
const GATES: Readonly<Record<string, RegExp>> = {
  'node_modules/undici': /^src\/(?:packages\.ts$|undici-parts\.d\.ts$|http\/)/,
  'node_modules/@actions/core': /^src\/packages\.ts$/,
  'node_modules/@actions/http-client': /^src\/packages\.ts$/,
  'node_modules/@actions/github': /^src\/packages\.ts$/,
  'src/packages.ts': /^src\/(?:http\/|github\/context\.ts$|runner\/commands\.ts$)/,
  // All words about results are in one folder, and the client of the service knows nothing of GitHub.
  'src/report': /^src\/(?:main\.ts$|report\/)/,
  'src/github': /^src\/(?!http\/|service\/|text\/)/,
};

/** A folder imports only from itself and from these folders. Tests may import from all of them. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  src: [],
  emulator: [],
  '__tests__/harness': ['src'],
  '__tests__/github': ['emulator'],
  scripts: ['__tests__/github', '__tests__/harness', '__tests__/helpers', 'emulator', 'src'],
};

const root = new URL('../../', import.meta.url);

function readImports(folder: string): { file: string; path: string }[] {
  const files = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|[cm]js)$/.test(file))
    .map((file) => `${folder}/${file.replaceAll(sep, '/')}`);
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8');
    const names = text.matchAll(/(?:\bfrom|\bimport\(?|\brequire\()\s*'([^']+)'/g);
    return [...names].map(([, name = '']) => {
      const start = name.startsWith('.') ? posix.dirname(file) : 'node_modules';
      return { file, path: posix.join(start, name) };
    });
  });
}

/** Returns the parts of `src`, as named by `toPart`, that import each other, directly or not. */
function findCycles(
  imports: ReturnType<typeof readImports>,
  toPart: (path: string) => string,
): string[] {
  let arrows = imports
    .filter(({ path }) => path.startsWith('src/'))
    .map(({ file, path }) => ({ from: toPart(file), to: toPart(path) }))
    .filter(({ from, to }) => from !== to);
  // What imports none of the others, or is imported by none, is in no cycle.
  for (let count = arrows.length + 1; arrows.length < count; ) {
    count = arrows.length;
    const users = new Set(arrows.map(({ from }) => from));
    const used = new Set(arrows.map(({ to }) => to));
    arrows = arrows.filter(({ from, to }) => users.has(to) && used.has(from));
  }
  return arrows.map(({ from }) => from);
}

const imports = readImports('src');

it.each(Object.entries(GATES))('src imports %s only where %s allows it', (name, gate) => {
  const users = imports.filter(({ path }) => `${path}/`.startsWith(`${name}/`));
  expect(users).not.toEqual([]);
  expect(users.filter(({ file }) => !gate.test(file))).toEqual([]);
});

it('src has no folders that import each other', () => {
  const toFolder = (path: string): string => path.split('/')[1] ?? '';
  expect(findCycles(imports, toFolder)).toEqual([]);
  const back = { file: 'src/text/x.ts', path: 'src/main.ts' };
  expect(findCycles([...imports, back], toFolder)).toContain('main.ts');
});

it('src has no files that import each other, types included', () => {
  const toFile = (path: string): string => path;
  expect(findCycles(imports, toFile)).toEqual([]);
  const back = { file: 'src/changes/range.ts', path: 'src/changes/decide.ts' };
  const files = ['src/changes/decide.ts', 'src/changes/range.ts'];
  expect(findCycles([...imports, back], toFile)).toEqual(expect.arrayContaining(files));
});

it.each(Object.entries(FOLDERS))('%s imports only from itself and from %j', (folder, others) => {
  const imports = readImports(folder);
  expect(imports.length).toBeGreaterThan(5);
  const allowed = [folder, ...others, 'node_modules'];
  const isAllowed = (path: string) => allowed.some((start) => path.startsWith(`${start}/`));
  expect(imports.filter(({ path }) => !isAllowed(path))).toEqual([]);
});
