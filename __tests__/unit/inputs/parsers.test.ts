import { describe, expect, it } from 'vitest';
import {
  Problem,
  parseApiKey,
  parseBaseUrl,
  parseBoolean,
  parseJobId,
  parsePaths,
  parsePollInterval,
  parseProjectId,
  parsePrompt,
  parseReuse,
  parseTag,
  parseTimeout,
  parseToken,
} from '../../../src/inputs/parsers.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { KEY } from '../fixtures.ts';

const TOKEN = 'ghs_0123456789abcdef';

/** What it is, its parser, the text, and the value or the pattern of the problem. */
type Row<Expected = unknown> = [string, (text: string) => unknown, string, Expected];

/** What a parser returns: the value, or the sentence that says what is wrong. */
function show(result: unknown): unknown {
  return result instanceof Problem ? toPlainText(result.sentence) : result;
}

describe('a value that an input may have', () => {
  it.each<Row>([
    ['a prompt', parsePrompt, 'Write it', 'Write it'],
    ['a prompt of 1 MiB', parsePrompt, 'é'.repeat(524_288), 'é'.repeat(524_288)],
    ...['docs', 'a..', '..a', '.a', 'ghs_1'].map(
      (text): Row => [`the project id ${text}`, parseProjectId, text, text],
    ),
    ['a project id in any script', parseProjectId, 'täst…', 'täst…'],
    ['a project id of 256 characters', parseProjectId, 'x'.repeat(256), 'x'.repeat(256)],
    ['a short project id that begins like a key', parseProjectId, 'mint_docs_01234', 'mint_docs_01234'],
    [
      'a project id of words that begins like a key',
      parseProjectId,
      'mint_docs_production',
      'mint_docs_production',
    ],
    ['a job id', parseJobId, 'job_1', 'job_1'],
    ['a tag', parseTag, 'v1.2.0', 'v1.2.0'],
    ['a full ref', parseTag, 'refs/tags/pkg@1.2.0', 'pkg@1.2.0'],
    ['a tag with a ref inside', parseTag, 'a/refs/tags/b', 'a/refs/tags/b'],
    ['a token', parseToken, TOKEN, TOKEN],
    ['a token of 16 characters', parseToken, 'ghs_0123456789ab', 'ghs_0123456789ab'],
    ['a key', parseApiKey, KEY, KEY],
    ['a key of 16 characters', parseApiKey, '0123456789abcdef', '0123456789abcdef'],
    ['a padded key', parseApiKey, 'AZaz09._~+/-AZaz09==', 'AZaz09._~+/-AZaz09=='],
    ...['true', 'True', 'TRUE'].map(
      (text): Row => [`a boolean: "${text}"`, parseBoolean, text, true] as const,
    ),
    ...['false', 'False', 'FALSE'].map((text): Row => [`a boolean: "${text}"`, parseBoolean, text, false]),
    ...['rerun', 'release', 'never'].map((text): Row => [`the reuse ${text}`, parseReuse, text, text]),
    ['minutes', parseTimeout, '360', 21_600_000],
    ['a part of a minute', parseTimeout, '0.25', 15_000],
    ['a number with zeros', parseTimeout, '007.50', 450_000],
    ['a second', parsePollInterval, '1', 1000],
    ['five minutes', parsePollInterval, '300', 300_000],
  ])('%s', (_, parse, text, value) => {
    expect(show(parse(text))).toEqual(value);
  });

  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    ['https://proxy.example.com:8443/agent/v1', 'https://proxy.example.com:8443/agent/v1'],
    ['http://localhost:4010', 'http://localhost:4010/'],
    ['http://127.8.8.8', 'http://127.8.8.8/'],
    ['http://[::1]:4010/prefix', 'http://[::1]:4010/prefix'],
  ])('the address %s', (text, href) => {
    expect(parseBaseUrl(text)).toEqual(new URL(href));
  });
});

