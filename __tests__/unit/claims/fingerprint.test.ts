import { describe, expect, it } from 'vitest';
import { getFingerprint } from '../../../src/claims/fingerprint.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import { createInputs } from '../fixtures.ts';

describe('the fingerprint', () => {
  const identify = (changes: Parameters<typeof createInputs>[0]): string =>
    getFingerprint(createInputs(changes));
  const prompt = (text: string) => ({ request: { kind: 'create', prompt: text } }) as const;

  it('never changes for the same inputs, so that a re-run with a newer version finds the job', () => {
    const paths = parsePaths('docs/**\n!docs/old/**');
    const changes = { tag: 'v1.2.0', changesSince: 'v1.1.0', paths };
    expect([identify({}), identify(changes)]).toEqual([
      '4415926a8b6d57c05c558f1bd2813894',
      '2d2c0072d3bc008d7af443960a5c6017',
    ]);
  });

  it('differs for another address, project, prompt, tag, paths, or start of the changes', () => {
    const changes = [
      {},
      { baseUrl: new URL('https://b.example') },
      { projectId: 'b' },
      prompt('b'),
      { tag: 'b' },
      { changesSince: 'b' },
      { paths: parsePaths('docs/**') },
      { paths: parsePaths('!docs/**\nsrc/**') },
    ];
    const all = changes.map(identify);
    expect(new Set(all).size).toBe(changes.length);
    expect(all.every((fingerprint) => /^[0-9a-f]{32}$/.test(fingerprint))).toBe(true);
  });

  it('is the same for other line ends', () => {
    const all = ['a\nb\n', 'a\r\nb\r\n', 'a\rb\r'].map((text) => identify(prompt(text)));
    expect(new Set(all).size).toBe(1);
  });
});
