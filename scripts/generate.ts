import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { runCommand } from '../emulator/options.ts';
import { ENDS, type End, type EndKey, getSection } from '../src/report/ends.ts';
import type { Facts } from '../src/report/facts.ts';
import { describeRemedy } from '../src/report/remedies.ts';
import { RunTracker } from '../src/state/run-state.ts';
import { joinSentences, toPlainText } from '../src/text/message.ts';

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

const clock = { now: () => 0, sleep: () => Promise.resolve() };
const earlierJob = {
  kind: 'found',
  jobId: 'job',
  attempt: { runId: 1, attempt: 1, page: '', isOtherRun: true, mayRun: true },
} as const;
/** A run that a re-run would find. Other runs get remedies that fit them. */
const typical: Facts = {
  state: { ...new RunTracker(clock).state, earlierJob },
  inputs: undefined,
  github: {
    serverUrl: '',
    docsUrl: undefined,
    repository: undefined,
    before: undefined,
    runAttempt: 1,
  },
  redact: String,
  elapsedMs: 0,
};

/** Returns what messages say, by the section of the page about errors. Those that agree share it. */
function renderErrors(): Record<string, string> {
  const sections: Record<string, Record<string, Set<string>>> = {};
  for (const [name, { title, happened, fillNext }] of Object.entries<End>(ENDS)) {
    const next = fillNext((remedy) => describeRemedy(remedy, typical));
    const text = toPlainText(joinSentences(happened, next), String);
    const section = getSection(name as EndKey);
    const titles = sections[section] ?? {};
    titles[text] = (titles[text] ?? new Set()).add(`**${title}**`);
    sections[section] = titles;
  }
  const toItem = ([text, titles]: [string, Set<string>]): string =>
    `- ${[...titles].join(', ')}${text === '' ? '' : `: ${text}`}`;
  return Object.fromEntries(
    Object.entries(sections).map(([section, texts]) => [
      section,
      Object.entries(texts).map(toItem).join('\n'),
    ]),
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
