import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ActionOptions, ActionResult } from '../helpers/action.ts';
import { actionPlatform, type FileState } from '../helpers/action-environment.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import {
  connectProxy,
  faults,
  jobRecord,
  type Script,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import {
  begin,
  type Ending,
  jobId,
  key,
  link,
  lost,
  none,
  notStarted,
  opened,
  play,
  startUnknown,
  success,
} from './faults-scenario.ts';

const silence: Step = { fault: faults.silence };

/** Only Linux has a device that is always full. */
const isPossible = (state: FileState): boolean => state !== 'full' || actionPlatform === 'linux';
const states: FileState[] = (['unset', 'missing', 'directory', 'read-only', 'full'] as const).filter(
  isPossible,
);

describe.concurrent('outputs that cannot be written', () => {
  it.each(states)('the file is %s: nothing is sent', async (outputFile) => {
    const service = await scriptedService();
    const { action } = begin(service.url, { outputFile });
    const result = await action.ended;
    expectInvariants(result, { key, ...none, areOutputsWritten: false });
    expect(result.exitCode).toBe(1);
    expect(result.annotations.errors[0]).toMatch(/outputs can't be written[\s\S]*GITHUB_OUTPUT/);
    expect(result.summary).toContain('## ❌ Documentation job not started');
    expect(service.connections).toBe(0);
  });
});

describe.concurrent('a summary that cannot be written', () => {
  it.each(states)('the file is %s: a warning only', async (summaryFile) => {
    const { result } = await play({ get: [opened] }, success, { summaryFile });
    expect(result.annotations.warnings).toEqual([expect.stringContaining("Couldn't write the job summary")]);
  });
});

describe.concurrent('invalid inputs', () => {
  const invalid = notStarted('invalid-input');
  const secret = 'hunter2-hunter2-hunter2';

  /** Each of these values is wrong, and an error has to name every one of them. */
  const wrong: Record<string, string>[] = [
    { 'api-key': ' \t', prompt: ' \n\t ', 'project-id': '../admin', 'timeout-minutes': '0' },
    { 'api-key': `mint_${secret}\n${secret}`, 'job-id': '../../admin', 'project-id': '%2e%2e' },
    { 'api-key': `mint_${secret}\r::error::x`, 'job-id': '..', 'project-id': 'docs?x=1' },
    { 'api-key': `Bearer mint_${secret}`, 'job-id': 'job_1\n::error::x', wait: 'yes' },
    { 'api-key': `"mint_${secret}"`, 'base-url': 'http://api.example.test', 'timeout-minutes': '30m' },
    { 'api-key': 'mint_hunter2', 'base-url': 'http://127.0.0.1.example.test', 'release-tag': 'v1.0.0' },
    // A token of GitHub, and keys of other kinds, at any address.
    { 'api-key': `ghs_${secret}`, 'base-url': `https://me:${secret}@127.0.0.1` },
    { 'api-key': `ghp_${secret}`, 'base-url': `https://127.0.0.1/?key=${secret}` },
    { 'api-key': `github_pat_${secret}`, 'base-url': 'file:///etc/passwd' },
    { 'api-key': `mint_dsc_${secret}`, 'base-url': secret },
    { 'api-key': `mint_us_${secret}` },
    // Key and project swapped.
    { 'api-key': 'docs', 'project-id': 'mint_hunter2hunter2hunter2' },
    { 'project-id': 'mint_hunter2hunter2hunter2' },
  ];

  const misspelled = (name: string, meant: string): string =>
    `${name}\` is not an input of this action: did you mean \`${meant}`;

  it.each<[Record<string, string>, string[]]>([
    ...wrong.map((inputs): [Record<string, string>, string[]] => [inputs, Object.keys(inputs)]),
    [{ 'api-key': `mint_dsc_${secret}`, 'base-url': '' }, ['api-key']],
    [{ prompt: '', 'prompt-file': '.' }, ['prompt-file']],
    [{ prompt: '', 'prompt-file': '../prompt.txt' }, ['prompt-file']],
    [{ dryrun: 'true', promt: secret }, [misspelled('dryrun', 'dry-run'), misspelled('promt', 'prompt')]],
    [
      { dry_run: 'true', api_key: secret },
      [misspelled('dry_run', 'dry-run'), misspelled('api_key', 'api-key')],
    ],
    [{ 'timeout-minute': '5' }, [misspelled('timeout-minute', 'timeout-minutes')]],
    [{ basurl: 'https://example.test' }, [misspelled('basurl', 'base-url')]],
  ])('%j', async (inputs, names) => {
    const proxy = await connectProxy('tunnel', 9);
    const { service, result } = await play({}, invalid, { inputs, env: { HTTPS_PROXY: proxy.url } });
    // A problem begins with the name of its input.
    for (const name of names) {
      expect(`\n${result.annotations.errors[0]}`).toContain(`\n\`${name}\``);
      expect(result.summary).toContain(`\`${name}\``);
    }
    expect(`${result.stdout}${result.summary}${result.outputText}`).not.toContain('hunter2');
    expect([service.connections, proxy.connects.length]).toEqual([0, 0]);
  });
});

describe.concurrent('an input that is easy to get wrong', () => {
  it('a name like no other: one line in the log, and the job is started', async () => {
    const { result } = await play({ get: [opened] }, success, { inputs: { verbosity: 'high' } });
    expect(result.stdout.match(/ {2}`verbosity` is not an input of this action/g)).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a file that is a directory', { prompt: '', 'prompt-file': '.' }, '`prompt-file` is a directory'],
    ['an undefined variable', { 'project-id': '' }, 'check that the variable is defined for this repository'],
  ])('%s is called so', async (_title, inputs, reason) => {
    const { result } = await play({}, notStarted('invalid-input'), { inputs });
    expect(result.annotations.errors[0]).toContain(reason);
  });

  it('a base-url with the version: the log shows it, and the error says so', async () => {
    const service = await scriptedService({ create: [{ status: 404, body: { error: 'not found' } }] });
    const result = await begin(`${service.url}/api/v2/`).end(service, notStarted('not-found', 1));
    expect(result.stdout).toContain(`in project docs-project at ${service.url}/api/v2\n`);
    expect(result.annotations.errors[0]).toContain('`base-url` ends in `/v2`');
  });

  it.each(['', 'false'])('the id of a job that does not exist (wait: %s)', async (wait) => {
    const get = [{ status: 404, body: { error: 'no such job' } }];
    const inputs = { prompt: '', 'job-id': jobId, wait };
    const { result } = await play({ get }, { ...lost, ...none }, { inputs });
    expect(result.annotations.errors[0]).toContain('was not found in this project');
    expect(`${result.stdout}${result.summary}`).not.toMatch(/may still|anymore|Lost track/);
  });
});

describe.concurrent('the API key in another input', () => {
  const spread = Buffer.from(key).toString('hex').replace(/../g, '%$&');

  it.each(['prompt', 'project-id', 'job-id', 'base-url', 'release-tag', 'paths', 'github-token'])(
    '%s: it is not quoted, sent or logged',
    async (name) => {
      const proxy = await connectProxy('tunnel', 9);
      const forms = { plain: key, within: `x-${key}-x`, base64: btoa(`me:${key}`), percent: spread };
      for (const form of Object.values(forms)) {
        const inputs = { [name]: name === 'base-url' ? `https://127.0.0.1:9/${form}` : form };
        const env = { HTTPS_PROXY: proxy.url };
        const { service, result } = await play({}, notStarted('invalid-input'), { inputs, env });
        expect(result.annotations.errors[0]).toContain(`\`${name}\` `);
        expect([service.connections, proxy.connects.length]).toEqual([0, 0]);
      }
    },
  );
});

describe.concurrent('prompts of every kind', () => {
  const withFile = (content: string | Buffer): ActionOptions => ({
    inputs: { prompt: '', 'prompt-file': 'docs/prompt.txt' },
    files: { 'docs/prompt.txt': content },
  });

  /** The prompt that the service has seen, read as strict UTF-8. */
  async function send(options: ActionOptions): Promise<{ prompt: string; result: ActionResult }> {
    const { service, result } = await play({ get: [opened] }, success, options);
    const [create] = service.seen('create');
    expect(create?.headers['content-length']).toBe(String(create?.body.length));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(create?.body);
    return { prompt: (JSON.parse(text) as { prompt: string }).prompt, result };
  }

  it('1 MiB from a file, to the last byte', async () => {
    const text = `${'Ünïcödé \u{1f600} "quoted" \\ \u0007\n'.repeat(40_000).slice(0, 600_000)}`;
    const whole = text + 'x'.repeat(1024 * 1024 - Buffer.byteLength(text));
    const { prompt, result } = await send(withFile(whole));
    expect(prompt).toBe(whole);
    expect(result.maxRssMb).toBeLessThan(300);
    expect(result.stdout.length).toBeLessThan(100_000);
  });

  it.each([
    ['emoji', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f1e9}\u{1f1ea} \u{10ffff}'],
    ['right-to-left', '\u202eabc\u202c עברית'],
    ['line ends', 'a\r\nb\rc\u2028d'],
    ['escapes', '\\u0041 \\n "\' </script> \u0001 \u007f'],
    ['names of JavaScript', '__proto__'],
  ])('%s', async (_title, text) => {
    expect((await send({ inputs: { prompt: text } })).prompt).toBe(text);
  });

  it('a byte order mark and white space around it are no part of it', async () => {
    expect((await send(withFile('\ufeff\n  Write.\r\n'))).prompt).toBe('Write.');
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['one byte more than 1 MiB', 'x'.repeat(1024 * 1024 + 1), /larger than 1 MiB/],
    ['a lone surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80]), /not UTF-8/],
    ['Latin-1', Buffer.from('Größe', 'latin1'), /not UTF-8/],
    ['UTF-16', Buffer.from('\ufeffWrite.', 'utf16le'), /not UTF-8/],
    ['a NUL', 'a\0b', /NUL/],
    ['nothing', '', /empty/],
    ['the API key', `Use ${key} for it.`, /`prompt-file` holds the API key/],
  ])('%s in a file: nothing is sent', async (_title, content, reason) => {
    const { service, result } = await play({}, notStarted('invalid-input'), withFile(content));
    expect(result.annotations.errors[0]).toMatch(reason);
    expect(service.connections).toBe(0);
  });

  it('a lone surrogate in the input, which the environment turns into U+FFFD', async () => {
    expect((await send({ inputs: { prompt: 'a\ud800b' } })).prompt).toBe('a\ufffdb');
  });

  it('the longest texts that the summary can hold', async () => {
    const prompt = `${'\u200b'.repeat(499)}\n`.repeat(9);
    const prLink = `https://github.com/${'_'.repeat(2_000)}`;
    const create = [{ body: jobRecord({ status: '\u200b'.repeat(256) }) }];
    const get = Array.from({ length: 12 }, (_, index) => ({
      body: jobRecord({ status: `${index}${'\u200b'.repeat(255)}` }),
    }));
    const final = { body: jobRecord({ status: 'completed', prLink, model: '_'.repeat(200) }) };
    const { result } = await play({ create, get: [...get, final] }, success, { inputs: { prompt } });
    expect(result.outputs['pr-link']).toBe(prLink);
  });
});

describe.concurrent('an error inside the process', () => {
  const nasty = 'x\r::set-output name=status::completed\n##[add-mask]completed ::stop-commands::t';
  const inside = fileURLToPath(new URL('./faults-inside.cjs', import.meta.url));

  function toOptions(kind: string): ActionOptions {
    return { preload: [inside], env: { INSIDE: kind, INSIDE_MESSAGE: `${nasty} ${key}` } };
  }

  const sanitized = /: :set-output.*# #\[add-mask\]completed.*\*\*\*/;
  const crashed = { ...lost, code: 'internal' };

  const busy = { status: 429, headers: { 'retry-after': '1' }, body: { error: 'busy' } };
  const unknown = { ...startUnknown, code: 'internal' };
  const creating = { create: [silence] };
  const waiting = { get: [silence] };
  const noResult = /stopped without a result/;

  it.each<[string, string, Script, Ending, RegExp]>([
    ['throw while the create is under way', 'throw:1:10000', creating, unknown, sanitized],
    ['reject while the create is under way', 'reject:1:10000', creating, unknown, sanitized],
    ['throw while the job is waited for', 'throw:2', waiting, crashed, sanitized],
    ['reject while the job is waited for', 'reject:2', waiting, crashed, sanitized],
    ['throw of something odd', 'throw-odd:2', waiting, crashed, /./],
    ['reject with something odd', 'reject-odd:2', waiting, crashed, /./],
    ['a sleep that never settles', 'no-sleep', {}, crashed, noResult],
    ['a pause that never settles', 'no-sleep', { create: [busy] }, { ...unknown, jobs: 0 }, /./],
  ])('%s', async (_title, kind, script, ending, reason) => {
    const service = await scriptedService(script);
    const url = service.url.replace('127.0.0.1', 'localhost');
    const result = await begin(url, toOptions(kind)).end(service, ending);
    expect(result.annotations.errors[0]).toMatch(reason);
    expect(result.outputs['job-id']).toBe(ending === crashed ? jobId : '');
  });

  it.each(['throw', 'reject'])('%s after the outcome is written: the outcome stands', async (kind) => {
    const { result } = await play({ get: [opened] }, success, toOptions(`${kind}:outcome`));
    expect(result.stdout).toContain('thrown after the outcome');
    expect(result.annotations.notices.at(-1)).toContain(link);
  });

  it('an output that throws', async () => {
    const service = await scriptedService({ get: [opened] });
    const result = await begin(service.url, toOptions('bad-append')).action.ended;
    expectInvariants(result, { key, creates: service.creates, jobs: service.jobs, areOutputsWritten: false });
    expect(result.exitCode).toBe(1);
    expect(result.annotations.errors[0]).toMatch(sanitized);
    expect(service.connections).toBe(0);
  });
});
