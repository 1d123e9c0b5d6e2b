import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';

/** The modules of src (its folders and top-level files), each with the modules that it imports. */
export type Modules = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the imports of every file in the folder `src`. */
export function readModules(src: URL): Modules {
  const modules = new Map<string, Set<string>>();
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll(sep, '/'),
  );
  for (const file of files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .sort()) {
    const module = getModule(file);
    const imports = modules.get(module) ?? new Set();
    const text = readFileSync(new URL(file, src), 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.[^']+\.ts)'/g)) {
      imports.add(getModule(posix.join(posix.dirname(file), path)));
    }
    imports.delete(module);
    modules.set(module, imports);
  }
  return modules;
}

function getModule(file: string): string {
  return file.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

/**
 * Returns the modules level by level: each imports only from the levels after its own. Throws if
 * there is a cycle.
 */
export function getLevels(modules: Modules): string[][] {
  const levels: string[][] = [];
  const left = new Set(modules.keys());
  while (left.size > 0) {
    const imported = new Set([...left].flatMap((module) => [...(modules.get(module) ?? [])]));
    const level = [...left].filter((module) => !imported.has(module));
    if (level.length === 0) {
      throw new Error(`These modules import each other: ${[...left].join(', ')}`);
    }
    levels.push(level);
    for (const module of level) {
      left.delete(module);
    }
  }
  return levels;
}

/** Returns the imports that do not follow from others: with a → b → c, a → c is left out. */
export function getDirectImports(modules: Modules): [string, string][] {
  const reaches = (from: string, to: string): boolean =>
    [...(modules.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return [...modules].flatMap(([module, imports]) =>
    [...imports]
      .filter((to) => ![...imports].some((other) => other !== to && reaches(other, to)))
      .map((to): [string, string] => [module, to]),
  );
}
