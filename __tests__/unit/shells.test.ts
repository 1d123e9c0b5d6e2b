import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getJobOutputs } from '../../src/report/outputs.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createState, createTestJob } from './fixtures.ts';

const folder = temporaryFolder('shells');

/** The command by which a runner starts a script in each shell. */
const shells = [
  { name: 'sh', extension: 'sh', command: ['sh', '-e'] },
  {
    name: 'bash',
    extension: 'bash',
    command: ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
  },
  { name: 'pwsh', extension: 'ps1', command: ['pwsh', '-NoProfile', '-File'] },
  { name: 'cmd', extension: 'cmd', command: ['cmd', '/D', '/E:ON', '/V:OFF', '/S', '/C', 'CALL'] },
];
/** Shells that every runner of the platform has. */
const expected = process.platform === 'win32' ? ['bash', 'pwsh', 'cmd'] : ['sh', 'bash'];

const base = 'https://github.com/acme/docs/pull/1';
const endings = [
  ...'&;|<>$`"\'\\*?[]{}()!#^%=,~ \t\n\r'.split('').map((character) => `${character}id`),
  ...[
    '&&id',
    '||id',
    ';id;',
    '$(id)',
    '`id`',
    '$' + '{HOME}',
    '$env:PATH',
    '%PATH%',
    '!PATH!',
    '^&id',
  ],
  ...[
    '@(id)',
    '"; id; "',
    "'; id; '",
    '\u2018;id;\u2019',
    '\u201c;id;\u201d',
    '\u2028id',
    '\uff06id',
  ],
  ...[
    '<(id)',
    '{1,2}',
    '?x=1&id',
    '#;id',
    '/files#diff-1',
    '?a=$(id)',
    '%0aid',
    '%26id',
    '@evil.test',
  ],
  ...[':id', '/../../id', '//id', '/AZaz09._~@+-/y'],
];

/** The outputs of jobs with one of these endings in every field. */
const outputs = endings.flatMap((ending) => {
  const source = { repository: `${base}${ending}`, ref: `main${ending}` };
  const fields = { prLink: `${base}${ending}`, source, model: `sonnet${ending}` };
  const job = createTestJob({ ...fields, createdAt: ending, archivedAt: ending });
  const { status: _, job: __, ...plain } = getJobOutputs(createState({ job }));
  return Object.entries(plain);
});

describe('an output in a script', () => {
  it.for(shells)('is printed unchanged by $name', ({ name, extension, command }, { skip }) => {
    const [program = '', ...args] = command;
    const probe = name === 'cmd' ? ['/C', 'exit'] : ['-c', 'exit'];
    skip(!expected.includes(name) && spawnSync(program, probe).status !== 0, 'it is not installed');
    const lines = outputs.map(([output, value]) => `${output} ${value}`.trim());
    const script = join(folder, `script.${extension}`);
    writeFileSync(
      script,
      lines.map((line) => `${name === 'cmd' ? '@' : ''}echo ${line}\n`).join(''),
    );
    const { stdout, stderr } = spawnSync(program, [...args, script], {
      encoding: 'utf8',
      cwd: folder,
    });
    expect({ lines: stdout.trim().split(/\s*\n/), stderr }).toEqual({ lines, stderr: '' });
  });
});
