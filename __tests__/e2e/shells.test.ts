import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jobRecord, scriptedService } from '../helpers/servers.ts';
import { begin, failed, play } from './faults-scenario.ts';

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
    for (const name of ['pr-link', 'source-repository', 'source-ref', 'model']) {
      const value = outputs[name] ?? '';
      expect(value, name).toMatch(inert);
      for (const { name: shell, extension, program, args, isInstalled } of shells) {
        if (!isInstalled) continue;
        const script = join(folder, `${name}-${endings.indexOf(one ?? '')}.${extension}`);
        writeFileSync(script, `${shell === 'cmd' ? '@' : ''}echo Review ${value}\n`);
        const { stdout, stderr } = spawnSync(program, [...args, script], { encoding: 'utf8', cwd: folder });
        expect({ shell, name, stdout: stdout.trim(), stderr }).toEqual({
          shell,
          name,
          stdout: `Review ${value}`.trim(),
          stderr: '',
        });
      }
    }
  });

  it('the shells that every runner has are among those that ran', () => {
    const isWindows = process.platform === 'win32';
    const installed = shells.filter(({ isInstalled }) => isInstalled).map(({ name }) => name);
    expect(installed).toEqual(expect.arrayContaining(isWindows ? ['bash', 'pwsh', 'cmd'] : ['sh', 'bash']));
  });
});

describe.concurrent('the job-id to paste', () => {
  it.each([
    ...['1e5', '0123', 'null', '1_000', '0x1F', '0o17', '123', '1.5', 'true', 'no', 'NaN', '2026-01-01'],
    ...['_', '-', '1e400', '0b11'],
  ])('is the id in YAML 1.2 and in YAML 1.1: %s', async (id) => {
    const get = [{ body: jobRecord({ id, status: 'failed' }) }];
    const script = { create: [{ body: jobRecord({ id }) }], get };
    const { summary = '', outputs } = (await play(script, failed)).result;
    const [, yaml = ''] = /```yaml\n([\s\S]*?)\n```/.exec(summary) ?? [];
    expect(outputs['job-id']).toBe(id);
    expect(parse(yaml, { version: '1.2' })).toEqual({ 'job-id': id });
    expect(parse(yaml, { version: '1.1' })).toEqual({ 'job-id': id });
  });
});
