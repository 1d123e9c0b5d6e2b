import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ActionOptions, ActionResult } from '../../harness/action.ts';
import { actionPlatform, type FileState } from '../../harness/action-environment.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { connectProxy, faults, type Script, scriptedService } from '../helpers/servers.ts';
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
} from './scenario.ts';

// unit/runner/commands.test.ts shows no file, a missing file, and a directory.
const states: FileState[] = ['read-only'];
/** Only Linux has a device that is always full. */
if (actionPlatform === 'linux') states.push('full');

describe.concurrent('an output file', () => {
  it.each(states)('that is %s prevents any request', async (outputFile) => {
    const service = await scriptedService();
    const result = await begin(service.url, { outputFile }).action.ended;
    expectInvariants(result, { key, ...none, areOutputsWritten: false });
    expect(result.exitCode).toBe(1);
    expect(result.annotations.errors[0]).toMatch(/outputs can't be written[\s\S]*GITHUB_OUTPUT/);
    expect(result.summary).toContain('## ❌ Outputs unwritable, no job started');
    expect(service.connections).toBe(0);
  });
});

/** Plays a run with invalid inputs, which sends nothing, not even to a proxy. */
async function refuse(options: ActionOptions) {
  const proxy = await connectProxy('tunnel', 9);
  const env = { HTTPS_PROXY: proxy.url };
  const { service, result } = await play({}, notStarted('invalid-input'), { ...options, env });
  expect([service.connections, proxy.connects.length]).toEqual([0, 0]);
  return { result, error: result.annotations.errors[0] };
}

// unit/inputs/ shows the error for each value.
describe.concurrent('an invalid input', () => {
  const secret = 'hunter2-hunter2-hunter2';

  /** Expects a problem, which begins with the name of its input, for each of these. Returns what the run masked. */
  async function expectRefused(inputs: Record<string, string>, names: string[]): Promise<string[]> {
    const { error, result } = await refuse({ inputs });
    for (const name of names) {
      expect(`\n${error}`).toContain(`\n\`${name}\``);
      expect(result.summary).toContain(`\`${name}\``);
    }
    const log = result.stdout.replace(/^::add-mask::.*/gm, '');
    expect(`${log}${result.summary}${result.outputText}`).not.toContain('hunter2');
    return result.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
  }

  it('does not prevent masking of the key and the token', async () => {
    const inputs = { 'api-key': `"mint_${secret}"`, 'github-token': `ghs ${secret}`, wait: 'yes' };
    expect(await expectRefused(inputs, Object.keys(inputs))).toEqual([`"mint_${secret}"`, `ghs ${secret}`]);
  });

  it('that is too short for a key is not masked, because it may be an ordinary word in logs', async () => {
    expect(await expectRefused({ 'api-key': 'docs' }, ['api-key'])).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    [
      'a token of GitHub',
      { 'api-key': `ghp_${secret}`, 'base-url': `https://me:${secret}@127.0.0.1/?key=${secret}` },
    ],
    [
      'a line break',
      { 'api-key': `mint_${secret}\r::error::${secret}`, 'job-id': 'job_1\n::error::x', wait: 'yes' },
    ],
    ['the project id', { 'api-key': 'docs', 'project-id': 'mint_hunter2hunter2hunter2' }],
  ])('is named without its value next to a key that is or contains %s', async (_title, inputs) => {
    await expectRefused(inputs, Object.keys(inputs));
  });

  it('says that a run for Dependabot gets no secrets', async () => {
    const options = { inputs: { 'api-key': '' }, env: { GITHUB_ACTOR: 'dependabot[bot]' } };
    const { result } = await play({}, notStarted('invalid-input'), options);
    expect(result.annotations.errors[0]).toContain('get no secrets');
  });

  it('with a misspelled name is rejected, and the error suggests the right name', async () => {
    const inputs = { 'wait-for-job': 'true', promt: secret, api_key: secret, timeout: '5' };
    const meant = ['wait', 'prompt', 'api-key', 'timeout-minutes'];
    const starts = Object.keys(inputs).map(
      (name, index) => `${name}\` is not an input of this action: did you mean \`${meant[index]}`,
    );
    await expectRefused(inputs, starts);
  });
});

describe.concurrent('an input that users may get wrong', () => {
  // unit/report/messages.test.ts shows it with a wait.
  it('ends the run as lost if the job id does not exist', async () => {
    const get = [{ status: 404, body: { error: 'no such job' } }];
    const inputs = { prompt: '', 'job-id': jobId, wait: 'false' };
    const { result } = await play({ get }, { ...lost, ...none }, { inputs });
    expect(result.annotations.errors[0]).toContain('was not found in this project');
    expect(`${result.stdout}${result.summary}`).not.toMatch(/may still|anymore|Lost track/);
  });
});

describe.concurrent('the API key', () => {
  // property/text.test.ts shows every other form.
  it('is found in base64 in every other input, and never sent or logged', async () => {
    const form = btoa(`me:${key}`);
    const names = ['prompt', 'project-id', 'job-id', 'release-tag', 'paths', 'github-token'];
    const inputs = {
      ...Object.fromEntries(names.map((name) => [name, form])),
      'base-url': `https://127.0.0.1:9/${form}`,
      'prompt-file': 'docs/prompt.txt',
    };
    const files = { 'docs/prompt.txt': `Use ${form} for it.` };
    const { error, result } = await refuse({ inputs, files });
    expect(`${result.stdout}${result.summary}`.replace(/::add-mask::.*/g, '')).not.toContain(form);
    for (const name of Object.keys(inputs)) expect(error).toContain(`\`${name}\` contains an API key`);
  });
});

describe.concurrent('a prompt', () => {
  /** Returns the prompt that reached the service. Throws if it is not UTF-8. */
  async function send(options: ActionOptions): Promise<{ prompt: string; result: ActionResult }> {
    const { service, result } = await play({ get: [opened] }, success, options);
    const [create] = service.seen('create');
    expect(create?.headers['content-length']).toBe(String(create?.body.length));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(create?.body);
    return { prompt: (JSON.parse(text) as { prompt: string }).prompt, result };
  }

  it('of 1 MiB with characters of every kind is sent without its byte order mark and white space', async () => {
    const kinds = [
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f1e9}\u{1f1ea} \u{10ffff}',
      '\u202eabc\u202c עברית',
      'a\r\nb\rc\u2028d',
      '\\u0041 \\n "\' </script> \u0001 \u0007 \u007f',
      '__proto__\n',
    ];
    const text = kinds.join('\n').repeat(8_000);
    const [before, after] = ['\ufeff\n  ', '\r\n'];
    const whole = text + 'x'.repeat(1024 * 1024 - Buffer.byteLength(before + text + after));
    const { prompt, result } = await send({
      inputs: { prompt: '', 'prompt-file': 'docs/prompt.txt' },
      files: { 'docs/prompt.txt': before + whole + after },
    });
    expect(prompt).toBe(whole);
    expect(result.maxRssMb).toBeLessThan(300);
    expect(result.stdout.length).toBeLessThan(100_000);
  });
});

