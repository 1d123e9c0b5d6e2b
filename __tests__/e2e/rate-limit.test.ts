import { describe, expect, it } from 'vitest';
import type { ScriptedService, Step } from '../helpers/servers.ts';
import { notStarted, opened, play, startUnknown, success, TIME_SCALE } from './scenario.ts';

/** The headers of a refusal that say how long to wait. */
type Headers = Record<string, string | string[]>;

/** A refusal that allows another try. */
function refuse(headers: Headers, status = 429): Step {
  return { status, headers, body: { error: 'too many requests' } };
}

/** The pauses between create requests in scaled seconds, plus 5 % because timers are not exact. */
function toPauses(service: ScriptedService, timeScale = TIME_SCALE): number[] {
  const times = service.seen('create').map(({ atMs }) => atMs);
  return times.slice(1).map((at, index) => ((at - (times[index] ?? 0)) * timeScale * 1.05) / 1000);
}

/** The pauses of a run whose create requests are refused with these headers, and then succeed. */
async function getPauses(refusals: Headers[], timeScale: number): Promise<number[]> {
  const script = { create: [...refusals.map((headers) => refuse(headers)), {}], get: [opened] };
  const { service, result } = await play(script, { ...success, creates: refusals.length + 1 }, { timeScale });
  const lines = /rate-limited \(HTTP 429: too many requests\), retrying in \d+ (?:s|min)/g;
  expect(result.stdout.match(lines)).toHaveLength(refusals.length);
  return toPauses(service, timeScale);
}

describe.concurrent('a create request that is told to wait', () => {
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';

  // unit/http/retry-after.test.ts shows every other text.
  it.each<[string, Headers]>([
    ['a number', { 'retry-after': '4 \t' }],
    [
      'a date, with any time on the clock of the runner',
      { 'retry-after': date.replace('00 GMT', '04 GMT'), date },
    ],
  ])('waits for four seconds if asked by %s', async (_title, headers) => {
    for (const pause of await getPauses([headers], 4)) {
      expect(pause).toBeGreaterThanOrEqual(4);
      // Without the field, 30 s.
      expect(pause).toBeLessThan(29);
    }
  });

  it('gives up after six create requests', async () => {
    const create = [refuse({ 'retry-after': '2' })];
    const { service, result } = await play({ create }, notStarted('rate-limited', 6));
    expect(toPauses(service).filter((pause) => pause < 2)).toEqual([]);
    expect(result.annotations.errors[0]).toContain('HTTP 429: too many requests');
  });

  // unit/service/retry-policy.test.ts shows every other word.
  it('is not retried when the credits are used up', async () => {
    const create = [{ ...refuse({ 'retry-after': '1' }), body: { error: 'No credits left' } }];
    const { result } = await play({ create }, notStarted('rate-limited', 1));
    expect(result.annotations.errors[0]).toContain("The organization doesn't have enough credits");
  });

  it('is not retried when a later response does not say whether a job started', async () => {
    const create = [
      refuse({ 'retry-after': '0' }),
      { ...refuse({ 'retry-after': '1' }, 503), madeJob: true },
    ];
    const { service } = await play({ create }, { ...startUnknown, creates: 2 });
    for (const pause of toPauses(service)) expect(pause).toBeLessThan(29);
  });
});
