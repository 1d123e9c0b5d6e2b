import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parseRetryAfter } from '../../src/http/retry-after.ts';
import { parseJob } from '../../src/service/job.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { forAll } from './for-all.ts';
import { hostileRecord } from './jobs.ts';
import { hostileText } from './parameters.ts';

describe('parseRetryAfter', () => {
  const date = fc.date({ noInvalidDate: true }).map((instant) => instant.toUTCString());
  const field = fc.option(fc.oneof(hostileText, date, fc.stringMatching(/^[0-9 +.-]{0,12}$/)), {
    nil: undefined,
  });
  forAll('returns nothing or a number in range for any text', [field, field], (value, now) => {
    const ms = parseRetryAfter(value, now);
    expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
  });
});

describe('parseJob', () => {
  const spoiled = fc
    .tuple(hostileRecord, fc.constantFrom('id', 'status'), fc.jsonValue())
    .map(([record, field, value]) => ({ ...record, [field]: value }));
  const reply = fc.oneof(fc.jsonValue(), hostileRecord, spoiled);
  forAll('returns a typed record or nothing for any JSON', [reply], (value) => {
    const job = parseJob(value, (text) => text);
    if (job === undefined) return;
    expect(job.id).toMatch(/^[\w-][\w.~:-]{0,127}$/);
    expect(job.status.length).toBeLessThanOrEqual(256);
    expect(() => JSON.parse(job.json)).not.toThrow();
    expect(job.json.length).toBeLessThanOrEqual(65_536);
    expect(job.json).not.toMatch(/[\r\n]/);
  });

  const secret = fc.stringMatching(/^mint_[1-9]{16,40}$/);
  forAll(
    'redacts a piece of the key in a value of any type',
    [secret, fc.nat(8), fc.integer({ min: 8, max: 15 })],
    (key, from, length) => {
      const piece = key.slice(5 + from, 5 + from + length);
      fc.pre(piece.length >= 8);
      const values = [
        piece,
        Number(piece),
        -piece,
        Number(`0.${piece}`),
        `x${piece}`,
        [piece],
        { [piece]: 1 },
      ];
      const source = { repository: `https://github.com/${piece}`, ref: piece };
      for (const extra of values) {
        const record = { id: 'job_1', status: piece, model: piece, prLink: source.repository, source, extra };
        const job = parseJob(record, createRedactor(key));
        expect(job).toMatchObject({ status: '***', model: undefined, ref: undefined, prLink: undefined });
        expect(JSON.stringify(job)).not.toContain(piece);
      }
    },
  );
});
