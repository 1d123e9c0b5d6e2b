import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPackages, renderLicenses } from '../../../scripts/licenses.ts';

const dist = new URL('../../../dist/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, dist), 'utf8');

it('dist/licenses.txt has the license of every package whose modules the bundle names', () => {
  const code = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const named = code.flatMap((name) =>
    [...read(name).matchAll(/ MODULE: \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/g)].map(([, found]) => found),
  );
  expect(named).toEqual(
    expect.arrayContaining(['zod', 'undici', 'semver', '@actions/core', '@actions/github']),
  );
  const licenses = read('licenses.txt');
  expect(
    [...new Set(named)].filter(
      (name) => !licenses.includes(`\n${name} `) && !licenses.startsWith(`${name} `),
    ),
  ).toEqual([]);
});

it('findPackages finds packages in packages, and those of joined modules', () => {
  const modules = [
    '/a/src/index.js',
    '/a/node_modules/x/lib/y.js',
    null,
    'C:\\a\\node_modules\\@b\\c\\node_modules\\d\\e.js',
  ];
  const joined = { modules: modules.map((nameForCondition) => ({ nameForCondition })) };
  expect(
    findPackages({ modules: [{ ...joined, nameForCondition: '/a/node_modules/@f/g/h.js' }, joined] }),
  ).toEqual([
    ...['/a/node_modules/@f/g', '/a/node_modules/x', 'C:\\a\\node_modules\\@b\\c\\node_modules\\d'],
  ]);
});

it('renderLicenses takes no package without its license', () => {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-'));
  writeFileSync(join(folder, 'package.json'), '{"name":"a","version":"1.0.0","license":"MIT"}');
  expect(() => renderLicenses([folder])).toThrow('a is bundled, but has no license file');
  writeFileSync(join(folder, 'Licence.md'), 'Do as you like\r\nwith it\n');
  expect(renderLicenses([folder, folder])).toBe('a 1.0.0\nMIT\nDo as you like\nwith it\n');
  rmSync(folder, { recursive: true });
});
