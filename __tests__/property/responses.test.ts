import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parseRetryAfter } from '../../src/http/retry-after.ts';
import { parseJob } from '../../src/service/job.ts';
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
});
