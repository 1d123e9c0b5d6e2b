import { describe, expect, it } from 'vitest';
import { faults, jobRecord, type Step } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  cancelled,
  jobId,
  link,
  none,
  notStarted,
  opened,
  play,
  start,
  startUnknown,
  success,
  timedOut,
} from './scenario.ts';

const error = { error: 'not now' };
const polite = askToWait(1, 503);
const canceled = { ...cancelled, ...none };

/** Sends a follow-up to a service that answers it so, and then goes on as it should. */
async function followUp(...steps: Step[]) {
  const inputs = { 'job-id': jobId };
  const run = await start({ followUp: steps, get: [active, opened] }, { inputs });
  return { ...run, countSent: () => run.service.seen('follow-up').length };
}

describe.concurrent('a follow-up', () => {
  it.each<[string, Step[]]>([
    ['at once', [{}]],
    ['after a 429 and a polite 503, with 202', [askToWait(1), polite, { status: 202 }]],
  ])('arrives %s', async (_, steps) => {
    const { countSent, end } = await followUp(...steps);
    const { outputs } = await end({ ...success, ...none });
    expect([countSent(), outputs['job-id']]).toEqual([steps.length, jobId]);
  });

  it.each<[string, string, number, Step]>([
    ['404', 'not-found', 1, { status: 404, body: error }],
    ['308', 'redirected', 1, { status: 308, headers: { location: 'https://elsewhere.example/' } }],
    ['a polite 503 forever', 'rate-limited', 3, polite],
  ])('surely does not arrive: %s', async (_, code, sent, step) => {
    const { countSent, end } = await followUp(step);
    const { outputs, annotations } = await end(notStarted(code));
    expect([countSent(), outputs['job-id']]).toEqual([sent, jobId]);
    expect(annotations.errors[0]).toContain('The follow-up was not delivered, so nothing was spent.');
  });

  it.each<[string, string, Step]>([
    ['302', 'redirected', { status: 302, headers: { location: '/elsewhere' } }],
    ['a close', 'start-unknown', { fault: faults.close }],
    ['the record of another job', 'start-unknown', { body: jobRecord({ id: 'job_of_another' }) }],
  ])('is sent once where it may have arrived: %s', async (_, code, step) => {
    const { countSent, end } = await followUp(step);
    const { outputs, annotations } = await end({ ...startUnknown, ...none, code });
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain(
      `Agent job \`${jobId}\` may have received the follow-up, which may`,
    );
    expect(annotations.errors[0]).not.toMatch(/second job|whether a job/);
  });

  it('is not said to have arrived when it is canceled before', async () => {
    const { action, countSent, end } = await followUp(askToWait(600));
    await action.waitForLog('HTTP 429');
    await action.signal('SIGINT');
    const { stdout, summary } = await end(canceled);
    expect(countSent()).toBe(1);
    expect(`${stdout}${summary}`).toContain('The follow-up was not delivered');
    expect(`${stdout}${summary}`).not.toMatch(/still running|job was started/);
  });

  it('may have arrived when it is canceled during the request', async () => {
    const { action, receives, end } = await followUp({ fault: faults.silence });
    await receives('follow-up');
    await action.signal('SIGINT');
    const { summary } = await end(canceled);
    expect(summary).toContain('may have received the follow-up');
    expect(summary).not.toContain('may have been started');
  });

  it.each(['completed', 'failed'])('never ends as %s by a status from before it', async (status) => {
    const step = { body: jobRecord({ status, prLink: link }) };
    const inputs = { 'job-id': jobId, 'timeout-minutes': '0.45', 'poll-interval-seconds': '3' };
    const script = { followUp: [step], get: [step] };
    const { result } = await play(script, { ...timedOut, ...none }, { inputs });
    expect(result.outputs).toMatchObject({ status, 'job-id': jobId });
    expect(result.annotations.errors[0]).toContain(
      `Agent job \`${jobId}\` still shows its status from before the follow-up after `,
    );
  });
});
