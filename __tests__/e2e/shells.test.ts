import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { jobRecord, scriptedService } from '../helpers/servers.ts';
import { begin } from './faults-scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'shells-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** How a runner starts a script in each shell, and how people print a value in it. */
const shells = [
  { name: 'sh', extension: 'sh', command: ['sh', '-e'] },
  { name: 'bash', extension: 'bash', command: ['bash', '--noprofile', '--norc', '-eo', 'pipefail'] },
  { name: 'pwsh', extension: 'ps1', command: ['pwsh', '-NoProfile', '-File'] },
  { name: 'cmd', extension: 'cmd', command: ['cmd', '/D', '/E:ON', '/V:OFF', '/S', '/C', 'CALL'] },
].map((shell) => {
  const [program = '', ...args] = shell.command;
  const probe = shell.name === 'cmd' ? ['/C', 'exit'] : ['-c', 'exit'];
  return { ...shell, program, args, isInstalled: spawnSync(program, probe).status === 0 };
});

/** What none of these shells acts on, in the middle of a word: it stands for those that are not installed. */
const inert = /^[A-Za-z0-9._~@+/:-]*$/;

const base = 'https://github.com/acme/docs/pull/1';
const endings = [
  ...'&;|<>$`"\'\\*?[]{}()!#^%=,~ \t\n\r'.split('').map((character) => `${character}id`),
  ...['&&id', '||id', ';id;', '$(id)', '`id`', '$' + '{HOME}', '$env:PATH', '%PATH%', '!PATH!', '^&id'],
  ...['@(id)', '"; id; "', "'; id; '", '\u2018;id;\u2019', '\u201c;id;\u201d', '\u2028id', '\uff06id'],
  ...['<(id)', '{1,2}', '?x=1&id', '#;id', '/files#diff-1', '?a=$(id)', '%0aid', '%26id', '@evil.test'],
  ...[':id', '/../../id', '//id'],
];

describe.concurrent('an output that is written into a script by its expression', () => {
  /** The outputs of a run whose job has these fields. */
  async function getOutputs(fields: Record<string, unknown>): Promise<Record<string, string>> {
    const service = await scriptedService({ get: [{ body: jobRecord({ status: 'completed', ...fields }) }] });
    return (await begin(service.url).action.ended).outputs;
  }

  const half = Math.ceil(endings.length / 2);
  const pairs = endings.slice(0, half).map((ending, index) => [ending, endings[half + index] ?? ending]);

  it.for(pairs)('prints itself and nothing else, when the service sends %j and %j', async ([one, two]) => {
    const source = { repository: `${base}${two}`, ref: `main${one}` };
    const outputs = await getOutputs({ prLink: `${base}${one}`, source, model: `sonnet${two}` });
    const names = ['pr-link', 'source-repository', 'source-ref', 'model'];
    const lines = names.map((name) => `${name} ${outputs[name] ?? ''}`.trim());
    for (const name of names) expect(outputs[name] ?? '', name).toMatch(inert);
    for (const { name: shell, extension, program, args, isInstalled } of shells) {
      if (!isInstalled) continue;
      const script = join(folder, `${endings.indexOf(one ?? '')}.${extension}`);
      writeFileSync(script, lines.map((line) => `${shell === 'cmd' ? '@' : ''}echo ${line}\n`).join(''));
      const { stdout, stderr } = spawnSync(program, [...args, script], { encoding: 'utf8', cwd: folder });
      expect({ shell, lines: stdout.trim().split(/\s*\n/), stderr }).toEqual({ shell, lines, stderr: '' });
    }
  });

  it('the shells that every runner has are among those that ran', () => {
    const isWindows = process.platform === 'win32';
    const installed = shells.filter(({ isInstalled }) => isInstalled).map(({ name }) => name);
    expect(installed).toEqual(expect.arrayContaining(isWindows ? ['bash', 'pwsh', 'cmd'] : ['sh', 'bash']));
  });
});
