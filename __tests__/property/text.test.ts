import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect } from 'vitest';
import { isJobId, parseJob } from '../../src/service/job.ts';
import { escapeMarkdown } from '../../src/text/markdown.ts';
import { createRedactor, holdsSecret, redactStart } from '../../src/text/redact.ts';
import { sanitize, showLines, toLine } from '../../src/text/sanitize.ts';
import { createToken } from '../github/token.ts';
import { parseCommands } from '../harness/runner-commands.ts';
import { findPieces, findSecret } from '../helpers/invariants.ts';
import { forAll } from './for-all.ts';
import { hostileText } from './hostile-text.ts';

type MarkdownNode = { type: string; value?: string; children?: readonly MarkdownNode[] };

/** Parses a document as GitHub does, which links bare addresses after it unescapes text. */
const parseMarkdown = (markdown: string): MarkdownNode =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

/** Returns the first nodes with siblings or without children. */
function descend({ children = [] }: MarkdownNode): readonly MarkdownNode[] {
  const [only] = children;
  return children.length === 1 && only?.children !== undefined ? descend(only) : children;
}

const prefix = fc.constantFrom('', ' ', '\t ', 'text ', '12 s  ', '\u00a0');
forAll(
  'sanitize leaves no command that the runner would find',
  [hostileText, prefix, fc.integer({ min: 1, max: 80 })],
  (text, start, limit) => {
    const line = `${start}${sanitize(text, limit)}\n`;
    const { commands, plainLines } = parseCommands(line);
    expect(commands).toEqual([]);
    expect(plainLines.filter((plain) => plain !== '').length).toBeLessThanOrEqual(1);
  },
);

/** Returns what `echo` of some shells or `printf '%b'` prints, which interpret escapes. */
function echo(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(
    /\\(?:u([\da-f]{1,4})|x([\da-f]{1,2})|0?([0-7]{1,3})|(.))/gi,
    (_, u, x, octal, name) =>
      escapes[name] ??
      name ??
      String.fromCharCode(octal ? Number.parseInt(octal, 8) : Number.parseInt(u ?? x, 16)),
  );
}

const lineEnd = fc.constantFrom('\\n', '\\u000a', '\\x0a', '\\012', '\\0012', '\n', '\r');
const escapedText = fc
  .tuple(hostileText, lineEnd, hostileText)
  .map(([before, end, after]) => `${before}${end}:\\072error:\\u003a${after}\\u0023\\x23[error]`);
forAll(
  'parseJob returns JSON of the whole reply, which holds no command when a later step prints it',
  [escapedText, escapedText],
  (name, value) => {
    const reply = { id: 'job_1', status: value, [`x${name}`]: [value, name] };
    const json = parseJob(reply, (text) => text)?.json ?? '';
    const [status, field, item] = [value, `x${name}`, name].map((text) => toLine(text, 65_536));
    const lines = { id: 'job_1', status, [field ?? '']: [status, item] };
    expect(JSON.parse(json)).toEqual(lines);
    for (const printed of [json, echo(json), ...[status, field, item].map(String)]) {
      expect(parseCommands(printed).commands).toEqual([]);
    }
  },
);

