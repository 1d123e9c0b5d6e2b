import { expect, it } from 'vitest';
import * as parse from '../../../src/inputs/parsers.ts';
import { KEY, readOrExplain, TOKEN } from '../fixtures.ts';

type Parse = (text: string) => unknown;

const show = (parseText: Parse, text: string): unknown => readOrExplain(() => parseText(text));
const split = (text: string): string[] => text.split(' ');

it.each<[Parse, readonly string[]]>([
  [parse.parsePrompt, ['Write it', 'é'.repeat(524_288), 'is it true', 'true\nfalse']],
  [parse.parseProjectId, ['docs', 'a..', '.a', 'mint_production', 'täst…', 'x'.repeat(256)]],
  [parse.parseJobId, ['job_1']],
  [parse.parseTag, [...split('v1.2.0 a/refs/tags/b @a/b@1.0.0 ünï a.lock.b'), 'x'.repeat(255)]],
  [parse.parseChangesSince, ['v1.2.0', 'refs/heads/a/b', 'a1b2c3d', 'last job']],
  [parse.parseToken, [TOKEN, 'ghs_0123456789ab']],
  [parse.parseApiKey, [KEY, '0123456789abcdef', 'AZaz09._~+/-AZaz09==']],
  [parse.parseReuse, ['auto', 'rerun', 'never']],
])('a valid value of %o is not changed', (parseText, texts) => {
  expect(texts.map((text) => show(parseText, text))).toEqual(texts);
});

it.each<[Parse, readonly string[], unknown]>([
  [parse.parseTag, ['refs/tags/pkg@1.2.0'], 'pkg@1.2.0'],
  [parse.parseChangesSince, ['0'.repeat(40), '0'.repeat(64)], undefined],
  [parse.parseBoolean, ['true', 'True', 'TRUE'], true],
  [parse.parseBoolean, ['false', 'False', 'FALSE'], false],
  [parse.parseTimeout, ['360', '0360.0'], 21_600_000],
  [parse.parseTimeout, ['0.25'], 15_000],
  [parse.parsePollInterval, ['1'], 1000],
  [parse.parsePollInterval, ['300'], 300_000],
])('a valid value of %o is parsed from %j', (parseText, texts, value) => {
  expect(texts.map((text) => show(parseText, text))).toEqual(texts.map(() => value));
});

it.each([
  'https://api.example.com',
  'https://x:8443/agent/v1',
  'http://localhost:4010',
  'http://127.8.8.8',
  'http://[::1]:4010/a',
])('a valid value is the address %s', (address) => {
  expect(show(parse.parseBaseUrl, address)).toEqual(new URL(address));
});

const projects = ['../other', '..', 'a/b', 'a\\b', 'docs?x=1', 'a#b', 'a%2fb', 'a b', 'o\u202e'];
const addresses = ['api.example.com', 'https://a.exa mple', 'https:\\\\x', 'https://a\u202eb/'];
const unsafe = 'http://api.example.com http://127.0.0.1.nip.io ftp://127.0.0.1 file:///etc';
const withMore = ['me@x', ':pw@x', 'x/?', 'x/#', 'x/?a=b'].map((rest) => `https://${rest}`);
const tags = 'v1..2 ../a /a a/ a//b a/.b .a -a a. a.lock a.lock/b a~1 a^ a:b a? a* a[ a\\b a@{1} @';
const oddTags = ['', 'a b', 'v1\n::x::', 'a\u202eb', 'x'.repeat(256)];
const starts = ['HEAD', 'HEAD~1', 'v1^', '@{1 day}', 'o:main', '24 hours', 'Last successful run'];
const tokens = [`${TOKEN}\nx`, 'ghs_0123456789a', 'a b c d e f g h i j'];
const keys = ['Bearer 0123456789abcdef', `${KEY}\n${KEY}`, `"${KEY}"`, `${KEY}=x`];
const gitHub = ['ghp_', 'gho_', 'ghs_', 'github_pat_'].map((type) => `${type}0123456789ab`);
const minutes = '0 360.1 30m 1e1 0x10 -5 +5 .5 5. 1,5 NaN Infinity ٣ 2.5.1';

it.each<[Parse, readonly string[], RegExp]>([
  [parse.parsePrompt, split('false true null undefined False NaN Object Array'), /expression/],
  [parse.parsePrompt, ['é'.repeat(524_289)], /over 1 MiB/],
  [parse.parseProjectId, [...projects, 'x'.repeat(257)], /not a project id/],
  [parse.parseJobId, ['..', 'a::b', '-x', 'a b', 'job_1\n::x'], /not a job id/],
  [parse.parseBaseUrl, addresses, /not a URL/],
  [parse.parseBaseUrl, split(unsafe), /`https:\/\/`/],
  [parse.parseBaseUrl, withMore, /user, password, query, or fragment/],
  [parse.parseBaseUrl, ['https://x/v2', 'https://x/a/v2//'], /`\/v2`/],
  [parse.parseTag, [...split(tags), ...oddTags], /not a tag name/],
  [parse.parseChangesSince, [...starts, 'a..b'], /`last job`.*`HEAD~1`/],
  [parse.parseToken, tokens, /not a GitHub token/],
  [parse.parseApiKey, keys, /character that no API key has/],
  [parse.parseApiKey, ['0123456789abcde'], /16 characters/],
  [parse.parseApiKey, ['mint_dsc_012345678', 'mint_us_012345678'], /admin key/],
  [parse.parseApiKey, gitHub, /is a GitHub token/],
  [parse.parseBoolean, ['yes', '1', 'tRUE', 'true ', '', 'xtrue', 'falsex'], /`true` or `false`/],
  [parse.parseReuse, ['true', 'Rerun', '', 'never '], /`auto`, `rerun`, or `never`/],
  [parse.parseTimeout, split(minutes), /above 0, at most 360/],
  [parse.parsePollInterval, ['0.9', '300.1', '10s'], /from 1 to 300/],
])('an invalid value of %o is rejected: %j', (parseText, texts, problem) => {
  expect(texts.map((text) => show(parseText, text))).toEqual(
    texts.map(() => [expect.stringMatching(problem)]),
  );
});
