/**
 * Returns a job record of the service, with some fields changed. `undefined` leaves a field out.
 */
export function jobRecord(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'job_0123456789abcdef',
    status: 'active',
    source: { repository: 'https://github.com/acme/docs', ref: 'docs-agent/update' },
    model: 'sonnet',
    prLink: null,
    createdAt: '2026-08-01T12:00:00.000Z',
    archivedAt: null,
    ...changes,
  };
}
