import fc from 'fast-check';
import type { ApiResult } from '../../src/service/agent-client.ts';
import { createResponse, createTestJob, silent, unsent } from '../unit/fixtures.ts';

// One failure that is retried, and two that are not: of the certificate and of the proxy.
const code = fc.constantFrom('connect-failed', 'tls-failed', 'proxy-refused');
const status = fc.constantFrom('active', 'active', 'completed', 'archived', 'failed', 'paused');

/** The result of a call. Only a success has a record. */
export const apiResult: fc.Arbitrary<ApiResult> = fc.oneof(
  code.map((code) => ({ ...unsent, code, isTransient: code === 'connect-failed' })),
  fc.constant(silent),
  fc
    .record({
      httpStatus: fc.oneof(
        fc.constantFrom(200, 201, 202, 204, 303, 401, 403, 404, 408, 425, 429, 500, 502, 503),
        fc.integer({ min: 100, max: 599 }),
      ),
      status,
      isReadable: fc.boolean(),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 400_000 }), { nil: undefined }),
    })
    .map(({ httpStatus, status, isReadable, retryAfterMs }) => {
      const isSuccess = httpStatus >= 200 && httpStatus < 300;
      const job = isReadable && isSuccess ? createTestJob({ status }) : undefined;
      return createResponse(httpStatus, { job, hasErrorBody: isReadable && !isSuccess, retryAfterMs });
    }),
);

/** A result of `Math.random`. */
export const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
