import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ActionOptions, closeActions, type RunningAction, runAction } from '../../helpers/action.ts';
import { expectInvariants, findSecret } from '../../helpers/invariants.ts';

const key = 'mint_0123456789~abcdef';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helpers-'));
  writeFileSync(
    join(folder, 'action.yml'),
    `inputs:
  api-key: { required: true }
  two words: { default: 10 }
  wait: { default: 'true' }
  github-token: { default: '\${{ github.token }}' }
outputs: { outcome: {}, error-code: {} }
`,
  );
});

afterEach(closeActions);
afterAll(() => rmSync(folder, { recursive: true }));

let scripts = 0;

/** Runs a script in the place of the action. */
function runScript(script: string, options: ActionOptions = {}): RunningAction {
  scripts += 1;
  const entry = join(folder, `script-${scripts}.mjs`);
  const imports = "import { appendFileSync, writeFileSync } from 'node:fs';\nimport http from 'node:http';\n";
  writeFileSync(entry, imports + script);
  return runAction({ definition: join(folder, 'action.yml'), entry, ...options });
}

/** A script that prints and that writes what a proper run of the action would. */
function verdict(outcome: string, errorCode: string, ...lines: string[]): string {
  return `
    appendFileSync(process.env.GITHUB_OUTPUT, 'outcome=${outcome}\\nerror-code=${errorCode}\\n');
    console.log(${JSON.stringify(lines.join('\n'))});
    process.exitCode = ${errorCode === '' ? 0 : 1};
  `;
}

describe('runAction', () => {
  it('runs the script as a runner does', async () => {
    const action = runScript('console.log(JSON.stringify({ ...process.env, cwd: process.cwd() }))', {
      inputs: { 'api-key': key, wait: 'false' },
      env: { EXTRA: 'x', CI: undefined },
    });
    const result = await action.ended;
    const seen = JSON.parse(result.stdout) as Record<string, string>;
    expect(seen).toMatchObject({
      'INPUT_API-KEY': key,
      INPUT_TWO_WORDS: '10',
      INPUT_WAIT: 'false',
      'INPUT_GITHUB-TOKEN': '',
      GITHUB_ACTIONS: 'true',
      EXTRA: 'x',
      cwd: action.workspace,
    });
    expect(seen['GITHUB_WORKSPACE']).toBe(action.workspace);
    const plausible =
      /^(INPUT_.*|PROBE_REPORT|GITHUB_.*|RUNNER_.*|NODE_CHANNEL_.*|PATH|HOME|SystemRoot|EXTRA|cwd|__CF_USER_TEXT_ENCODING)$/i;
    expect(Object.keys(seen).filter((name) => !plausible.test(name))).toEqual([]);
    expect(result.stderr).toBe('');
  });

  it('leaves inputs without defaults away on demand', async () => {
    const script = 'console.log(Object.keys(process.env).filter((name) => name.startsWith("INPUT_")).join())';
    const { ended } = runScript(script, { inputs: { 'api-key': key }, applyDefaults: false });
    expect((await ended).stdout.trim()).toBe('INPUT_API-KEY');
  });

  it('collects all that the script leaves', async () => {
    const { ended } = runScript(`
      const { env } = process;
      appendFileSync(env.GITHUB_OUTPUT, 'a<<E\\n1\\n2\\nE\\n');
      appendFileSync(env.GITHUB_STEP_SUMMARY, '# Done');
      appendFileSync(env.GITHUB_STATE, 's=1\\n');
      appendFileSync(env.GITHUB_ENV, 'e=1\\n');
      appendFileSync(env.GITHUB_PATH, '/bin\\n');
      console.log('::notice::hello');
      console.error('see ##[error]bad');
      process.exitCode = 3;
    `);
    expect(await ended).toMatchObject({
      exitCode: 3,
      signal: null,
      killedLate: false,
      outputs: { a: '1\n2' },
      outputText: 'a<<E\n1\n2\nE\n',
      summary: '# Done',
      state: { s: '1' },
      exportedVariables: { e: '1' },
      addedPaths: '/bin\n',
      commands: [
        { stream: 'stdout', syntax: '::', name: 'notice' },
        { stream: 'stderr', syntax: '##[', name: 'error' },
      ],
      annotations: { errors: ['bad'], warnings: [], notices: ['hello'] },
      maxRssMb: expect.any(Number),
    });
  });

  it('lets a test watch and signal the process', async () => {
    const action = runScript(`
      appendFileSync(process.env.GITHUB_OUTPUT, 'job-id=7\\n');
      process.on('SIGTERM', () => { console.error('got it'); clearInterval(timer); });
      const timer = setInterval(() => {}, 1000);
      console.log('ready');
    `);
    await action.waitForLog(/^ready$/m);
    expect(action.outputs).toEqual({ 'job-id': '7' });
    action.signal('SIGTERM');
    await action.waitForLog('got it');
    await expect(action.waitForLog('never')).rejects.toThrow('The action ended before the log matched never');
    expect(await action.ended).toMatchObject({ exitCode: 0, signal: null });
  });

  it('emits a signal that the platform lacks', async () => {
    const action = runScript(`
      process.on('SIGBREAK', (name) => { console.log('got', name); clearInterval(timer); });
      const timer = setInterval(() => {}, 1000);
      console.log('ready');
    `);
    await action.waitForLog('ready');
    action.signal('SIGBREAK');
    expect((await action.ended).stdout).toContain('got SIGBREAK');
  });

  it('kills a process that stays', async () => {
    const action = runScript('setInterval(() => {}, 1000)', { timeoutMs: 300 });
    await expect(action.waitForLog('x', 50)).rejects.toThrow('50 ms passed');
    expect(await action.ended).toMatchObject({ killedLate: true, signal: 'SIGKILL', maxRssMb: undefined });
  });

  const states = ['unset', 'missing', 'directory', 'read-only', 'full'] as const;
  it.each(states.filter((state) => state !== 'full' || process.platform === 'linux'))(
    'offers a file that is %s',
    async (state) => {
      const { ended } = runScript(
        `
      const path = process.env.GITHUB_OUTPUT;
      try {
        if (path === undefined) console.log('unset');
        else writeFileSync(path, 'a=1', { flag: 'r+' });
      } catch (error) {
        console.log(error.code);
      }`,
        { outputFile: state },
      );
      const result = await ended;
      const codes = {
        unset: 'unset',
        missing: 'ENOENT',
        directory: 'EISDIR',
        'read-only': '',
        full: 'ENOSPC',
      };
      expect(result.stdout).toMatch(codes[state] || /EISDIR|EACCES|EPERM/);
      expect(result.outputs).toEqual({});
    },
  );

  it('writes files and the event for the run', async () => {
    const { ended } = runScript(
      `
      import { readFileSync } from 'node:fs';
      console.log(readFileSync('docs/prompt.txt', 'utf8'), readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));
      console.log(process.env.GITHUB_EVENT_NAME);`,
      {
        files: { 'docs/prompt.txt': 'Write.' },
        event: { name: 'release', payload: { action: 'published' } },
      },
    );
    expect((await ended).stdout).toBe('Write. {"action":"published"}\nrelease\n');
  });

  it('decides what host names mean', async () => {
    const { ended } = runScript(
      `
      import dns, { lookup } from 'node:dns';
      import { promisify } from 'node:util';
      console.log(await promisify(lookup)('api.example.test'));
      console.log(await new Promise((resolve) => dns.lookup('api.example.test', { all: true }, (_, all) => resolve(all[0]))));
      http.get('http://gone.test').on('error', ({ code, message }) => console.log(code, message));`,
      { hosts: { 'api.example.test': '127.0.0.9', 'gone.test': 'ENOTFOUND' } },
    );
    expect((await ended).stdout).toBe(
      "127.0.0.9\n{ address: '127.0.0.9', family: 4 }\nENOTFOUND getaddrinfo ENOTFOUND gone.test\n",
    );
  });
});

