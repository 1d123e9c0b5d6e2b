import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parseVersionTag } from '../../src/github/version-tag.ts';
import { BLOCK_LIMIT, renderReleaseFacts } from '../../src/prompt/release-facts.ts';
import { forAll } from './for-all.ts';
import { hostileText } from './parameters.ts';

describe('renderReleaseFacts', () => {
  const texts = fc.array(fc.tuple(hostileText, fc.nat(200)), { maxLength: 30 });

  forAll(
    'returns one section of limited length for any text',
    [texts, hostileText, fc.nat(5_000), fc.boolean()],
    (parts, tag, more, isCut) => {
      const long = parts.map(([text, times]) => text.repeat(times));
      const section = renderReleaseFacts(
        {
          repository: 'acme/widgets',
          url: 'https://github.com/acme/widgets',
          tag: tag.slice(0, 255),
          commit: undefined,
          previous: { tag: tag.slice(0, 255) },
          changes: {
            commits: long.map((text) => ({
              sha: text,
              commit: { message: text },
              author: { login: text },
            })),
            total: long.length + more,
            files: long.map((path) => ({
              filename: path,
              previous_filename: path,
              status: path,
              additions: more,
              deletions: more,
            })),
            isCut,
            isDiverged: false,
          },
          notes: long.join('\n'),
          missing: [],
          reason: '',
          isRefused: false,
        },
        undefined,
        (text) => text,
      );
      expect(section.length).toBeLessThanOrEqual(BLOCK_LIMIT);
      expect(section.isWellFormed()).toBe(true);
      const [, , first = '', ...lines] = section.split('\n');
      const name = /^<(release-facts-[0-9a-f]{12})>$/.exec(first)?.[1] ?? '-';
      expect(lines.pop()).toBe(`</${name}>`);
      expect(section.split(name)).toHaveLength(3);
      expect(lines.filter((line) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line))).toEqual([]);
      const known =
        /^(?:$|Repository: |Tag: |Previous tag: |Compare: |Commits |Changed |Release |[->] |>$)/;
      expect(lines.filter((line) => !known.test(line))).toEqual([]);
    },
    1 / 5,
  );
});

describe('version tags', () => {
  const part = fc.nat(20);
  const version = fc
    .tuple(part, part, part, fc.constantFrom('', '', '-rc.1', '-rc.2', '+build'))
    .map(([major, minor, patch, suffix]) => `${major}.${minor}.${patch}${suffix}`);
  const tag = fc
    .tuple(fc.constantFrom('', 'v', 'pkg@', 'pkg/v'), version)
    .map((parts) => parts.join(''));

  const digits = fc.string({ unit: fc.constantFrom(...'0123456789.v-+/@'), maxLength: 300 });
  forAll(
    'are parsed either completely or not at all, for any text',
    [fc.oneof(hostileText, digits, tag)],
    (text) => {
      const parsed = parseVersionTag(text);
      expect(
        parsed === undefined || text.startsWith(`${parsed.prefix}${parsed.version.version}`),
      ).toBe(true);
    },
  );
});
