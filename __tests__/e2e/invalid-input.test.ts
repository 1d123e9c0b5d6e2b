import { describe, expect, it } from 'vitest';
import { connectProxy } from '../helpers/servers.ts';
import { key, notStarted, play } from './scenario.ts';

// unit/inputs/ shows the error for each value.
describe.concurrent('an invalid input', () => {
  const secret = 'hunter2-hunter2-hunter2';

  /**
   * Plays a run with these inputs. Expects nothing to be sent, not even to a proxy, and an error
   * that names each input but shows no secret. Returns what the run showed, and what it masked.
   */
  async function expectRefused(inputs: Record<string, string>, files = {}) {
    const proxy = await connectProxy('tunnel', 9);
    const env = { HTTPS_PROXY: proxy.url };
    const ending = notStarted('invalid-input');
    const { service, result } = await play({}, ending, { inputs, files, env });
    expect([service.connections, proxy.connects.length]).toEqual([0, 0]);
    for (const name of Object.keys(inputs)) {
      expect(result.stdout).toContain(`\`${name}\``);
      expect(result.summary).toContain(`\`${name}\``);
    }
    const log = result.stdout.replace(/^::add-mask::.*/gm, '');
    const shown = `${log}${result.summary}${result.outputText}`;
    expect(shown).not.toContain('hunter2');
    const masks = result.commands.filter(({ name }) => name === 'add-mask');
    return { shown, masked: masks.map(({ data }) => data) };
  }

  const lines = `mint_${secret}\r::error::${secret}`;
  const address = `https://me:${secret}@127.0.0.1/?key=${secret}`;
  it.each<[string, Record<string, string>, string[]?]>([
    [
      'a quotation mark or a blank',
      { 'api-key': `"mint_${secret}"`, 'github-token': `ghs ${secret}`, wait: 'yes' },
      [`"mint_${secret}"`, `ghs ${secret}`],
    ],
    // It may be an ordinary word in logs.
    ['too few characters to mask it', { 'api-key': 'docs' }, []],
    ['a token of GitHub', { 'api-key': `ghp_${secret}`, 'base-url': address }],
    ['a line break', { 'api-key': lines, wait: 'yes' }],
    ['the project id', { 'api-key': 'docs', 'project-id': 'mint_hunter2hunter2hunter2' }],
  ])('is named without its value next to a key that is or has %s', async (_, inputs, masks) => {
    const { masked } = await expectRefused(inputs);
    expect(masked).toEqual(masks ?? masked);
  });

  it('that does not exist is named with its variable, because its meaning is unknown', async () => {
    const { shown } = await expectRefused({ 'dry-rn': 'true', tag: 'v1.0.0' });
    expect(shown).toContain('`INPUT_DRY-RN`');
    expect(shown).toContain('`INPUT_TAG`');
    expect(shown).toMatch(/The inputs are `prompt`, .*`dry-run`/);
  });

  // property/text.test.ts shows every other form.
  it('that contains the API key in base64 is never sent or logged', async () => {
    const form = btoa(`me:${key}`);
    const names = ['prompt', 'project-id', 'job-id', 'release-tag', 'paths', 'github-token'];
    const inputs = {
      ...Object.fromEntries(names.map((name) => [name, form])),
      'base-url': `https://127.0.0.1:9/${form}`,
      'prompt-file': 'docs/prompt.txt',
    };
    const files = { 'docs/prompt.txt': `Use ${form} for it.` };
    const { shown } = await expectRefused(inputs, files);
    expect(shown).not.toContain(form);
    for (const name of Object.keys(inputs)) {
      expect(shown).toContain(`\`${name}\` contains the API key`);
    }
  });
});
