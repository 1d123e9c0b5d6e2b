import { writeFileSync } from 'node:fs';
import { getInput as getToolkitInput } from '@actions/core';
import fc from 'fast-check';
import { describe, expect, vi } from 'vitest';
import { parseOutputFile } from '../../harness/output-file.ts';
import { parseCommands } from '../../harness/runner-commands.ts';
import { getInput, INPUT_NAMES } from '../../src/inputs/read-inputs.ts';
import { createRunner } from '../../src/runner/commands.ts';
import { parseJob } from '../../src/service/job.ts';
import { getLinkName, sanitizeLink } from '../../src/text/link.ts';
import { escapeMarkdown } from '../../src/text/markdown.ts';
import {
  code,
  link,
  type Message,
  message,
  toMarkdown,
  toPlainText,
} from '../../src/text/message.ts';
import { createRedactor, holdsSecret } from '../../src/text/redact.ts';
import { sanitize, showLines } from '../../src/text/sanitize.ts';
import { findPieces } from '../helpers/invariants.ts';
import { captureRunner } from '../unit/captured-runner.ts';
import { forAll } from './for-all.ts';
import { type MarkdownNode, parseMarkdown } from './markdown.ts';
import { hostileText, webAddress } from './parameters.ts';

/** Returns the first nodes with siblings or without children. */
function descend(node: MarkdownNode): readonly MarkdownNode[] {
  const children = node.children ?? [];
  const [only] = children;
  return children.length === 1 && only !== undefined && only.children !== undefined
    ? descend(only)
    : children;
}

describe('sanitize', () => {
  const prefix = fc.constantFrom('', ' ', '\t ', 'text ', '12 s  ', '\u00a0');
  forAll(
    'leaves no command that the runner would find',
    [hostileText, prefix, fc.integer({ min: 1, max: 80 })],
    (text, start, limit) => {
      const line = `${start}${sanitize(text, limit)}\n`;
      const { commands, plainLines } = parseCommands(line);
      expect(commands).toEqual([]);
      expect(plainLines.filter((plain) => plain !== '').length).toBeLessThanOrEqual(1);
    },
  );
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

  for (const [name, place] of places) {
    forAll(
      `renders only as text in ${name}, with each dollar sign in its own element`,
      [hostileText],
      (text) => {
        const escaped = escapeMarkdown(text);
        if (escaped.trim() === '') return;
        const expected = sanitize(text).replace(/ +/g, ' ');
        const shown = name === 'bold' ? `x${expected}x` : expected;
        expect(escaped.replaceAll('<span>$</span>', '').includes('$')).toBe(false);
        // Without the elements, it is one text node.
        const bare = descend(parseMarkdown(place(escaped.replaceAll('<span>$</span>', '§'))));
        expect(bare.map(({ type }) => type)).toEqual(['text']);
        expect(bare[0]?.value?.replaceAll('\u2060', '').trim()).toBe(
          shown.replaceAll('$', '§').trim(),
        );
        if (!shown.includes('$')) return;
        const nodes = descend(parseMarkdown(place(escaped))).filter(({ type }) => type !== 'text');
        const spans = Array(shown.split('$').length - 1)
          .fill(['<span>', '</span>'])
          .flat();
        expect(nodes).toMatchObject(spans.map((value) => ({ type: 'html', value })));
      },
    );
  }
});

describe('a message', () => {
  const part = fc.oneof(
    hostileText.map((text): Message => message`${text}`),
    hostileText.map(code),
    fc.constant(link('https://github.com/acme/docs/pull/1')),
  );
  forAll(
    'quotes text on one line without a command, and renders as text, code, and links',
    [part, part],
    (first, second) => {
      const whole = message`Said ${first} (${second}).`;
      const plain = toPlainText(whole);
      const bare = plain.replace(/(?<=\p{Extended_Pictographic})\ufe0f/gu, '');
      expect(bare).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(parseCommands(`${plain}\n`).commands).toEqual([]);
      const nodes = parseMarkdown(toMarkdown(whole, (text) => text)).children ?? [];
      expect(nodes.map(({ type }) => type)).toEqual(['paragraph']);
      for (const { type, value = '' } of nodes[0]?.children ?? []) {
        expect(['text', 'inlineCode', 'link', 'html']).toContain(type);
        expect(type === 'html' ? /^<\/?span>$/.test(value) : true).toBe(true);
      }
    },
  );
});

describe('sanitizeLink', () => {
  const candidate = fc.oneof(
    hostileText,
    hostileText.map((text) => `https://github.com/acme/docs/pull/1${text}`),
    hostileText.map((text) => `https://${text}/acme`),
    webAddress,
  );

  forAll('returns a canonical link without a special character of a shell', [candidate], (text) => {
    const clean = sanitizeLink(text);
    if (clean === undefined) return;
    expect(sanitizeLink(clean)).toBe(clean);
    const isHere = new URL(clean).origin === 'https://github.com';
    expect(isHere || getLinkName(clean, 'https://github.com') === clean).toBe(true);
    expect(new URL(clean).href).toBe(clean);
    expect(clean).toMatch(/^https:\/\/[A-Za-z0-9._-]+(?::\d+)?\/[A-Za-z0-9._~@+/-]*$/);
    const nodes = parseMarkdown(`[x](${clean})`).children?.[0]?.children;
    expect(nodes).toMatchObject([
      { type: 'link', url: clean, children: [{ type: 'text', value: 'x' }] },
    ]);
  });
});