describe('expectInvariants', () => {
  const check = async (script: string, expectations = {}): Promise<void> => {
    const result = await runScript(script).ended;
    expectInvariants(result, {
      key,
      creates: 1,
      jobs: 1,
      definition: join(folder, 'action.yml'),
      ...expectations,
    });
  };

  it.each([
    ['a run that passes', verdict('started', '', `::add-mask::${key}`, '::notice::started')],
    ['a run that fails', verdict('failed', 'job-failed', '::error::The job failed')],
    ['a run that was cancelled', verdict('cancelled', 'cancelled')],
  ])('accepts %s', async (_title, script) => {
    await check(script);
  });

  it.each([
    ['two jobs', verdict('started', ''), 'jobs made', { jobs: 2 }],
    ['a lost output', "console.log('hello')", 'outputs written', {}],
    [
      'success with an error code',
      `${verdict('started', 'internal')} process.exitCode = 0;`,
      'error-code',
      {},
    ],
    ['success with a failing outcome', verdict('failed', ''), 'outcomes with exit code 0', {}],
    ['failure without an annotation', verdict('failed', 'job-failed'), 'error annotations', {}],
    ['two annotations', verdict('failed', 'job-failed', '::error::a', '##[error]b'), 'not ours', {}],
    ['a untrusted command', verdict('started', '', '::set-output name=a::b'), 'not ours', {}],
    ['a crash', `${verdict('started', '')} throw new Error('x');`, 'crash print', {}],
    ['the key', verdict('started', '', `Bearer ${key}`), 'forms of the key in stdout', {}],
    [
      'a second mask',
      verdict('started', '', `::add-mask::${key}`, `::add-mask::${key}`),
      'masks of the key',
      {},
    ],
    ['a long run', verdict('started', ''), 'duration', { withinMs: 1 }],
  ])('refuses %s', async (_title, script, message, expectations) => {
    await expect(check(script, expectations)).rejects.toThrow(message);
  });
});

describe('findSecret', () => {
  it.each([
    ['raw', key, ['raw', 'URL-encoded']],
    ['URL-encoded', `a${encodeURIComponent(key).replace('_', '%5f')}b`, ['URL-encoded']],
    ['base64', btoa(key), ['base64']],
    ['base64 of the header', btoa(`Bearer ${key}`), ['base64']],
    ['base64 in the midst of others', btoa(`ab${key}xyz`), ['base64']],
    ['base64url', Buffer.from(`??~${key}`).toString('base64url'), ['base64']],
    ['another secret', btoa(key.toUpperCase()), []],
  ])('%s', (_title, text, forms) => {
    expect(findSecret(text, key)).toEqual(forms);
  });
});
