import { describe, expect, it } from 'vitest';
import type { ScriptedService, Step } from '../helpers/servers.ts';
import { notStarted, opened, play, startUnknown, success, TIME_SCALE } from './faults-scenario.ts';

/** What the headers of a refusal say about the time to wait. */
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

/** The pause before the second create, in scaled seconds. */
async function getPause(headers: Headers, timeScale: number): Promise<number> {
  const script = { create: [refuse(headers), {}], get: [opened] };
  const { service, result } = await play(script, { ...success, creates: 2 }, { timeScale });
  expect(result.stdout).toMatch(
    /the service asked to wait \(HTTP 429: too many requests\), retrying in \d+ s/,
  );
  return toPauses(service, timeScale)[0] ?? 0;
}

/** What asks to wait for four seconds by dates, on a clock that is so many days off. */
function waitUntil(days: number): Headers {
  const nowMs = Date.now() + days * 86_400_000;
  return { date: new Date(nowMs).toUTCString(), 'retry-after': new Date(nowMs + 4_000).toUTCString() };
}

describe.concurrent('a create that is refused with a pause', () => {
  it.each<[string, Headers]>([
    ['a number', { 'retry-after': '4' }],
    ['white space after the number', { 'retry-after': '4 \t' }],
    ['white space before the number', { 'retry-after': '\t 4' }],
    ['the number twice', { 'retry-after': ['4', '4'] }],
    ['a date, by a clock that is right', waitUntil(0)],
    ['a date, by a clock that is a day behind', waitUntil(-1)],
    ['a date, by a clock that is a day ahead', waitUntil(1)],
    [
      'a date with white space around it',
      { 'retry-after': 'Fri, 20 Nov 2026 18:30:04 GMT ', date: ' Fri, 20 Nov 2026 18:30:00 GMT' },
    ],
    [
      'a date as in RFC 850',
      { 'retry-after': 'Friday, 20-Nov-26 18:30:04 GMT', date: 'Fri, 20 Nov 2026 18:30:00 GMT' },
    ],
    ['a date as in C', { 'retry-after': 'Fri Nov 20 18:30:04 2026', date: 'Fri Nov 20 18:30:00 2026' }],
  ])('429 that asks for 4 s by %s', async (_title, headers) => {
    const pause = await getPause(headers, 4);
    expect(pause).toBeGreaterThanOrEqual(4);
    // Without the field, 30 s.
    expect(pause).toBeLessThan(29);
  });

  it('429 that asks for no seconds at all', async () => {
    expect(await getPause({ 'retry-after': '0' }, 4)).toBeLessThan(29);
  });

  const soon = new Date(Date.now() + 2_000);
  it.each<[string, Headers]>([
    ['a fraction', { 'retry-after': '1.5' }],
    ['a negative number', { 'retry-after': '-1' }],
    ['a sign', { 'retry-after': '+1' }],
    ['an exponent', { 'retry-after': '1e0' }],
    ['hex', { 'retry-after': '0x1' }],
    ['a unit', { 'retry-after': '1s' }],
    ['a list', { 'retry-after': '1, 2' }],
    ['two fields', { 'retry-after': ['1', '2'] }],
    ['ten digits', { 'retry-after': '9999999999' }],
    ['a word', { 'retry-after': 'soon' }],
    ['nothing', { 'retry-after': '' }],
    ['other digits', { 'retry-after': Buffer.from('١').toString('latin1') }],
    ['an ISO date', { 'retry-after': soon.toISOString() }],
    ['a date on the wrong day', { 'retry-after': 'Mon, 06 Nov 1994 08:49:37 GMT' }],
    ['a date without a date to measure it by', { 'retry-after': soon.toUTCString(), date: 'now' }],
  ])('429 with a Retry-After that is %s counts as none', async (_title, headers) => {
    const pause = await getPause(headers, 15);
    expect(pause).toBeGreaterThanOrEqual(30);
    expect(pause).toBeLessThan(240);
  });

  it.each([
    ['a day', '86400', /(24 h|1 day|86,?400 s)/],
    ['the longest', '999999999', /\d+ h|day|999,?999,?999 s/],
  ])('429 that asks for more than is left (%s)', async (_title, seconds, time) => {
    const create = [refuse({ 'retry-after': seconds })];
    const { result } = await play({ create }, notStarted('rate-limited', 1));
    expect(Number(result.outputs['elapsed-seconds'])).toBeLessThan(60);
    expect(result.annotations.errors[0]).toMatch(time);
  });

  it.each<[string, Step[], number[], number]>([
    ['429 with none', [refuse({}), refuse({}), {}], [30, 60], 50],
    [
      '503 with an error',
      [refuse({ 'retry-after': '4' }, 503), refuse({ 'retry-after': '4' }, 503), {}],
      [4, 4],
      5,
    ],
  ])('%s, twice', async (_title, create, pauses, timeScale) => {
    const { service } = await play({ create, get: [opened] }, { ...success, creates: 3 }, { timeScale });
    for (const [index, pause] of toPauses(service, timeScale).entries()) {
      expect(pause).toBeGreaterThanOrEqual(pauses[index] ?? Number.POSITIVE_INFINITY);
    }
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

  it('429 forever, with pauses that soon exceed what is left', async () => {
    const options = { inputs: { 'timeout-minutes': '1.5' }, timeScale: 12 };
    await play({ create: [refuse({})] }, notStarted('rate-limited', 2), options);
  });

  it('a refusal, then an answer that does not say whether a job started: no third create', async () => {
    const create = [refuse({ 'retry-after': '1' }), { status: 500, madeJob: true }];
    await play({ create }, { ...startUnknown, creates: 2 });
  });
});
