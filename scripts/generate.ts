import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { runCommand } from '../emulator/options.ts';
import { ENDINGS, type EndingKey, HAPPENED, NEXT } from '../src/report/endings.ts';
import { describeFix, REFUSALS } from '../src/report/refusals.ts';
import { joinSentences, type Message, toPlainText } from '../src/text/message.ts';

/**
 * Updates what is derived from action.yml: the tables in docs/usage.md, the defaults in the code,
 * and node24/action.yml; from emulator/action.yml its twin in node24/. Writes what messages say
 * into docs/errors.md. With `--check`, it writes nothing, and fails if anything is out of date.
 */
interface Metadata {
  readonly inputs: Readonly<
    Record<string, { description: string; required?: boolean; default?: string }>
  >;
  readonly outputs: Readonly<Record<string, { description: string }>>;
}

const root = new URL('../', import.meta.url);
const definition = readText('action.yml');
const metadata: Metadata = parse(definition);

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function toCell(description: string): string {
  return description.trim().replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

function renderInputs(): string {
  const rows = Object.entries(metadata.inputs).map(([name, input]) => {
    const fallback =
      input.required === true ? '**required**' : input.default ? `\`${input.default}\`` : '';
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

/** The sections of the page about errors whose name isn't that of the ending or refusal. */
const SECTIONS: Readonly<Partial<Record<EndingKey | keyof typeof REFUSALS, string | string[]>>> = {
  'other-link': 'no-pull-request',
  unread: 'started',
  'follow-up-sent': 'started',
  failed: 'job-failed',
  'timed-out-follow-up': 'timed-out',
  'job-missing': 'job-lost',
  'job-gone': 'job-lost',
  'key-rejected': 'job-lost',
  unreadable: 'job-lost',
  'lost-by-bug': 'internal',
  'key-unchecked': 'dry-run',
  'follow-up-skipped': 'skipped',
  'cancelled-behind': 'cancelled',
  'cancelled-waiting': 'cancelled',
  'cancelled-sending': 'cancelled',
  'cancelled-follow-up': 'cancelled',
  'started-before': 'start-unknown',
  'started-elsewhere': 'start-unknown',
  'follow-up-unknown': 'start-unknown',
  'wrong-secret': 'invalid-input',
  'without-secrets': 'invalid-input',
  plan: 'unauthorized',
  'job-not-found': 'not-found',
  blocked: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'no-credits'],
  'record-access': 'record-failed',
  'record-setting': 'record-failed',
  'record-full': 'record-failed',
  'record-unavailable': 'record-failed',
  'changes-gone': 'changes-unknown',
  'changes-access': 'changes-unknown',
  'changes-setting': 'changes-unknown',
  'changes-unavailable': 'changes-unknown',
  'pr-access': 'pr-unknown',
  'pr-setting': 'pr-unknown',
  'pr-unavailable': 'pr-unknown',
};

interface Text {
  readonly title: string;
  readonly happened?: Message | undefined;
  readonly next?: Message | undefined;
}

/** Returns what messages say, by the section of the page about errors. */
function renderErrors(): Record<string, string> {
  const sections = new Map<string, Set<string>>();
  const add = (names: string | string[], { title, happened = [], next = [] }: Text): void => {
    const text = toPlainText(joinSentences(happened, next), String);
    for (const section of [names].flat()) {
      const lines = sections.get(section) ?? new Set();
      sections.set(section, lines.add(`- **${title}**${text === '' ? '' : `: ${text}`}`));
    }
  };
  for (const [name, { title }] of Object.entries(ENDINGS)) {
    const key = name as EndingKey;
    add(SECTIONS[key] ?? name, { title, happened: HAPPENED[key], next: NEXT[key] });
  }
  for (const [name, { title }] of Object.entries(REFUSALS)) {
    const key = name as keyof typeof REFUSALS;
    add(SECTIONS[key] ?? key, { title, next: describeFix(key) });
  }
  return Object.fromEntries(
    Array.from(sections, ([section, lines]) => [section, [...lines].join('\n')]),
  );
}

function renderDefaults(): string {
  const entries = Object.entries(metadata.inputs).map(([name, { default: value = '' }]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `  ${key}: '${value.includes('${{') ? '' : value}',`;
  });
  return [
    '/** All inputs and their defaults. Written by `npm run generate` from action.yml. */',
    'export const INPUT_DEFAULTS = {',
    ...entries,
    '} as const;',
    '',
  ].join('\n');
}

/** Returns a declaration for a folder that is one level deeper, and for Node 24. */
function toNode24(declaration: string): string {
  return declaration
    .replace('using: node20', 'using: node24')
    .replace(/^( +(?:main|post): )/gm, '$1../');
}

/** Returns a page with these tables between `<!-- name -->` and `<!-- end name -->`. */
function fillTables(path: string, tables: Readonly<Record<string, string>>): string {
  return fill(path, tables, (name) => new RegExp(`(?<=<!-- ${name} -->\n)[^]*?(?=<!-- end)`));
}

/** Returns a page with these lists below the headings of the same names. */
function fillLists(path: string, lists: Readonly<Record<string, string>>): string {
  return fill(path, lists, (name) => new RegExp(`(?<=\n## ${name}\n\n)(?:- .*\n)+`));
}

/** Returns a page with these texts in place of what the patterns of their names match. */
function fill(
  path: string,
  texts: Readonly<Record<string, string>>,
  toPattern: (name: string) => RegExp,
): string {
  return Object.entries(texts).reduce((page, [name, text]) => {
    const pattern = toPattern(name);
    if (!pattern.test(page)) {
      throw new Error(`${path} has no place for "${name}"`);
    }
    return page.replace(pattern, () => `${text}\n`);
  }, readText(path));
}

const usage = `Updates everything derived from action.yml. With --check, writes nothing, and fails if
anything is out of date.`;

await runCommand(usage, { options: { check: { type: 'boolean' } } }, ({ values }) => {
  const files: Record<string, string> = {
    'docs/usage.md': fillTables('docs/usage.md', {
      inputs: renderInputs(),
      outputs: renderOutputs(),
    }),
    'docs/errors.md': fillLists('docs/errors.md', renderErrors()),
    'src/inputs/defaults.ts': renderDefaults(),
    'node24/action.yml': toNode24(definition),
    'node24/emulator/action.yml': toNode24(readText('emulator/action.yml')),
  };
  for (const [path, content] of Object.entries(files)) {
    if (readText(path) === content) {
      continue;
    }
    if (values.check) {
      console.error(`${path} is out of date: run "npm run generate".`);
      process.exitCode = 1;
    } else {
      writeFileSync(new URL(path, root), content);
      console.log(`${path} written`);
    }
  }
});