describe.concurrent('an error inside the process', () => {
  const nasty = 'x\r::set-output name=status::completed\n##[add-mask]completed ::stop-commands::t';
  const inside = fileURLToPath(new URL('./fault-inside.cjs', import.meta.url));
  const toOptions = (kind: string): ActionOptions => ({
    preload: [inside],
    env: { INSIDE: kind, INSIDE_MESSAGE: `${nasty} ${key}` },
  });

  const sanitized = /: :set-output.*# #\[add-mask\]completed.*\*\*\*/;
  const crashed = { ...lost, code: 'internal' };
  const busy = { status: 429, headers: { 'retry-after': '1' }, body: { error: 'busy' } };
  const unknown = { ...startUnknown, code: 'internal' };
  const creating = { create: [{ fault: faults.silence }] };
  const waiting = { get: [{ fault: faults.silence }] };

  it.each<[string, string, Script, Ending, RegExp]>([
    ['an error is thrown during the create', 'throw:1:10000', creating, unknown, sanitized],
    ['an error is thrown during the wait', 'throw:2', waiting, crashed, sanitized],
    ['a promise is rejected without an error', 'reject-odd:2', waiting, crashed, /./],
    ['a sleep never settles', 'no-sleep', {}, crashed, /stopped without a result/],
    ['a pause never settles', 'no-sleep', { create: [busy] }, notStarted('internal', 1), /./],
  ])('is reported when %s', async (_title, kind, script, ending, reason) => {
    const service = await scriptedService(script);
    const url = service.url.replace('127.0.0.1', 'localhost');
    const result = await begin(url, toOptions(kind)).end(service, ending);
    expect(result.annotations.errors[0]).toMatch(reason);
    expect(result.outputs['job-id']).toBe(ending === crashed ? jobId : '');
  });

  it('does not change an outcome that is already written', async () => {
    const { result } = await play({ get: [opened] }, success, toOptions('throw:outcome'));
    expect(result.stdout).toContain('thrown after the outcome');
    expect(result.annotations.notices.at(-1)).toContain(link);
  });

  it('is reported when the outputs cannot be written', async () => {
    const service = await scriptedService({ get: [opened] });
    const result = await begin(service.url, toOptions('bad-append')).action.ended;
    expectInvariants(result, { key, creates: service.creates, jobs: service.jobs, areOutputsWritten: false });
    expect(result.exitCode).toBe(1);
    expect(result.annotations.errors[0]).toMatch(sanitized);
    expect(service.connections).toBe(0);
  });
});
