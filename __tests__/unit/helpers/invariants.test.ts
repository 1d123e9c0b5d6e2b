import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../../harness/action-environment.ts';
import { type ActionResult, collectResult } from '../../../harness/action-result.ts';
import { expectInvariants, findPieces, findSecret } from '../../helpers/invariants.ts';

const key = 'mint_0123456789~abcdef';

/** What a run leaves that printed these lines and wrote all outputs. */
function createResult(outcome: string, errorCode: string, ...lines: string[]): ActionResult {
  const ended = {
    exitCode: errorCode === '' ? 0 : 1,
    signal: null,
    killedLate: false,
    spawnError: undefined,
    stdout: lines.join('\n'),
    stderr: '',
    exitedAtMs: 100,
    durationMs: 100,
  };
  const outputs: Record<string, string> = Object.fromEntries(
    Object.keys(readDefinition().outputs).map((name) => [name, '']),
  );
  Object.assign(outputs, { outcome, 'error-code': errorCode });
  const outputText = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  return { ...collectResult(ended, {}, ''), outputs, outputText: outputText.join('') };
}

// What it accepts, every end-to-end test shows.
describe('expectInvariants', () => {
  const expectations = { key, creates: 1, jobs: 1 };

  const mask = `::add-mask::${key}`;
  const started = createResult('started', '', mask);
  it.each<[string, ActionResult, string, Partial<typeof expectations> & { withinMs?: number }]>([
    ['two jobs', started, 'jobs made', { jobs: 2 }],
    ['seven creates', started, 'creates seen', { creates: 7 }],
    ['a process that had to be killed', { ...started, killedLate: true }, 'still running', {}],
    ['missing outputs', { ...started, outputText: 'outcome=started\n' }, 'outputs written', {}],
    ['success with an error code', { ...createResult('started', 'internal'), exitCode: 0 }, 'error-code', {}],
    ['success with a failing outcome', createResult('failed', ''), 'outcomes with exit code 0', {}],
    ['failure without an annotation', createResult('failed', 'job-failed'), 'error annotations', {}],
    ['two annotations', createResult('failed', 'job-failed', '::error::a', '##[error]b'), 'not ours', {}],
    ['an untrusted command', createResult('started', '', '::set-output name=a::b'), 'not ours', {}],
    ['a crash', { ...started, stderr: 'Error: x\n\nNode.js v20.19.0' }, 'crash print', {}],
    ['a long summary', { ...started, summary: 'x'.repeat(65_537) }, 'bytes of the summary', {}],
    ['a variable for later steps', { ...started, exportedVariables: { A: '1' } }, 'variables exported', {}],
    ['the key in the log', createResult('started', '', `Bearer ${key}`), 'forms of the key in log', {}],
    ['the key in the summary', { ...started, summary: btoa(key) }, 'forms of the key in summary', {}],
    ['a second mask', createResult('started', '', mask, mask), 'masks of the key', {}],
    ['a piece of the key', createResult('started', '', key.slice(3, 11)), 'pieces of the key in log', {}],
    ['a long run', started, 'duration', { withinMs: 1 }],
  ])('rejects %s', (_title, result, message, changes) => {
    expect(() => expectInvariants(result, { ...expectations, ...changes })).toThrow(message);
  });
});

describe('findPieces', () => {
  const [eight, nine] = [key.slice(4, 12), key.slice(4, 13)];

  it.each([
    ['eight characters', `a${eight}b`, true],
    ['seven characters', `a${key.slice(4, 11)}b`, false],
    ['percent-encoded', Buffer.from(eight).toString('hex').replace(/../g, '%$&'), true],
    ['hex', Buffer.from(eight).toString('hex').toUpperCase(), true],
    ['base64', btoa(nine), true],
    ['base64 behind one byte', btoa(`x${nine}`), true],
    ['base64url behind two bytes', Buffer.from(`??${nine}`).toString('base64url'), true],
    ['none', 'mint_98765432', false],
  ])('%s', (_title, text, isFound) => {
    expect(findPieces(text, key).length > 0).toBe(isFound);
  });
});

describe('findSecret', () => {
  it.each([
    ['raw', key, ['raw', 'URL-encoded']],
    ['URL-encoded', `a${encodeURIComponent(key).replace('_', '%5f')}b`, ['URL-encoded']],
    ['base64', btoa(key), ['base64']],
    ['base64 of the header', btoa(`Bearer ${key}`), ['base64']],
    ['base64 among other text', btoa(`ab${key}xyz`), ['base64']],
    ['base64url', Buffer.from(`??~${key}`).toString('base64url'), ['base64']],
    ['another secret', btoa(key.toUpperCase()), []],
  ])('%s', (_title, text, forms) => {
    expect(findSecret(text, key)).toEqual(forms);
  });
});
