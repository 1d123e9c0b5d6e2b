import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { INPUT_NAMES, readInputs } from '../../src/inputs/read-inputs.ts';
import { toPlainText } from '../../src/text/message.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { forAll } from './for-all.ts';
import { hostileText } from './parameters.ts';

/** The length of the shortest piece of a key that is redacted. */
const PIECE_LENGTH = 8;

const key = fc.stringMatching(/^mint_[A-Za-z0-9.~+/-]{11,80}={0,2}$/);

const valid: Readonly<Record<string, readonly string[]>> = {
  prompt: ['Write it.', '::error::x\n##[debug]y'],
  'prompt-file': ['prompt.md', '../outside', '.', '/etc/passwd'],
  'project-id': ['docs', '..', 'a/b'],
  'base-url': [
    'https://api.example.com',
    'http://127.0.0.1:8080/a',
    'https://u:p@x',
    'http://example.com',
  ],
  'job-id': ['job_1', '..'],
  wait: ['true', 'false', 'yes'],
  'timeout-minutes': ['30', '0.5', '0', '361', '1e3', '0x10'],
  'poll-interval-seconds': ['10', '1', '300', '0.5', '301'],
  'dry-run': ['true', 'false'],
};

/** Each input: absent, valid, invalid, hostile, or with the key in it. */
const values = INPUT_NAMES.filter((name) => name !== 'api-key').map((name) => [
  name,
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('', ...(valid[name] ?? [])) },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: fc.tuple(hostileText, hostileText) },
  ),
]);
const given = fc.record<Record<string, string | [string, string]>>(Object.fromEntries(values), {
  requiredKeys: [],
});

describe('readInputs', () => {
  const workspace = temporaryFolder('workspace');
  beforeAll(() => writeFileSync(join(workspace, 'prompt.md'), 'Write it.'));

  forAll(
    'returns inputs in range or problems without a piece of the key, for any environment',
    [fc.option(key, { freq: 6 }), given],
    (secret, texts) => {
      const env: Record<string, string> = {
        GITHUB_WORKSPACE: workspace,
        'INPUT_API-KEY': secret ?? '',
      };
      for (const [name, text = ''] of Object.entries(texts)) {
        const value = typeof text === 'string' ? text : text.join(secret ?? '');
        env[`INPUT_${name.toUpperCase()}`] = value.replaceAll('\0', '').toWellFormed();
      }
      try {
        const inputs = readInputs(env, { eventTag: 'v1.2.3', isWithoutSecrets: false });
        expect(inputs.timeoutMs).toBeGreaterThan(0);
        expect(inputs.timeoutMs).toBeLessThanOrEqual(21_600_000);
        expect(inputs.pollIntervalMs).toBeGreaterThanOrEqual(1_000);
        expect(inputs.pollIntervalMs).toBeLessThanOrEqual(300_000);
        expect(inputs.apiKey).toBe(secret);
        expect(inputs.baseUrl.href).toMatch(/^https:|^http:\/\/(?:localhost|127\.|\[::1\])/);
        expect(JSON.stringify({ ...inputs, apiKey: '' })).not.toContain(secret);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        expect(error.problems.length).toBeGreaterThan(0);
        const lines = error.problems.map(toPlainText);
        expect(lines.filter((line) => !/^`[^`]*` \S.*[.?]$/.test(line))).toEqual([]);
        if (secret === null) return;
        const shown = createRedactor(secret)(lines.join('\n'));
        expect(shown).not.toContain(secret.slice(-PIECE_LENGTH));
        expect(shown).not.toContain(secret.slice(1, PIECE_LENGTH + 1));
      }
    },
  );
});
