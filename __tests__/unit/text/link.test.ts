import { describe, expect, it } from 'vitest';
import {
  getLinkName,
  isSecureOrigin,
  parsePullRequest,
  sanitizeLink,
} from '../../../src/text/link.ts';

describe('sanitizeLink', () => {
  it.each([
    ['https://github.com/acme/docs/pull/1', 'https://github.com/acme/docs/pull/1'],
    ['HTTPS://GitHub.com:443/a/../b', 'https://github.com/b'],
    ['https://git.example.com:8443/x', 'https://git.example.com:8443/x'],
    ['https://github.com', 'https://github.com/'],
    ['https://x/AZaz09._~@+-/y', 'https://x/AZaz09._~@+-/y'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    [`https://x/${'a'.repeat(490)}?${'b'.repeat(2_000)}`, `https://x/${'a'.repeat(490)}`],
    ...['?b=1', '#b', '?b=$(id)&c#`d`', '?', '#'].map((rest) => [
      `https://x/a${rest}`,
      'https://x/a',
    ]),
  ])('returns the canonical form of %o', (link, clean) => {
    expect(sanitizeLink(link)).toBe(clean);
  });

  it.each([
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'http://github.com/a',
      '//x/a',
      'https://',
      '',
      'x',
    ],
    ...['https://me@github.com/a', 'https://me:pw@github.com/a', 'https://:pw@github.com/a'],
    ...[
      'https://x/a b',
      'https://x/a\n::error::b',
      'https://x/\u202ea',
      'https://x\\y',
      'https://x/ä',
    ],
    ...['https://!/a', 'https://[::1]/a', 'https://(x/a', 'https://x(/a', 'https://x$y/a'],
    ...[`https://x/${'a'.repeat(491)}`, `https://ü${'a'.repeat(40)}/${'a'.repeat(445)}`],
    ...[['https://x/a'], 7, null, undefined, {}],
  ])('rejects %o', (link) => {
    expect(sanitizeLink(link)).toBeUndefined();
  });
});

describe('isSecureOrigin', () => {
  const similar = [
    'localhost.example.com',
    'notlocalhost',
    '127.0.0.1.example.com',
    'a127.0.0.1.example',
  ];
  it.each([
    ['https://api.example.com', true],
    ...['localhost:8080', '127.0.0.1', '127.10.255.3', '[::1]:8080'].map((host) => [
      `http://${host}/a`,
      true,
    ]),
    ...['api.example.com', ...similar].map((host) => [`http://${host}`, false]),
    ['ftp://localhost', false],
  ] as [string, boolean][])('of %s is %s', (url, isSecure) => {
    expect(isSecureOrigin(new URL(url))).toBe(isSecure);
  });
});

describe('the number and the name of a pull request', () => {
  const host = 'https://github.com';
  it.each([
    [`${host}/acme/docs/pull/123`, '123', 'acme/docs#123'],
    [`${host}/acme/docs/pull/7/files`, '7', 'acme/docs#7'],
    ['https://git.example.com/acme/docs/pull/7', '7', undefined],
    ['https://evil.example/github.com/acme/docs/pull/128', undefined, undefined],
    ['https://github.com.evil.example/acme/docs/pull/1', '1', undefined],
    ['https://github.com:8443/acme/docs/pull/1', '1', undefined],
    ['https://gitlab.com/a/b/c/-/merge_requests/42', '42', undefined],
    [`${host}/acme/docs`, undefined, 'acme/docs'],
    [`${host}/`, undefined, undefined],
    ...['acme/docs/pull/', 'acme/docs/pull/12x', 'acme/docs/pulls/12', 'acme/docs/issues/12'].map(
      (path) => [...[`${host}/${path}`, undefined, path]],
    ),
    ...[
      'a/b/merge_requests/42',
      'pull/1',
      'acme/docs/pull/x/pull/5',
      'acme/docs/pull/1234567890123',
    ].map((path) => [...[`${host}/${path}`, undefined, path]]),
  ])('of %s are %s and %s', (link = '', number, name) => {
    expect([parsePullRequest(link)?.number, getLinkName(link, host)]).toEqual([
      number,
      name ?? link,
    ]);
  });
});
