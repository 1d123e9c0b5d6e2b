import { afterAll, describe, expect, it } from 'vitest';
import { closeActions } from '../helpers/action.ts';
import { closeServers, type ScriptedService, type Step, scriptedService } from '../helpers/servers.ts';
import { begin, notStarted, opened, success, TIME_SCALE } from './faults-scenario.ts';

afterAll(async () => {
  await closeActions();
  await closeServers();
});

const busy = { error: 'too many requests' };

/** A refusal that allows another try. */
function refuse(headers: Record<string, string | string[]>, status = 429): Step {
  return { status, headers, body: busy };
}

/** The pauses between creates in scaled seconds, plus 5 % because timers are not exact. */
function toPauses({ requests }: ScriptedService, timeScale: number): number[] {
  const times = requests.filter(({ call }) => call === 'create').map(({ atMs }) => atMs);
  return times.slice(1).map((at, index) => ((at - (times[index] ?? 0)) * timeScale * 1.05) / 1000);
}

describe.concurrent('a create that is refused with a pause', () => {
  const twice = { ...success, creates: 2 };

  it('429 with seconds', async () => {
    const service = await scriptedService({ create: [refuse({ 'retry-after': '8' }), {}], get: [opened] });
    const result = await begin(service.url, { timeScale: 4 }).end(service, twice);
    const [pause = 0] = toPauses(service, 4);
    expect(pause).toBeGreaterThanOrEqual(8);
    expect(pause).toBeLessThan(30);
    expect(result.stdout).toMatch(
      /the service asked to wait \(HTTP 429: too many requests\), retrying in [89] s/,
    );
  });

  it('429 with no seconds at all', async () => {
    const service = await scriptedService({ create: [refuse({ 'retry-after': '0' }), {}], get: [opened] });
    await begin(service.url, { timeScale: 4 }).end(service, twice);
    expect(toPauses(service, 4)[0]).toBeLessThan(30);
  });

  it.each([
    ['right', 0],
    ['a day behind', -1],
    ['a day ahead', 1],
  ])('429 with a date, by a clock that is %s', async (_title, days) => {
    const nowMs = Date.now() + days * 86_400_000;
    const headers = {
      date: new Date(nowMs).toUTCString(),
      'retry-after': new Date(nowMs + 12_000).toUTCString(),
    };
    const service = await scriptedService({ create: [refuse(headers), {}], get: [opened] });
    await begin(service.url, { timeScale: 4 }).end(service, twice);
    const [pause = 0] = toPauses(service, 4);
    expect(pause).toBeGreaterThanOrEqual(12);
    expect(pause).toBeLessThan(28);
  });

  it('429 with none', async () => {
    const service = await scriptedService({ create: [refuse({}), refuse({}), {}], get: [opened] });
    await begin(service.url, { timeScale: 50 }).end(service, { ...success, creates: 3 });
    const [first = 0, second = 0] = toPauses(service, 50);
    expect(first).toBeGreaterThanOrEqual(30);
    expect(second).toBeGreaterThanOrEqual(60);
  });

  it.each([
    ['a day', '86400', /(24 h|1 day|86,?400 s)/],
    ['the longest', '999999999', /\d+ h|day|999,?999,?999 s/],
  ])('429 that asks for more than is left (%s)', async (_title, seconds, time) => {
    const service = await scriptedService({ create: [refuse({ 'retry-after': seconds })] });
    const result = await begin(service.url).end(service, notStarted('rate-limited', 1));
    expect(Number(result.outputs['elapsed-seconds'])).toBeLessThan(60);
    expect(result.annotations.errors[0]).toMatch(time);
  });

  const soon = new Date(Date.now() + 2_000);
  it.each<[string, Record<string, string | string[]>]>([
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
    const service = await scriptedService({ create: [refuse(headers), {}], get: [opened] });
    await begin(service.url, { timeScale: 15 }).end(service, twice);
    const [pause = 0] = toPauses(service, 15);
    expect(pause).toBeGreaterThanOrEqual(30);
    expect(pause).toBeLessThan(240);
  });

  it('429 forever', async () => {
    const service = await scriptedService({ create: [refuse({ 'retry-after': '2' })] });
    const result = await begin(service.url).end(service, notStarted('rate-limited', 6));
    expect(toPauses(service, TIME_SCALE).every((pause) => pause >= 2)).toBe(true);
    expect(result.annotations.errors[0]).toContain('HTTP 429: too many requests');
  });

  it('429 forever, with pauses that soon exceed what is left', async () => {
    const service = await scriptedService({ create: [refuse({})] });
    const inputs = { 'timeout-minutes': '1.5' };
    await begin(service.url, { inputs, timeScale: 12 }).end(service, notStarted('rate-limited', 2));
  });

  it('a 503 with Retry-After and an error', async () => {
    const polite = refuse({ 'retry-after': '4' }, 503);
    const service = await scriptedService({ create: [polite, polite, {}], get: [opened] });
    await begin(service.url).end(service, { ...success, creates: 3 });
    expect(toPauses(service, TIME_SCALE).every((pause) => pause >= 4)).toBe(true);
  });

  it('a 503 with Retry-After and an error, forever', async () => {
    const service = await scriptedService({ create: [refuse({ 'retry-after': '1' }, 503)] });
    await begin(service.url).end(service, notStarted('rate-limited', 3));
  });

  it('a refusal, then an answer that does not say whether a job started: no third create', async () => {
    const create = [refuse({ 'retry-after': '1' }), { status: 500, madeJob: true }];
    const service = await scriptedService({ create });
    const ending = { outcome: 'start-unknown', code: 'start-unknown', creates: 2, jobs: 1 };
    await begin(service.url).end(service, ending);
  });
});