forAll(
  'an id is a single segment of a path, and no command when a later step prints it',
  [escapedText],
  (text) => {
    const id = text.replace(/\s/g, '');
    if (!isJobId(id)) {
      return;
    }
    const { pathname } = new URL(`https://x.test/job/${encodeURIComponent(id)}/message`);
    expect(decodeURIComponent(pathname.split('/')[2] ?? '')).toBe(id);
    expect(pathname.split('/')).toHaveLength(4);
    expect(parseCommands(echo(id)).commands).toEqual([]);
  },
);

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
    `renders only as text in ${name}, with each character that starts a link or formula in its own element`,
    [hostileText],
    (text) => {
      const escaped = escapeMarkdown(text);
      if (escaped.trim() === '') {
        return;
      }
      const expected = sanitize(text).replace(/ +/g, ' ');
      const shown = name === 'bold' ? `x${expected}x` : expected;
      expect(escaped.replaceAll('<span>$</span>', '').includes('$')).toBe(false);
      const nodes = descend(parseMarkdown(place(escaped)));
      const texts = nodes.filter(({ type }) => type === 'text');
      const joined = texts.map(({ value }) => value).join('');
      expect(joined.trim()).toBe(shown.trim());
      // Anything else is an element around one character.
      const others = nodes.filter(({ type }) => type !== 'text');
      const count = escaped.split('<span>').length - 1;
      const spans = Array<string[]>(count).fill(['<span>', '</span>']).flat();
      expect(others).toMatchObject(spans.map((value) => ({ type: 'html', value })));
    },
  );
}

const withPrefix = (prefix: string, pattern: RegExp) =>
  fc.stringMatching(pattern).map((own) => ({ secret: `${prefix}${own}`, own }));
const anyKey = fc.oneof(
  withPrefix('mint_', /^[A-Za-z0-9.~+/-]{11,40}={0,2}$/),
  withPrefix('mint_', /^\d{16,30}$/),
  withPrefix('', /^\d{16,20}$/),
);
const anyToken = fc.oneof(
  fc.string({ minLength: 1 }).map((name) => ({ secret: createToken(name), own: '' })),
  withPrefix('ghs_', /^[A-Za-z0-9]{36}$/),
  withPrefix('github_pat_', /^[A-Za-z0-9]{22}_[A-Za-z0-9]{59}$/),
);
const encode = fc.constantFrom<((text: string) => string)[]>(
  (text) => text,
  encodeURIComponent,
  (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
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
  'leaves no form of a key and no plain piece in a text, wherever it is cut afterward',
  [anyKey, fc.array(place, { minLength: 1, maxLength: 4 }), fc.nat(200)],
  ({ secret, own }, places, limit) => {
    const texts = places.map(({ before, encode, after, isInside }) =>
      isInside
        ? encode(`${before}${secret}${after}`.toWellFormed())
        : `${before}${encode(secret)}${after}`,
    );
    expect(texts.every((text) => holdsSecret(text, secret))).toBe(true);
    const text = texts.join(' ');
    const redact = createRedactor(secret);
    const redacted = redact(text);
    for (const shown of [
      redacted.slice(0, limit),
      redacted.slice(limit),
      ...showLines(text, redact, limit, 9),
      sanitize(redacted, 300),
    ]) {
      expect(findPieces(shown, secret, own)).toEqual([]);
    }
  },
);

forAll(
  'leaves no form of a token in a text, and no part of one at a cut of ours',
  [anyToken, place, fc.nat(2_000)],
  ({ secret }, { before, encode }, limit) => {
    const form = encode(secret);
    const redact = createRedactor('', secret);
    expect(findSecret(redact(`${before}${form}`), secret)).toEqual([]);
    const shown = redactStart(`${before}${form.repeat(40_000 / form.length + 2)}`, limit, redact);
    expect(findSecret(shown, secret)).toEqual([]);
    expect(shown).not.toContain(form.slice(0, 12));
  },
);

const piece = anyKey.chain(({ secret, own }) =>
  fc
    .tuple(fc.nat(own.length - 8), fc.nat(own.length))
    .map(([start, more]) => ({ secret, own, shown: own.slice(start, start + 8 + more) })),
);
forAll(
  'redacts a piece of eight or more characters and nothing around it',
  [piece, hostileText, hostileText],
  ({ secret, own, shown }, before, after) => {
    // By chance: generators repeat words such as `isPrototypeOf`.
    if (findPieces(before + after, secret, own).length > 0) {
      return;
    }
    expect(createRedactor(secret)(`${before} ${shown} ${after}`)).toBe(`${before} *** ${after}`);
  },
);
