import fc from 'fast-check';
import { type Job, parseJob } from '../../src/service/job.ts';
import { hostileText, webAddress } from './parameters.ts';

/** A link from the service: an address with hostile text in any place, or not an address. */
const hostileLink = fc.oneof(
  hostileText,
  hostileText.map((text) => `https://github.com/acme/docs/pull/1${text}`),
  hostileText.map((text) => `https://github.com/${text}/pull/1`),
  hostileText.map((text) => `https://${text}/acme/docs/pull/1`),
  webAddress,
  fc.ipV6().map((address) => `https://[${address}]/acme/docs/pull/1`),
  fc.constantFrom(
    'https://github.com/acme/docs/pull/1',
    'https://github.com/acme/docs/issues/2?x=/pull/1',
    'https://gitlab.com/acme/docs/-/merge_requests/1',
    null,
  ),
);

const other = fc.constantFrom(null, 7, true, [], {}, ['x'], { repository: {}, ref: 1 });
const field = fc.oneof(hostileText, other, fc.stringMatching(/^[\w.:/@+~-]{1,40}$/));
const instant = fc.oneof(
  field,
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const status = fc.oneof(
  hostileText,
  fc.constantFrom('active', 'completed', 'archived', 'failed', `${'x'.repeat(255)}📖`),
);

/** A reply with an id and a status, and anything in every other field. */
export const hostileRecord = fc.record(
  {
    id: fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-](:?[A-Za-z0-9._~-]){0,40}$/), fc.maxSafeNat()),
    status,
    source: fc.oneof(field, fc.record({ repository: fc.oneof(hostileLink, field), ref: field })),
    model: field,
    prLink: fc.oneof(hostileLink, field),
    createdAt: instant,
    archivedAt: instant,
    error: field,
  },
  { requiredKeys: ['id', 'status'] },
);

/** The job in such a reply. */
export const hostileJob: fc.Arbitrary<Job> = hostileRecord.map((record) => {
  const job = parseJob(record, (text) => text);
  if (job === undefined) {
    throw new Error('a record with an id and a status is a job');
  }
  return job;
});
