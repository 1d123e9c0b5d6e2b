import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

/** What `npm run generate` derives from action.yml: tables of the README, defaults in the code, node24/action.yml. */
interface Metadata {
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean; default?: string }>>;
  readonly outputs: Readonly<Record<string, { description: string }>>;
}

const root = new URL('../', import.meta.url);
const definition = readFileSync(new URL('action.yml', root), 'utf8');
const metadata: Metadata = parse(definition);

function toCell(text: string): string {
  return text.trim().replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

function renderInputs(): string {
  const rows = Object.entries(metadata.inputs).map(([name, input]) => {
    const fallback = input.required === true ? '**required**' : input.default ? `\`${input.default}\`` : '';
    return `| \`${name}\` | ${fallback} | ${toCell(input.description)} |`;
  });
  return ['| Input | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function renderOutputs(): string {
  const rows = Object.entries(metadata.outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${toCell(description)} |`,
  );
  return ['| Output | Meaning |', '|---|---|', ...rows].join('\n');
}

function renderDefaults(): string {
  const entries = Object.entries(metadata.inputs)
    .filter(([, input]) => input.default !== undefined && !input.default.includes('${{'))
    .map(([name, input]) => {
      const key = /^\w+$/.test(name) ? name : `'${name}'`;
      return `  ${key}: '${input.default}',`;
    });
  return [
    '/** Written by `npm run generate` from action.yml, the one place where defaults are stated. */',
    'export const INPUT_DEFAULTS = {',
    ...entries,
    '} as const;',
    '',
  ].join('\n');
}

function replaceBlock(text: string, name: string, block: string): string {
  const pattern = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end ${name} -->)`);
  if (!pattern.test(text)) {
    throw new Error(`README.md has no block "${name}"`);
  }
  return text.replace(pattern, (_, start: string, end: string) => `${start}${block}\n${end}`);
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const readme = readFileSync(new URL('README.md', root), 'utf8');
const files: Record<string, string> = {
  'README.md': replaceBlock(replaceBlock(readme, 'inputs', renderInputs()), 'outputs', renderOutputs()),
  'src/inputs/defaults.ts': renderDefaults(),
  'node24/action.yml': definition
    .replace('using: node20', 'using: node24')
    .replace('main: dist/', 'main: ../dist/'),
};
for (const [path, content] of Object.entries(files)) {
  if (readFileSync(new URL(path, root), 'utf8') === content) {
    continue;
  }
  if (values.check) {
    console.error(`${path} does not match action.yml: run "npm run generate".`);
    process.exitCode = 1;
  } else {
    writeFileSync(new URL(path, root), content);
    console.log(`${path} written`);
  }
}
