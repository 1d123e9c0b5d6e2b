import { describe, expect, it } from 'vitest';
import type { ScriptedService, Step } from '../helpers/servers.ts';
import { notStarted, opened, play, startUnknown, success, TIME_SCALE } from './scenario.ts';

/** The headers of a refusal about the time to wait. */
type Headers = Record<string, string | string[]>;

/** A refusal that allows another try. */
function refuse(headers: Headers, status = 429): Step {
  return { status, headers, body: { error: 'too many requests' } };
}

/** The pauses between creates in scaled seconds, plus 5 % because timers are not exact. */
function toPauses(service: ScriptedService, timeScale = TIME_SCALE): number[] {
  const times = service.seen('create').map(({ atMs }) => atMs);
  return times.slice(1).map((at, index) => ((at - (times[index] ?? 0)) * timeScale * 1.05) / 1000);
}

/** The pauses of a run whose creates are refused with these headers, and then succeed. */
async function getPauses(refusals: Headers[], timeScale: number): Promise<number[]> {
  const script = { create: [...refusals.map((headers) => refuse(headers)), {}], get: [opened] };
  const { service, result } = await play(script, { ...success, creates: refusals.length + 1 }, { timeScale });
  const lines = /the service asked to wait \(HTTP 429: too many requests\), retrying in \d+ (?:s|min)/g;
  expect(result.stdout.match(lines)).toHaveLength(refusals.length);
  return toPauses(service, timeScale);
}

/** Headers that ask to wait for four seconds, by a clock that is `days` off. */
function waitUntil(days: number): Headers {
  const nowMs = Date.now() + days * 86_400_000;
  return { date: new Date(nowMs).toUTCString(), 'retry-after': new Date(nowMs + 4_000).toUTCString() };
}

describe.concurrent('a create that is refused with a pause', () => {
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';

  it.each<[string, Headers[]]>([
    [
      'numbers: plain, with white space behind and before it, and twice',
      [
        { 'retry-after': '4' },
        { 'retry-after': '4 \t' },
        { 'retry-after': '\t 4' },
        { 'retry-after': ['4', '4'] },
      ],
    ],
    [
      'dates by a clock that is right, a day behind, and a day ahead',
      [waitUntil(0), waitUntil(-1), waitUntil(1)],
    ],
    [
      'a date with white space around it',
      [{ 'retry-after': 'Fri, 20 Nov 2026 18:30:04 GMT ', date: ` ${date}` }],
    ],
  ])('429 that asks for 4 s, by %s', async (_title, refusals) => {
    for (const pause of await getPauses(refusals, 4)) {
      expect(pause).toBeGreaterThanOrEqual(4);
      // Without the field, 30 s.
      expect(pause).toBeLessThan(29);
    }
  });

  // unit/http has every other text that is none.
  it('429 with a Retry-After in two fields, in other digits, and without a date to measure by', async () => {
    const refusals = [
      { 'retry-after': ['1', '2'] },
      { 'retry-after': Buffer.from('١').toString('latin1') },
      { 'retry-after': date, date: 'now' },
    ];
    const [first, second, third] = await getPauses(refusals, 25);
    expect(first).toBeGreaterThanOrEqual(30);
    expect(second).toBeGreaterThanOrEqual(60);
    expect(third).toBeGreaterThanOrEqual(120);
  });

  it('429 that asks for more than is left', async () => {
    const create = [refuse({ 'retry-after': '1' }), refuse({ 'retry-after': '999999999' })];
    const { result } = await play({ create }, notStarted('rate-limited', 2));
    expect(Number(result.outputs['elapsed-seconds'])).toBeLessThan(60);
    expect(result.annotations.errors[0]).toMatch(
      /it asks to wait 277777 h 46 min, but only 29 min \d+ s are left/,
    );
  });

  it.each([
    [429, 6],
    [503, 3],
  ])('%i forever', async (status, creates) => {
    const create = [refuse({ 'retry-after': '2' }, status)];
    const { service, result } = await play({ create }, notStarted('rate-limited', creates));
    expect(toPauses(service).filter((pause) => pause < 2)).toEqual([]);
    expect(result.annotations.errors[0]).toContain(`HTTP ${status}: too many requests`);
  });

  it('refusals, then an answer that does not say whether a job started: no other create', async () => {
    const create = [
      refuse({ 'retry-after': '0' }),
      refuse({ 'retry-after': '1' }, 503),
      { status: 500, madeJob: true },
    ];
    const { service } = await play({ create }, { ...startUnknown, creates: 3 });
    for (const pause of toPauses(service)) expect(pause).toBeLessThan(29);
  });
});
