import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModules } from '../../scripts/modules.ts';

/** A module imports only from itself and from the rows below its own. */
const LAYERS = [
  ['index'],
  ['main'],
  ['report'],
  ['run'],
  ['plan'],
  ['outcome'],
  ['github'],
  ['inputs'],
  ['state'],
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

const root = new URL('../../src/', import.meta.url);
const modules = readModules(root);
const getLayer = (module: string): number => LAYERS.findIndex((layer) => layer.includes(module));

describe('src', () => {
  it('has a layer for every module', () => {
    expect([...modules.keys()].sort()).toEqual(LAYERS.flat().sort());
  });

  it('imports only from the layers below', () => {
    const arrows = [...modules].flatMap(([from, imports]) => [...imports].map((to) => ({ from, to })));
    expect(arrows.length).toBeGreaterThan(20);
    expect(arrows.filter(({ from, to }) => getLayer(to) <= getLayer(from))).toEqual([]);
  });

  it.each(Object.entries(GATES))('imports %s in one place', (name, gate) => {
    const imported = new RegExp(`(?:\\bfrom|\\bimport\\(?)\\s*'(?:[^']*/)?${name}[/']`);
    const users = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && imported.test(readFileSync(new URL(file, root), 'utf8')))
      .map((file) => file.replaceAll(sep, '/'));
    expect(users).not.toEqual([]);
    expect(users.filter((file) => !gate.test(file))).toEqual([]);
  });
});