describe('createRedactor', () => {
  const key = fc.stringMatching(/^mint_[A-Za-z0-9.~+/-]{11,40}={0,2}$/);
  const token = fc.stringMatching(/^(?:ghs_\w{36}|github_pat_\w{82}|mint_\d{16,30}|\d{16,20})$/);
  const anySecret = fc.oneof(key, token);
  const encode = fc.constantFrom<((text: string) => string)[]>(
    (text) => text,
    encodeURIComponent,
    ...(['base64', 'base64url'] as const).map(
      (form) => (text: string) => Buffer.from(text).toString(form),
    ),
  );
  const place = fc.record({
    before: hostileText,
    encode,
    after: hostileText,
    isInside: fc.boolean(),
  });

  forAll(
    'leaves no form of a secret and no plain piece in a text, wherever it is cut afterward',
    [anySecret, fc.array(place, { minLength: 1, maxLength: 4 }), fc.nat(200)],
    (secret, places, limit) => {
      const texts = places.map(({ before, encode, after, isInside }) =>
        isInside
          ? encode(`${before}${secret}${after}`.toWellFormed())
          : `${before}${encode(secret)}${after}`,
      );
      expect(texts.every((text) => holdsSecret(text, secret))).toBe(true);
      const text = texts.join(' ');
      const redact = createRedactor('', secret);
      const redacted = redact(text);
      for (const shown of [
        redacted.slice(0, limit),
        redacted.slice(limit),
        ...showLines(text, redact, limit, 9),
        sanitize(redacted, 300),
      ]) {
        expect(findPieces(shown, secret)).toEqual([]);
      }
    },
  );

  /**
   * Returns whether a text contains a piece of the key by chance. Generators repeat words such as
   * `isPrototypeOf`.
   */
  const holdsPiece = (text: string, secret: string): boolean => findPieces(text, secret).length > 0;
  const piece = key.chain((secret) =>
    fc
      .tuple(fc.integer({ min: 5, max: secret.length - 8 }), fc.nat(secret.length))
      .map(([start, more]) => [secret, secret.slice(start, start + 8 + more)] as const),
  );
  forAll(
    'redacts a piece of eight or more characters and nothing around it',
    [piece, hostileText, hostileText],
    ([secret, shown], before, after) => {
      if (holdsPiece(before + after, secret)) return;
      expect(createRedactor(secret)(`${before} ${shown} ${after}`)).toBe(`${before} *** ${after}`);
    },
  );

  const asJson = (text: string) =>
    fc.constantFrom<unknown>(
      text,
      [text],
      { [text]: text },
      `https://x.example/${text}`,
      `x ${text}`,
      Number(text),
    );
  const secretAndRecord = fc
    .tuple(anySecret, fc.integer({ min: 5, max: 13 }), fc.integer({ min: 8, max: 40 }))
    .chain(([secret, start, length]) => {
      const value = fc.oneof(
        asJson(secret),
        asJson(secret.slice(start, start + length)),
        hostileText,
      );
      const names = ['model', 'prLink', 'createdAt', 'archivedAt', 'more', 'repository', 'ref'];
      const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])));
      const status = fc.constantFrom(secret, 'active', `${'x'.repeat(250)}${secret}`);
      const record = fc.record({ id: fc.constant('job_1'), status, source: fields, fields });
      return record.map(({ fields, ...others }) => [secret, { ...fields, ...others }] as const);
    });
  forAll(
    'leaves no piece in a record, and keeps no redacted link, name, or time',
    [secretAndRecord],
    ([secret, record]) => {
      const job = parseJob(record, createRedactor(secret));
      const { json = '', status = '', refusedLink = '', ...known } = job ?? {};
      expect(json).toContain('job_1');
      const shown = JSON.stringify(known);
      for (const text of [json, status, refusedLink, shown])
        expect(findPieces(text, secret)).toEqual([]);
      expect(shown).not.toContain('***');
    },
  );
});

describe('getInput', () => {
  const name = fc.constantFrom(...INPUT_NAMES);
  forAll('reads the same text as the toolkit', [name, hostileText], (input, text) => {
    const value = text.replaceAll('\0', '').toWellFormed();
    vi.stubEnv(`INPUT_${input.toUpperCase()}`, value);
    expect(getInput(process.env, input) ?? '').toBe(getToolkitInput(input));
    vi.unstubAllEnvs();
  });
});

describe('outputs', () => {
  const captured = captureRunner();
  const value = hostileText.map((text) => text.toWellFormed());
  const values = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,12}$/), value, { maxKeys: 4 });
  forAll('are read back from the file with any text', [values], (outputs) => {
    writeFileSync(captured.pathOf('GITHUB_OUTPUT'), '');
    expect(createRunner((text) => text).setOutputs(outputs)).toBeUndefined();
    const read = parseOutputFile(captured.read('GITHUB_OUTPUT'));
    // The runner reads every line end as one.
    const normalize = (record: Record<string, string>) =>
      Object.entries(record).map(([name, text]) => [name, text.replace(/\r\n|\r/g, '\n')]);
    expect(normalize(read)).toEqual(normalize(outputs));
  });
});