describe('parsePaths', () => {
  it('parses a pattern a line, in order', () => {
    const patterns = parsePaths(' src/**\r\n\n!src/*.md\rdocs ');
    expect(patterns instanceof Problem ? '' : patterns.map(({ pattern }) => pattern.test('docs'))).toEqual([
      false,
      false,
      true,
    ]);
    expect(patterns instanceof Problem ? [] : patterns.map(({ isNegative }) => isNegative)).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('a value that an input may not have', () => {
  const PROJECT = /^is not a project id: .*`\?`, `#`, or `%`\. Copy it from the API keys page/;
  const URL_SECRET = /^must not hold a user, a password, a query, or a fragment: use the address alone\.$/;
  it.each<Row<RegExp>>([
    ['a prompt over 1 MiB', parsePrompt, 'é'.repeat(524_289), /^is longer than 1 MiB: shorten it/],
    ...[
      '../other',
      '..',
      '.',
      'a/b',
      'a\\b',
      'docs?x=1',
      'a#b',
      'a%2fb',
      'a b',
      'do\u202ecs',
      'x'.repeat(257),
    ].map((text): Row<RegExp> => [`a project id: "${text}"`, parseProjectId, text, PROJECT] as const),
    [
      'a key as project id',
      parseProjectId,
      'mint_0123456789abcdef',
      /^looks like an API key: pass the key as `api-key`/,
    ],
    ['a short token as project id', parseProjectId, 'ghs_0123456789ab', /^looks like an API key/],
    ['a token as project id', parseProjectId, TOKEN, /^looks like an API key/],
    ...['..', 'a/b', '%2e%2e', 'a b'].map(
      (text): Row<RegExp> => [
        `a job id: "${text}"`,
        parseJobId,
        text,
        /^is not a job id: copy it from the `job-id` output/,
      ],
    ),
    ...['api.example.com', 'https://api.exa mple.com', 'https:\\\\x', 'https://a\u202eb/'].map(
      (text): Row<RegExp> => [
        `an address: "${text}"`,
        parseBaseUrl,
        text,
        /^is not a URL: .*`https:\/\/api\.example\.com`\.$/,
      ],
    ),
    ...[
      'https://me@x',
      'https://me:pw@x',
      'https://:pw@x',
      'https://x/?',
      'https://x/#',
      'https://x/?a=b',
    ].map((text): Row<RegExp> => [`an address: "${text}"`, parseBaseUrl, text, URL_SECRET] as const),
    ...['http://api.example.com', 'http://127.0.0.1.nip.io', 'ftp://127.0.0.1'].map(
      (text): Row<RegExp> => [
        `an address: "${text}"`,
        parseBaseUrl,
        text,
        /^must begin with `https:\/\/`, so that the key is never/,
      ],
    ),
    ...['v1..2', 'v1\n::x::', ''].map(
      (text): Row<RegExp> => [
        `a tag: "${text}"`,
        parseTag,
        text,
        /^is not a valid tag name: write it as `git tag` lists it\.$/,
      ],
    ),
    ...[`${TOKEN}\nx`, 'ghs_0123456789a', 'a b c d e f g h i j', KEY].map(
      (text): Row<RegExp> => [
        `a token: "${text}"`,
        parseToken,
        text,
        /^is not a token: leave it out, or pass one from a secret\.$/,
      ],
    ),
    ...['Bearer 0123456789abcdef', `${KEY}\n${KEY}`, `"${KEY}"`, `${KEY}=x`, 'schlüssel-schlüssel'].map(
      (text): Row<RegExp> => [
        `a key: "${text}"`,
        parseApiKey,
        text,
        /^holds a character that no API key has, .* without `Bearer`\.$/,
      ],
    ),
    [
      'a short key',
      parseApiKey,
      '0123456789abcde',
      /^is shorter than 16 characters, so it is not an API key/,
    ],
    [
      'an assistant key',
      parseApiKey,
      'mint_dsc_0123456789',
      /^is an assistant key \(`mint_dsc_…`\).* admin key/,
    ],
    ['an index key', parseApiKey, 'mint_us_0123456789', /^is an index key \(`mint_us_…`\).* admin key/],
    ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'].map(
      (prefix): Row<RegExp> => [
        'a key',
        parseApiKey,
        `${prefix}0123456789ab`,
        /^is a GitHub token, not a key of the doc/,
      ],
    ),
    ...['yes', '1', 'tRUE', 'true ', '', 'xtrue', 'xfalse', 'falsex'].map(
      (text): Row<RegExp> => [
        `a boolean: "${text}"`,
        parseBoolean,
        text,
        /^must be `true` or `false`, not `.*`\.$/,
      ],
    ),
    ...['true', 'Rerun', '', 'never '].map(
      (text): Row<RegExp> => [
        `a reuse: "${text}"`,
        parseReuse,
        text,
        /^must be `rerun`, `release`, or `never`, not `.*`\.$/,
      ],
    ),
    [
      'an invalid path pattern',
      parsePaths,
      'src/**\n\n[z-a]',
      /^has an invalid pattern in line 2: use the syntax of `on\.push\.paths`\.$/,
    ],
    ['path patterns that only exclude', parsePaths, '!a\n!b', /^has only patterns that begin with `!`/],
    ...['0', '360.1', '30m', '1e1', '0x10', '-5', '+5', '.5', '5.', '1,5', 'NaN', 'Infinity', '٣'].map(
      (text): Row<RegExp> => [
        `a timeout: "${text}"`,
        parseTimeout,
        text,
        /^must be a number such as `10` or `2\.5`, more than 0 and at most 360, not `.*`\.$/,
      ],
    ),
    ...['0.9', '300.1', '10s'].map(
      (text): Row<RegExp> => [
        `a poll interval: "${text}"`,
        parsePollInterval,
        text,
        /^must be a number such as `10` or `2\.5`, from 1 to 300, not `.*`\.$/,
      ],
    ),
  ])('%s', (_, parse, text, problem) => {
    expect(show(parse(text))).toEqual(expect.stringMatching(problem));
  });

  it('is quoted if it has at most twelve characters, and never otherwise', () => {
    for (const parse of [parseBoolean, parseTimeout]) {
      expect(show(parse('x23456789012'))).toMatch(/, not `x23456789012`\.$/);
      expect(show(parse('x234567890123'))).toMatch(/^must be [^x]*[^,]\.$/);
    }
  });

  it.each([parseProjectId, parseBaseUrl, parseToken, parseBoolean, parseReuse, parseTimeout])(
    'is not quoted if it is a secret: %o',
    (parse) => {
      expect(show(parse(`${KEY}?`))).not.toContain('0123');
      expect(show(parse(KEY))).not.toContain('0123');
    },
  );
});
