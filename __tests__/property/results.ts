import fc from 'fast-check';
import type { ConnectFailure } from '../../src/http/connection.ts';
import type { Evidence } from '../../src/job/retry-policy.ts';

const failures: ConnectFailure[] = [
  'unreachable',
  'connect-timeout',
  'tls',
  'proxy-unavailable',
  'proxy-refused',
  'proxy-invalid',
];

/** Everything that can be known of a request that has ended; a record comes with a success alone. */
export const evidence: fc.Arbitrary<Evidence> = fc.oneof(
  fc.record({ kind: fc.constant('not-sent' as const), failure: fc.constantFrom(...failures) }),
  fc.record({ kind: fc.constant('no-response' as const) }),
  fc
    .record({
      httpStatus: fc.oneof(
        fc.constantFrom(200, 201, 202, 204, 303, 401, 403, 404, 408, 425, 429, 500, 502, 503),
        fc.integer({ min: 100, max: 599 }),
      ),
      isReadable: fc.boolean(),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 400_000 }), { nil: undefined }),
    })
    .map(({ httpStatus, isReadable, retryAfterMs }) => {
      const isSuccess = httpStatus >= 200 && httpStatus < 300;
      const body = { hasJob: isReadable && isSuccess, hasError: isReadable && !isSuccess };
      return { kind: 'response' as const, httpStatus, ...body, retryAfterMs };
    }),
);

/** What `Math.random` gives. */
export const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
