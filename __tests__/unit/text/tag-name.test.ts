import { expect, it } from 'vitest';
import { isTagName } from '../../../src/text/tag-name.ts';

it.each(['v1.2.0', 'pkg@1.0.0', '@a/b@1.0.0', 'release/2026', 'ünï', 'a.lock.b', 'a.lockb', 'x'.repeat(255)])(
  'isTagName accepts %s',
  (name) => {
    expect(isTagName(name)).toBe(true);
  },
);

it.each([
  ...['', 'a b', 'a..b', '../a', '/a', 'a/', 'a//b', 'a/.b', '.a', '-a', 'a.', 'a.lock', 'a.lock/b'],
  ...['a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', 'a@{1}', '@', 'a\nb', 'a\u202eb', 'x'.repeat(256)],
])('isTagName refuses "%s"', (name) => {
  expect(isTagName(name)).toBe(false);
});
