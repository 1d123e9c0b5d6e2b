import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/http/retry-after.ts';
import { parseJob } from '../../src/job/job.ts';
import { hostileText, parameters } from './parameters.ts';

describe('parseRetryAfter', () => {
  it('returns nothing or a number in range for any text', () => {
    const date = fc.date({ noInvalidDate: true }).map((instant) => instant.toUTCString());
    const field = fc.option(fc.oneof(hostileText, date, fc.stringMatching(/^[0-9 +.-]{0,12}$/)), {
      nil: undefined,
    });
    fc.assert(
      fc.property(field, field, (value, now) => {
        const ms = parseRetryAfter(value, now);
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }),
      parameters,
    );
  });
});

describe('parseJob', () => {
  it('returns a typed record or nothing for any JSON', () => {
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
    fc.assert(
      fc.property(reply, (value) => {
        const job = parseJob(value, (text) => text);
        if (job === undefined) {
          return;
        }
        expect(job.id).toMatch(/^[\w-][\w.~-]{0,127}$/);
        expect(job.status.length).toBeLessThanOrEqual(256);
        expect(() => JSON.parse(job.json)).not.toThrow();
        expect(job.json.length).toBeLessThanOrEqual(65_536);
        expect(job.json).not.toMatch(/[\r\n]/);
      }),
      parameters,
    );
  });
});
