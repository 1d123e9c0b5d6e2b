import { expect, it } from 'vitest';
import { connectProxy } from '../helpers/servers.ts';
import { notStarted, play } from './scenario.ts';

const secret = 'hunter2-hunter2-hunter2';
const lines = `mint_${secret}\r::error::${secret}`;
const address = `https://me:${secret}@127.0.0.1/?key=${secret}`;

// unit/inputs/ shows the error for each value, unknown inputs, and the key in each input.
it.concurrent.each<[string, Record<string, string>, string[]?]>([
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
  ['the job id', { 'job-id': 'Bearer mint_hunter2hunter2hunter2' }],
])(
  'an invalid input is named without its value next to a key that is or has %s',
  async (...row) => {
    const [, inputs, masks] = row;
    const proxy = await connectProxy('tunnel', 9);
    const env = { HTTPS_PROXY: proxy.url };
    const { service, result } = await play({}, notStarted('invalid-input'), { inputs, env });
    // Nothing is sent, not even to a proxy.
    expect([service.connections, proxy.connects.length]).toEqual([0, 0]);
    for (const name of Object.keys(inputs)) {
      expect(result.stdout).toContain(`\`${name}\``);
      expect(result.summary).toContain(`\`${name}\``);
    }
    const log = result.stdout.replace(/^::add-mask::.*/gm, '');
    expect(`${log}${result.summary}${result.outputText}`).not.toContain('hunter2');
    const masked = result.commands.flatMap(({ name, data }) => (name === 'add-mask' ? [data] : []));
    expect(masked).toEqual(masks ?? masked);
  },
);
