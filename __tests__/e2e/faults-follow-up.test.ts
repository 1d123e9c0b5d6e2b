import { afterAll, describe, expect, it } from 'vitest';
import { closeActions } from '../helpers/action.ts';
import { closeServers, faults, jobRecord, type Step, scriptedService } from '../helpers/servers.ts';
import { begin, jobId, notStarted, opened, startUnknown, unchanged } from './faults-scenario.ts';

afterAll(async () => {
  await closeActions();
  await closeServers();
});

const active: Step = {};
const error = { error: 'not now' };
const polite: Step = { status: 503, headers: { 'retry-after': '1' }, body: error };
const busy: Step = { status: 429, headers: { 'retry-after': '1' }, body: error };
const ofAnother: Step = { body: jobRecord({ id: 'job_of_another' }) };

/** Sends a follow-up to a service that answers it so, and then goes on as it should. */
async function followUp(...steps: Step[]) {
  const service = await scriptedService({ followUp: steps, get: [active, opened] });
  const scenario = begin(service.url, { inputs: { 'job-id': jobId } });
  const countSent = (): number => service.requests.filter(({ call }) => call === 'follow-up').length;
  return { service, countSent, ...scenario };
}

describe.concurrent('a follow-up', () => {
  it.each<[string, number, Step[]]>([
    ['at once', 1, [{}]],
    ['202', 1, [{ status: 202 }]],
    ['429, then', 3, [busy, busy, {}]],
    ['a polite 503, then', 2, [polite, {}]],
  ])('arrives: %s', async (_, sent, steps) => {
    const { service, countSent, end } = await followUp(...steps);
    const ending = { outcome: 'pull-request-opened', code: '', creates: 0, jobs: 0 };
    const { outputs } = await end(service, ending);
    expect([countSent(), outputs['job-id']]).toEqual([sent, jobId]);
  });

  it.each<[string, string, number, Step]>([
    ['400', 'bad-request', 1, { status: 400, body: error }],
    ['401', 'unauthorized', 1, { status: 401, body: error }],
    ['403', 'forbidden', 1, { status: 403, body: error }],
    ['404', 'not-found', 1, { status: 404, body: error }],
    ['422', 'bad-request', 1, { status: 422, body: error }],
    ['308', 'redirected', 1, { status: 308, headers: { location: 'https://elsewhere.example/' } }],
    ['429 forever', 'rate-limited', 6, busy],
    ['a polite 503 forever', 'rate-limited', 3, polite],
  ])('surely does not arrive: %s', async (_, code, sent, step) => {
    const { service, countSent, end } = await followUp(step);
    const { outputs, annotations } = await end(service, notStarted(code));
    expect([countSent(), outputs['job-id']]).toEqual([sent, jobId]);
    expect(annotations.errors[0]).toContain('The follow-up was not delivered.');
  });

  it.each<[string, Step]>([
    ['500', { status: 500, body: error }],
    ['503 of a gateway', { status: 503, body: 'try again' }],
    ['408', { status: 408, body: error }],
    ['303', { status: 303, headers: { location: '/elsewhere' } }],
    ['a close', { fault: faults.close }],
    ['a reset', { fault: faults.reset }],
    ['an empty 200', { body: '' }],
    ['a page', { body: '<!doctype html><p>Sign in' }],
    ['a record without a status', { body: { id: jobId } }],
    ['the record of another job', ofAnother],
  ])('is sent once where it may have arrived: %s', async (_, step) => {
    const { service, countSent, end } = await followUp(step);
    const code = step.status === 303 ? 'redirected' : 'start-unknown';
    const { outputs, annotations } = await end(service, { ...startUnknown, code, creates: 0, jobs: 0 });
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain(`Agent job \`${jobId}\` may have received the follow-up.`);
    expect(annotations.errors[0]).not.toMatch(/second job|whether a job/);
  });

  it('is not said to have arrived when it is cancelled before', async () => {
    const { service, action, countSent, end } = await followUp({
      ...busy,
      headers: { 'retry-after': '600' },
    });
    await action.waitForLog('HTTP 429');
    await action.signal('SIGINT');
    const ending = { outcome: 'cancelled', code: 'cancelled', creates: 0, jobs: 0 };
    const { stdout, summary } = await end(service, ending);
    expect(countSent()).toBe(1);
    expect(`${stdout}${summary}`).toContain('The follow-up was not sent');
    expect(`${stdout}${summary}`).not.toMatch(/still running|job was started/);
  });

  it('may have arrived when it is cancelled while it is under way', async () => {
    const { service, action, countSent, end } = await followUp({ fault: faults.silence });
    await expect.poll(countSent).toBe(1);
    await action.signal('SIGINT');
    const ending = { outcome: 'cancelled', code: 'cancelled', creates: 0, jobs: 0 };
    const { summary } = await end(service, ending);
    expect(summary).toContain('may have received the follow-up');
    expect(summary).not.toContain('may have been started');
  });

  it('is not said to be final by a status that may be the one before it', async () => {
    const failing: Step = { status: 502, body: error };
    const service = await scriptedService({ followUp: [unchanged], get: [unchanged, failing] });
    const { end } = begin(service.url, {
      // In real time: the last poll has 1.8 s.
      timeScale: 1,
      inputs: { 'job-id': jobId, 'timeout-minutes': '0.1', 'poll-interval-seconds': '3' },
    });
    const ending = { outcome: 'timed-out', code: 'timed-out', creates: 0, jobs: 0 };
    const { annotations, stdout } = await end(service, ending);
    expect(annotations.errors[0]).toContain(`Agent job \`${jobId}\` has not confirmed a final status after `);
    expect(stdout).toContain('the last poll failed (HTTP 502: not now)');
  });
});
