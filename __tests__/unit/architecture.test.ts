import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** A module imports only from itself and from the rows below its own. */
const LAYERS = [
  ['index'],
  ['main'],
  ['report', 'reuse'],
  ['run'],
  ['outcome'],
  ['github'],
  ['inputs'],
  ['job'],
  ['http', 'runner'],
  ['errors', 'clock'],
  ['text'],
];
/** The only file that may import a package, where that matters. */
const GATES: Readonly<Record<string, RegExp>> = {
  undici: /^http\//,
  '@actions/github': /^github\/client\.ts$/,
  '@actions/core': /^runner\/toolkit\.ts$/,
};

const root = fileURLToPath(new URL('../../src/', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(`${root}${file}`, 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g)].map(
    ([, path = '']) => ({ file, to: path.startsWith('.') ? posix.join(posix.dirname(file), path) : path }),
  ),
);
const getModule = (file: string): string => file.split(/[/.]/)[0] ?? '';
const getLayer = (file: string): number => LAYERS.findIndex((layer) => layer.includes(getModule(file)));

describe('src', () => {
  it('has a layer for every module', () => {
    expect([...new Set(files.map(getModule))].sort()).toEqual(LAYERS.flat().sort());
  });

  it('imports only from the layers below', () => {
    const own = imports.filter(({ to }) => files.includes(to));
    expect(own.length).toBeGreaterThan(100);
    const upward = own.filter(
      ({ file, to }) => getModule(file) !== getModule(to) && getLayer(to) <= getLayer(file),
    );
    expect(upward).toEqual([]);
  });

  it.each(Object.entries(GATES))('imports %s in one place', (name, gate) => {
    const users = imports.filter(({ to }) => to === name || to.includes(`${name}/`)).map(({ file }) => file);
    expect(users).not.toEqual([]);
    expect(users.filter((file) => !gate.test(file))).toEqual([]);
  });
});
