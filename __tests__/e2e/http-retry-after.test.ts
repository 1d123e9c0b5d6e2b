import { afterAll, describe, expect, it, vi } from 'vitest';
import { closeActions } from '../helpers/action.ts';
import { closeServers, scriptedService } from '../helpers/servers.ts';
import { begin, opened, success } from './faults-scenario.ts';

vi.setConfig({ maxConcurrency: 6 });

afterAll(async () => {
  await closeActions();
  await closeServers();
});

const timeScale = 4;

describe.concurrent('a create that is to be repeated after 4 s', () => {
  it.each<[string, Record<string, string | string[]>]>([
    ['white space after the number', { 'retry-after': '4 \t' }],
    ['white space before the number', { 'retry-after': '\t 4' }],
    ['the number twice', { 'retry-after': ['4', '4'] }],
    [
      'a date with white space after it',
      { 'retry-after': 'Fri, 20 Nov 2026 18:30:04 GMT ', date: ' Fri, 20 Nov 2026 18:30:00 GMT' },
    ],
    [
      'a date as in RFC 850',
      { 'retry-after': 'Friday, 20-Nov-26 18:30:04 GMT', date: 'Fri, 20 Nov 2026 18:30:00 GMT' },
    ],
    ['a date as in C', { 'retry-after': 'Fri Nov 20 18:30:04 2026', date: 'Fri Nov 20 18:30:00 2026' }],
  ])('says so by %s', async (_, headers) => {
    const limited = { status: 429, headers, body: { error: 'slow down' } };
    const service = await scriptedService({ create: [limited, {}], get: [opened] });
    await begin(service.url, { timeScale }).end(service, { ...success, creates: 2 });
    const [first, second] = service.seen('create').map(({ atMs }) => atMs * timeScale);
    const gapMs = (second ?? 0) - (first ?? 0);
    expect(gapMs).toBeGreaterThanOrEqual(4_000);
    // Without the field, 30 s.
    expect(gapMs).toBeLessThan(29_000);
  });
});
