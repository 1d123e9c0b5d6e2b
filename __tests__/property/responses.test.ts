import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parseRetryAfter } from '../../src/http/retry-after.ts';
import { parseJob } from '../../src/job/job.ts';
import { forAll } from './for-all.ts';
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
  const fields = [
    'id',
    'status',
    'source',
    'repository',
    'ref',
    'model',
    'prLink',
    'createdAt',
    'archivedAt',
  ];
  const reply = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom(...fields), fc.oneof(fc.jsonValue(), hostileText)),
    fc.record(
      { id: fc.constantFrom('job_1', 'a.b'), status: hostileText },
      { requiredKeys: ['id', 'status'] },
    ),
  );
  forAll('returns a typed record or nothing for any JSON', [reply], (value) => {
    const job = parseJob(value, (text) => text);
    if (job === undefined) {
      return;
    }
    expect(job.id).toMatch(/^[\w-][\w.~-]{0,127}$/);
    expect(job.status.length).toBeLessThanOrEqual(256);
    expect(() => JSON.parse(job.json)).not.toThrow();
    expect(job.json.length).toBeLessThanOrEqual(65_536);
    expect(job.json).not.toMatch(/[\r\n]/);
  });
});
