import { expect, it } from 'vitest';
import {
  getLinkName,
  mayBePullRequest,
  parsePullRequest,
  sanitizeLink,
} from '../../../src/text/link.ts';

it.each([
  ['https://github.com/acme/docs/pull/1', 'https://github.com/acme/docs/pull/1'],
  ['HTTPS://GitHub.com:443/a/../b', 'https://github.com/b'],
  ['https://git.example.com:8443/x', 'https://git.example.com:8443/x'],
  ['https://github.com', 'https://github.com/'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  [`https://x/${'a'.repeat(490)}?${'b'.repeat(2_000)}`, `https://x/${'a'.repeat(490)}`],
  ...['?b=1', '#b', '?b=$(id)&c#`d`', '?', '#'].map((rest) => [
    `https://x/a${rest}`,
    'https://x/a',
  ]),
])('sanitizeLink returns the canonical form of %o', (link, clean) => {
  expect(sanitizeLink(link)).toBe(clean);
});

const schemes = 'javascript:alert(1) data:text/html,x http://github.com/a //x/a https:// x';
const users = 'https://me@github.com/a https://me:pw@github.com/a https://:pw@github.com/a';
const hosts = 'https://!/a https://[::1]/a https://(x/a https://x(/a https://x$y/a https://x\\y';
const texts = ['https://x/a b', 'https://x/a\n::error::b', 'https://x/\u202ea', 'https://x/ä'];
const long = [`https://x/${'a'.repeat(491)}`, `https://ü${'a'.repeat(40)}/${'a'.repeat(445)}`];
const values = ['', ['https://x/a'], 7, null, undefined, {}];
it.each([...`${schemes} ${users} ${hosts}`.split(' '), ...texts, ...long, ...values])(
  'sanitizeLink rejects %o',
  (link) => {
    expect(sanitizeLink(link)).toBeUndefined();
  },
);

const server = 'https://git.example.com';
const paths = ['compare/a...b', 'tree/main', 'issues/7', 'commit/abc', 'pulls/7', 'pull/7x', ''];
it.each([
  'https://github.com/acme/docs/pull/7',
  'https://github.com/acme/docs/pull/7/files',
  `${server}/acme/docs/pull/7`,
  'https://gitlab.com/a/b/c/-/merge_requests/42',
  'https://gitlab.example.com/a/b/-/merge_requests/42',
  'https://bitbucket.org/acme/docs/pull-requests/7',
  'https://other.example/acme/docs/compare/a...b',
])('mayBePullRequest is true for %s', (link) => expect(mayBePullRequest(link, server)).toBe(true));

it.each([
  ...paths.map((path) => `https://github.com/acme/docs/${path}`),
  ...paths.map((path) => `${server}/acme/docs/${path}`),
  'https://github.com/acme/docs/-/merge_requests/42',
  'https://gitlab.com/acme/docs/pull/7',
  'https://gitlab.com/a/b/c/-/issues/42',
  'https://gitlab.example.com/a/b/-/compare/a...b',
])('mayBePullRequest is false for %s', (link) =>
  expect(mayBePullRequest(link, server)).toBe(false),
);

const host = 'https://github.com';
it.each<[string, string | undefined, string?]>([
  [`${host}/acme/docs/pull/123`, '123', 'acme/docs#123'],
  [`${host}/acme/docs/pull/7/files`, '7', 'acme/docs#7'],
  ['https://git.example.com/acme/docs/pull/7', '7'],
  ['https://evil.example/github.com/acme/docs/pull/128', undefined],
  ['https://gitlab.com/a/b/c/-/merge_requests/42', '42'],
  [`${host}/acme/docs`, undefined, 'acme/docs'],
  [`${host}/`, undefined],
])('the number and the name of a pull request of %s are %s and %s', (link, number, name) => {
  expect(parsePullRequest(link).number).toBe(number);
  expect(getLinkName(link, host)).toBe(name ?? link);
});

it.each(['pull/', 'pull/12x', 'pulls/12', 'issues/12', 'pull/x/pull/5', 'pull/1234567890123'])(
  'a pull request has no number for %s',
  (path) => {
    const link = `${host}/acme/docs/${path}`;
    expect(parsePullRequest(link).number).toBeUndefined();
    expect(getLinkName(link, host)).toBe(`acme/docs/${path}`);
  },
);
