import { describe, expect, it } from 'vitest';
import type { ActionOptions } from '../../harness/action.ts';
import { actionPlatform, type FileState } from '../../harness/action-environment.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { connectProxy, scriptedService } from '../helpers/servers.ts';
import { begin, key, none, notStarted, play } from './scenario.ts';

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
    expect(result.summary).toContain('## ❌ Rehearsal: Outputs unwritable, no job started');
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

  /**
   * Expects a problem, which begins with the name of its input, for each of these. Returns what the
   * run masked.
   */
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
    expect(await expectRefused(inputs, Object.keys(inputs))).toEqual([
      `"mint_${secret}"`,
      `ghs ${secret}`,
    ]);
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
      {
        'api-key': `mint_${secret}\r::error::${secret}`,
        'job-id': 'job_1\n::error::x',
        wait: 'yes',
      },
    ],
    ['the project id', { 'api-key': 'docs', 'project-id': 'mint_hunter2hunter2hunter2' }],
  ])('is named without its value next to a key that is or contains %s', async (_title, inputs) => {
    await expectRefused(inputs, Object.keys(inputs));
  });

  it('says that a run for Dependabot gets no secrets', async () => {
    const options = { inputs: { 'api-key': '' }, env: { GITHUB_ACTOR: 'dependabot[bot]' } };
    const { result } = await play({}, notStarted('invalid-input'), options);
    expect(result.annotations.errors[0]).toContain('get no Actions secrets');
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
    for (const name of Object.keys(inputs))
      expect(error).toContain(`\`${name}\` contains an API key`);
  });
});
