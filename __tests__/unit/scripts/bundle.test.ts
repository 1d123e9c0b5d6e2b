import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';

const dist = new URL('../../../dist/', import.meta.url);
const code = ['index.js', 'emulator/index.js'];
const find = (pattern: RegExp, names = code): string[] =>
  names.flatMap((name) =>
    [...readFileSync(new URL(name, dist), 'utf8').matchAll(pattern)].map(([, found = '']) => found),
  );

it('dist/licenses.txt has the license of every package whose modules the bundle names', () => {
  const named = find(/ MODULE: \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/g);
  expect(named).toEqual(expect.arrayContaining(['zod', '@actions/core', '@actions/github']));
  const licensed = find(/^(\S+) \d+\.\d+\.\d+\S*$/gm, ['licenses.txt']);
  expect(licensed).toContain('undici');
  expect(named.filter((name) => !licensed.includes(name))).toEqual([]);
});

it('the bundle is one file, and needs no other', () => {
  expect(readdirSync(dist).filter((name) => /\.[cm]?js$/.test(name))).toEqual(['index.js']);
  const needed = find(/\brequire\("([^"]+)"\)/g).filter(
    (name) => !/^node:/.test(name) && !isBuiltin(name),
  );
  expect(needed).toEqual([]);
});
