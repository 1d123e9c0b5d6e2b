import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getInput as getToolkitInput } from '@actions/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getInput } from '../../src/inputs/read-inputs.ts';
import { setOutputs } from '../../src/runner/commands.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { escapeMarkdown, sanitize, sanitizeLink } from '../../src/text/sanitize.ts';
import { findSecret } from '../helpers/invariants.ts';
import { parseOutputFile } from '../helpers/output-file.ts';
import { parseCommands } from '../helpers/runner-commands.ts';
import { type MarkdownNode, parseMarkdown } from './markdown.ts';
import { hostileText, parameters } from './parameters.ts';

/** The nodes at the end of the only way down, or the nodes where it forks. */
function descend(node: MarkdownNode): readonly MarkdownNode[] {
  const children = node.children ?? [];
  const [only] = children;
  return children.length === 1 && only !== undefined && only.children !== undefined
    ? descend(only)
    : children;
}

describe('sanitize', () => {
  it('leaves no command that the runner would find', () => {
    const prefix = fc.constantFrom('', ' ', '\t ', 'text ', '12 s  ', '\u00a0');
    fc.assert(
      fc.property(hostileText, prefix, fc.integer({ min: 1, max: 80 }), (text, start, limit) => {
        const line = `${start}${sanitize(text, limit)}\n`;
        const { commands, plainLines } = parseCommands(line);
        expect(commands).toEqual([]);
        expect(plainLines.filter((plain) => plain !== '').length).toBeLessThanOrEqual(1);
      }),
      parameters,
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 80 }), (text, limit) => {
        const once = sanitize(text, limit);
        expect(sanitize(once, limit)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(limit);
        expect(once.isWellFormed()).toBe(true);
      }),
      parameters,
    );
  });
});

describe('escapeMarkdown', () => {
  const places: [string, (text: string) => string][] = [
    ['a paragraph', (text) => text],
    ['a heading', (text) => `## ${text}`],
    ['a list item', (text) => `- ${text}`],
    ['a link', (text) => `[${text}](https://x.example)`],
    ['bold', (text) => `**x${text}x**`],
    ['a table cell', (text) => `| ${text} |\n|---|`],
  ];

  it.each(places)('makes one text node in %s', (name, place) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const escaped = escapeMarkdown(text);
        if (escaped === '') {
          return;
        }
        const nodes = descend(parseMarkdown(place(escaped)));
        const expected = sanitize(text).replace(/ +/g, ' ').trim();
        expect(nodes.map(({ type }) => type)).toEqual(['text']);
        expect(nodes[0]?.value?.replaceAll('\u2060', '')).toBe(name === 'bold' ? `x${expected}x` : expected);
      }),
      parameters,
    );
  });
});

describe('sanitizeLink', () => {
  const candidate = fc.oneof(
    hostileText,
    hostileText.map((text) => `https://github.com/acme/docs/pull/1${text}`),
    hostileText.map((text) => `https://${text}/acme`),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.webUrl({ validSchemes: ['https'], withQueryParameters: true, withFragments: true }),
  );

  it('gives a link that parses to itself and acts on nothing', () => {
    fc.assert(
      fc.property(candidate, (text) => {
        const link = sanitizeLink(text);
        if (link === undefined) {
          return;
        }
        expect(sanitizeLink(link)).toBe(link);
        expect(new URL(link).href).toBe(link);
        expect(link).toMatch(/^https:\/\/[^\s<>"'`()[\]{}|\\^$;*!\p{C}]+$/u);
        const [node] = descend(parseMarkdown(`[x](${link})`));
        expect(node).toMatchObject({ type: 'text', value: 'x' });
        expect(parseMarkdown(`[x](${link})`).children?.[0]?.children?.[0]).toMatchObject({
          type: 'link',
          url: link,
        });
      }),
      parameters,
    );
  });
});

describe('createRedactor', () => {
  const key = fc.stringMatching(/^mint_[A-Za-z0-9._~+/-]{11,40}={0,2}$/);

  it('leaves no form of the key, wherever it stands', () => {
    const encoders: ((text: string) => string)[] = [
      (text) => text,
      encodeURIComponent,
      (text) => Buffer.from(text).toString('base64'),
      (text) => Buffer.from(text).toString('base64url'),
      (text) => Buffer.from(text).toString('hex'),
    ];
    fc.assert(
      fc.property(
        key,
        fc.array(fc.tuple(hostileText, fc.constantFrom(...encoders), hostileText, fc.boolean()), {
          minLength: 1,
          maxLength: 4,
        }),
        (secret, parts) => {
          const text = parts
            .map(([before, encode, after, isInside]) =>
              isInside
                ? encode(`${before.toWellFormed()}${secret}${after.toWellFormed()}`)
                : `${before}${encode(secret)}${after}`,
            )
            .join(' ');
          const redacted = createRedactor(secret)(text);
          expect(findSecret(redacted, secret)).toEqual([]);
          expect(findSecret(sanitize(redacted, 300), secret)).toEqual([]);
        },
      ),
      parameters,
    );
  });
});

describe('getInput', () => {
  it('reads what the toolkit reads', () => {
    const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z -]{0,12}$/);
    fc.assert(
      fc.property(name, hostileText, (input, text) => {
        const value = text.replaceAll('\0', '').toWellFormed();
        vi.stubEnv(`INPUT_${input.replaceAll(' ', '_').toUpperCase()}`, value);
        expect(getInput(process.env, input) ?? '').toBe(getToolkitInput(input));
        vi.unstubAllEnvs();
      }),
      parameters,
    );
  });
});

describe('outputs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  const file = join(folder, 'output');
  beforeAll(() => {
    vi.stubEnv('GITHUB_OUTPUT', file);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('round-trip through the file, whatever they hold', () => {
    const values = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,12}$/), hostileText, { maxKeys: 4 });
    fc.assert(
      fc.property(values, (outputs) => {
        writeFileSync(file, '');
        const given = Object.fromEntries(
          Object.entries(outputs).map(([name, text]) => [name, text.toWellFormed()]),
        );
        setOutputs(given);
        const read = parseOutputFile(readFileSync(file, 'utf8'));
        // The runner reads every line end as one.
        const normal = (text: string): string => text.replace(/\r\n|\r/g, '\n');
        const lines = (record: Record<string, string>) =>
          Object.fromEntries(Object.entries(record).map(([name, text]) => [name, normal(text)]));
        expect(lines(read)).toEqual(lines(given));
      }),
      parameters,
    );
  });
});
