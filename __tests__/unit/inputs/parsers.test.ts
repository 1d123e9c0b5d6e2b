import { describe, expect, it } from 'vitest';
import {
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
import { KEY, readOrExplain, TOKEN } from '../fixtures.ts';

type Parse = (text: string) => unknown;

const show = (parse: Parse, text: string): unknown => readOrExplain(() => parse(text));

describe('a valid value', () => {
  it.each<[string, Parse, readonly string[]]>([
    [
      'a prompt',
      parsePrompt,
      ['Write it', 'é'.repeat(524_288), 'is it true', 'falsehoods', 'true\nfalse'],
    ],
    [
      'a project id',
      parseProjectId,
      ['docs', 'a..', '..a', '.a', 'ghs_1', 'täst…', 'x'.repeat(256)],
    ],
    ['a job id', parseJobId, ['job_1']],
    [
      'a tag',
      parseTag,
      ['v1.2.0', 'a/refs/tags/b', 'pkg@1.0.0', '@a/b@1.0.0', 'release/2026', 'ünï'],
    ],
    ['an unusual tag', parseTag, ['a.lock.b', 'a.lockb', 'x'.repeat(255)]],
    ['a token', parseToken, [TOKEN, 'ghs_0123456789ab']],
    ['a key', parseApiKey, [KEY, '0123456789abcdef', 'AZaz09._~+/-AZaz09==']],
    ['a value of `reuse`', parseReuse, ['rerun', 'release', 'never']],
  ])('is not changed if it is %s', (_, parse, texts) => {
    expect(texts.map((text) => show(parse, text))).toEqual(texts);
  });

  it.each<[string, Parse, readonly string[], unknown]>([
    ['a full ref', parseTag, ['refs/tags/pkg@1.2.0'], 'pkg@1.2.0'],
    ['true', parseBoolean, ['true', 'True', 'TRUE'], true],
    ['false', parseBoolean, ['false', 'False', 'FALSE'], false],
    ['a number of minutes', parseTimeout, ['360', '0360.0'], 21_600_000],
    ['a part of a minute', parseTimeout, ['0.25'], 15_000],
    ['a second', parsePollInterval, ['1'], 1000],
    ['five minutes', parsePollInterval, ['300'], 300_000],
    ['an address', parseBaseUrl, ['https://api.example.com'], new URL('https://api.example.com/')],
    [
      'an address with a path',
      parseBaseUrl,
      ['https://x:8443/agent/v1'],
      new URL('https://x:8443/agent/v1'),
    ],
    [
      'an address of this host',
      parseBaseUrl,
      ['http://localhost:4010'],
      new URL('http://localhost:4010/'),
    ],
    ['an address of IPv4', parseBaseUrl, ['http://127.8.8.8'], new URL('http://127.8.8.8/')],
    ['an address of IPv6', parseBaseUrl, ['http://[::1]:4010/a'], new URL('http://[::1]:4010/a')],
  ])('is parsed if it is %s', (_, parse, texts, value) => {
    expect(texts.map((text) => show(parse, text))).toEqual(texts.map(() => value));
  });

  it('has one path pattern per line', () => {
    const patterns = parsePaths(' src/**\r\n\n!src/*.md\rdocs ');
    expect(patterns).toMatchObject([
      { isNegative: false },
      { isNegative: true },
      { isNegative: false },
    ]);
    expect(patterns.map(({ glob }) => glob)).toEqual(['src/**', 'src/*.md', 'docs']);
    expect(parsePaths('src/**\n!src/*.md')).toHaveLength(2);
  });
});

describe('an invalid value', () => {
  const EXPRESSIONS = ['false', 'true', 'null', 'undefined', 'False', 'NaN', 'Object', 'Array'];
  const PROJECTS = [
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
  ];
  const JOBS = ['..', 'a/b', '%2e%2e', 'a b', 'job_1\n::x'];
  const ADDRESSES = [
    'api.example.com',
    'https://api.exa mple.com',
    'https:\\\\x',
    'https://a\u202eb/',
  ];
  const SECRETS = ['me@x', 'me:pw@x', ':pw@x', 'x/?', 'x/#', 'x/?a=b'].map(
    (rest) => `https://${rest}`,
  );
  const INSECURE = [
    'http://api.example.com',
    'http://127.0.0.1.nip.io',
    'ftp://127.0.0.1',
    'file:///etc',
  ];
  const TAGS = [
    ...'v1..2 ../a /a a/ a//b a/.b .a -a a. a.lock a.lock/b a~1 a^ a:b a? a* a[ a\\b a@{1} @'.split(
      ' ',
    ),
    ...['', 'a b', 'v1\n::x::', 'a\u202eb', 'x'.repeat(256)],
  ];
  const TOKENS = [`${TOKEN}\nx`, 'ghs_0123456789a', 'a b c d e f g h i j', KEY];
  const KEYS = [
    'Bearer 0123456789abcdef',
    `${KEY}\n${KEY}`,
    `"${KEY}"`,
    `${KEY}=x`,
    'schlüssel-schlüssel',
  ];
  const GITHUB = ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'].map(
    (type) => `${type}0123456789ab`,
  );
  const BOOLEANS = ['yes', '1', 'tRUE', 'true ', '', 'xtrue', 'xfalse', 'falsex'];
  const MINUTES = [
    '0',
    '360.1',
    '30m',
    '1e1',
    '0x10',
    '-5',
    '+5',
    '.5',
    '5.',
    '1,5',
    'NaN',
    'Infinity',
    '٣',
  ];
  const SECONDS = ['0.9', '300.1', '10s'];
  const REUSES = ['true', 'Rerun', '', 'never '];

  it.each<[string, Parse, readonly string[], RegExp]>([
    [
      'no text',
      parsePrompt,
      EXPRESSIONS,
      /^is only `\w+`, the usual result of a wrong expression: correct the expression\.$/,
    ],
    ['a long prompt', parsePrompt, ['é'.repeat(524_289)], /^is longer than 1 MiB: shorten it/],
    [
      'a path as a project id',
      parseProjectId,
      PROJECTS,
      /^is not a project id: .*`\?`, `#`, or `%`\. Copy it/,
    ],
    [
      'a long project id',
      parseProjectId,
      ['x'.repeat(257)],
      /^is not a project id: .* from the API keys page/,
    ],
    ['no job id', parseJobId, JOBS, /^is not a job id: copy it from the `job-id` output/],
    ['no address', parseBaseUrl, ADDRESSES, /^is not a URL: .*`https:\/\/api\.example\.com`\.$/],
    [
      'an address with a secret',
      parseBaseUrl,
      SECRETS,
      /^must not contain a user, password, query, or fragment: .* alone\.$/,
    ],
    [
      'an unsafe address',
      parseBaseUrl,
      INSECURE,
      /^must begin with `https:\/\/`, so that the key is never/,
    ],
    ['no tag', parseTag, TAGS, /^is not a valid tag name: write it as `git tag` lists it\.$/],
    [
      'no token',
      parseToken,
      TOKENS,
      /^is not a GitHub token: remove this input, or pass a token from a secret\.$/,
    ],
    [
      'no key',
      parseApiKey,
      KEYS,
      /^contains a character that no API key has, .* without `Bearer`\.$/,
    ],
    [
      'a short key',
      parseApiKey,
      ['0123456789abcde'],
      /^is shorter than 16 characters, so it is not an/,
    ],
    [
      'an assistant key',
      parseApiKey,
      ['mint_dsc_012345678'],
      /^is an assistant key \(`mint_dsc_…`\).* admin key/,
    ],
    [
      'an index key',
      parseApiKey,
      ['mint_us_012345678'],
      /^is an index key \(`mint_us_…`\).* admin key/,
    ],
    ['a GitHub token as a key', parseApiKey, GITHUB, /^is a GitHub token, not a key of the doc/],
    ['no boolean', parseBoolean, BOOLEANS, /^must be `true` or `false`, not `.*`\.$/],
    [
      'another value of `reuse`',
      parseReuse,
      REUSES,
      /^must be `rerun`, `release`, or `never`, not `.*`\.$/,
    ],
    [
      'a pattern that matches nothing',
      parsePaths,
      ['a\n\n[z-a]'],
      /^has a pattern on line 3 that can't match any file: write one pattern per line, .* in a name\.$/,
    ],
    [
      'a list that excludes everything',
      parsePaths,
      ['!a\n!b', 'src/**\n!**', 'src/**\n\n!src/**\n'],
      /^can't match any file, because the patterns that begin with `!` exclude everything .*: exclude less/,
    ],
    [
      'no number of minutes',
      parseTimeout,
      MINUTES,
      /^must be a number .*, more than 0 and at most 360, not `.*`\.$/,
    ],
    [
      'no number of seconds',
      parsePollInterval,
      SECONDS,
      /^must be a number such as `10` or `2\.5`, from 1 to 300, not `.*`\.$/,
    ],
  ])('is rejected if it is %s', (_, parse, texts, problem) => {
    expect(texts.map((text) => show(parse, text))).toEqual(
      texts.map(() => [expect.stringMatching(problem)]),
    );
  });

  it('is quoted only if it has at most twelve characters', () => {
    for (const parse of [parseBoolean, parseTimeout]) {
      expect(`${show(parse, 'x23456789012')}`).toMatch(/, not `x23456789012`\.$/);
      expect(`${show(parse, 'x234567890123')}`).toMatch(/^must be [^x]*[^,]\.$/);
    }
  });
});
