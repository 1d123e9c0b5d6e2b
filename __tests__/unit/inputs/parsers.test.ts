import { describe, expect, it } from 'vitest';
import {
  parseApiKey,
  parseBaseUrl,
  parseBoolean,
  parseChangesSince,
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
    ['a prompt', parsePrompt, ['Write it', 'é'.repeat(524_288), 'is it true', 'true\nfalse']],
    [
      'a project id',
      parseProjectId,
      ['docs', 'a..', '.a', 'mint_production', 'täst…', 'x'.repeat(256)],
    ],
    ['a job id', parseJobId, ['job_1']],
    ['a tag', parseTag, 'v1.2.0 a/refs/tags/b @a/b@1.0.0 ünï a.lock.b a.lockb'.split(' ')],
    [
      'a start of the changes',
      parseChangesSince,
      ['v1.2.0', 'refs/heads/a/b', 'a1b2c3d', 'last successful run'],
    ],
    ['a long tag', parseTag, ['x'.repeat(255)]],
    ['a token', parseToken, [TOKEN, 'ghs_0123456789ab']],
    ['a key', parseApiKey, [KEY, '0123456789abcdef', 'AZaz09._~+/-AZaz09==']],
    ['a value of `reuse`', parseReuse, ['rerun', 'release', 'never']],
  ])('is not changed if it is %s', (_, parse, texts) => {
    expect(texts.map((text) => show(parse, text))).toEqual(texts);
  });

  it.each<[string, Parse, readonly string[], unknown]>([
    ['a full ref', parseTag, ['refs/tags/pkg@1.2.0'], 'pkg@1.2.0'],
    ['the id of no commit', parseChangesSince, ['0'.repeat(40), '0'.repeat(64)], undefined],
    ['true', parseBoolean, ['true', 'True', 'TRUE'], true],
    ['false', parseBoolean, ['false', 'False', 'FALSE'], false],
    ['a number of minutes', parseTimeout, ['360', '0360.0'], 21_600_000],
    ['a part of a minute', parseTimeout, ['0.25'], 15_000],
    ['a second', parsePollInterval, ['1'], 1000],
    ['five minutes', parsePollInterval, ['300'], 300_000],
  ])('is parsed if it is %s', (_, parse, texts, value) => {
    expect(texts.map((text) => show(parse, text))).toEqual(texts.map(() => value));
  });

  it.each([
    'https://api.example.com',
    'https://x:8443/agent/v1',
    'http://localhost:4010',
    'http://127.8.8.8',
    'http://[::1]:4010/a',
  ])('is parsed if it is the address %s', (address) => {
    expect(show(parseBaseUrl, address)).toEqual(new URL(address));
  });

  it('has one path pattern per line', () => {
    expect(parsePaths(' src/**\r\n\n!src/*.md\rdocs ')).toHaveLength(3);
  });
});

describe('an invalid value', () => {
  const wrongExpressions = 'false true null undefined False NaN Object Array'.split(' ');
  const projects = ['../other', '..', 'a/b', 'a\\b', 'docs?x=1', 'a#b', 'a%2fb', 'a b', 'o\u202e'];
  const withSecrets = ['me@x', ':pw@x', 'x/?', 'x/#', 'x/?a=b'].map((rest) => `https://${rest}`);
  const unsafe = 'http://api.example.com http://127.0.0.1.nip.io ftp://127.0.0.1 file:///etc';
  const addresses = ['api.example.com', 'https://a.exa mple', 'https:\\\\x', 'https://a\u202eb/'];
  const tags =
    'v1..2 ../a /a a/ a//b a/.b .a -a a. a.lock a.lock/b a~1 a^ a:b a? a* a[ a\\b a@{1} @';
  const oddTags = ['', 'a b', 'v1\n::x::', 'a\u202eb', 'x'.repeat(256)];
  const tokens = [`${TOKEN}\nx`, 'ghs_0123456789a', 'a b c d e f g h i j', KEY];
  const keys = ['Bearer 0123456789abcdef', `${KEY}\n${KEY}`, `"${KEY}"`, `${KEY}=x`];
  const foreign = ['ghp_', 'gho_', 'ghs_', 'github_pat_'].map((type) => `${type}0123456789ab`);
  const booleans = ['yes', '1', 'tRUE', 'true ', '', 'xtrue', 'falsex'];
  const minutes = '0 360.1 30m 1e1 0x10 -5 +5 .5 5. 1,5 NaN Infinity ٣'.split(' ');
  const excluding = ['src/**\n!**', 'src/**\n\n!src/**\n'];

  it.each<[string, Parse, readonly string[], RegExp]>([
    ['no text', parsePrompt, wrongExpressions, /^is only `\w+`, the usual result of a wrong/],
    ['a long prompt', parsePrompt, ['é'.repeat(524_289)], /^is longer than 1 MiB/],
    ['a path as a project id', parseProjectId, projects, /^is not a project id/],
    ['a long project id', parseProjectId, ['x'.repeat(257)], /^is not a project id/],
    ['a key as a project id', parseProjectId, [KEY], /^is an API key: pass it as `api-key`/],
    ['no job id', parseJobId, ['..', 'a/b', '%2e%2e', 'a b', 'job_1\n::x'], /^is not a job id/],
    ['no address', parseBaseUrl, addresses, /^is not a URL/],
    [
      'an address with a secret',
      parseBaseUrl,
      withSecrets,
      /^must begin with `https:\/\/`.*must not contain a user, password/,
    ],
    ['an unsafe address', parseBaseUrl, unsafe.split(' '), /^must begin with `https:\/\/`/],
    ['no tag', parseTag, [...tags.split(' '), ...oddTags], /^is not a valid tag name/],
    [
      'no start of the changes',
      parseChangesSince,
      [
        'HEAD',
        'HEAD~1',
        'v1^',
        '@{1 day}',
        'owner:main',
        '24 hours',
        'Last successful run',
        'a..b',
      ],
      /^must be a tag, branch, or commit of this repository, or `last successful run`\. Forms such/,
    ],
    ['no token', parseToken, tokens, /^is not a GitHub token/],
    ['no key', parseApiKey, keys, /^contains a character that no API key has/],
    ['a short key', parseApiKey, ['0123456789abcde'], /^is shorter than 16 characters/],
    ['an assistant key', parseApiKey, ['mint_dsc_012345678'], /^is an assistant key/],
    ['an index key', parseApiKey, ['mint_us_012345678'], /^is an index key/],
    ['a GitHub token as a key', parseApiKey, foreign, /^is a GitHub token, not a key/],
    ['no boolean', parseBoolean, booleans, /^must be `true` or `false`, not `.*`\.$/],
    ['no value of `reuse`', parseReuse, ['true', 'Rerun', '', 'never '], /^must be `rerun`/],
    ['a pattern for no file', parsePaths, ['a\n\n[z-a]'], /^has a pattern on line 3 that can't/],
    ['a list without a file', parsePaths, ['!a\n!b'], /^needs at least one pattern without `!`/],
    ['a list that excludes everything', parsePaths, excluding, /^can't match any file/],
    ['no number of minutes', parseTimeout, minutes, /^must be .* more than 0 and at most 360, not/],
    ['no number of seconds', parsePollInterval, ['0.9', '300.1', '10s'], /^must .* from 1 to 300/],
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
