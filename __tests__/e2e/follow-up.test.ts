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

const polite = askToWait(1, 503);
const canceled = { ...cancelled, ...none };

/** Sends a follow-up to a service that answers it with these steps, and then finishes the job. */
async function followUp(...steps: Step[]) {
  const inputs = { 'job-id': jobId };
  const run = await start({ followUp: steps, get: [active, opened] }, { inputs });
  return { ...run, countSent: () => run.service.seen('follow-up').length };
}

describe.concurrent('a follow-up', () => {
  it.each<[string, Step[]]>([
    ['once', [{}]],
    ['again after a 429 and a 503 that ask to wait', [askToWait(1), polite, { status: 202 }]],
  ])('is sent %s', async (_, steps) => {
    const { countSent, end } = await followUp(...steps);
    const { outputs } = await end({ ...success, ...none });
    expect([countSent(), outputs['job-id']]).toEqual([steps.length, jobId]);
  });

  it.each<[string, string, number, Step]>([
    [
      'a redirect that was not followed',
      'redirected',
      1,
      { status: 308, headers: { location: 'https://elsewhere.example/' } },
    ],
    ['three 503 that ask to wait', 'rate-limited', 3, polite],
  ])('is reported as not delivered after %s', async (_, code, sent, step) => {
    const { countSent, end } = await followUp(step);
    const { outputs, annotations } = await end(notStarted(code));
    expect([countSent(), outputs['job-id']]).toEqual([sent, jobId]);
    expect(annotations.errors[0]).toContain('The follow-up was not delivered, so nothing was spent.');
  });

  it.each<[string, string, Step]>([
    ['a 302', 'redirected', { status: 302, headers: { location: '/elsewhere' } }],
    ['the record of another job', 'start-unknown', { body: jobRecord({ id: 'job_of_another' }) }],
  ])('is sent only once and may have arrived after %s', async (_, code, step) => {
    const { countSent, end } = await followUp(step);
    const { outputs, annotations } = await end({ ...startUnknown, ...none, code });
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain(
      `Agent job \`${jobId}\` may have received the follow-up, which may`,
    );
    expect(annotations.errors[0]).not.toMatch(/second job|whether a job/);
  });

  it('is reported as not delivered when the step is canceled in a pause before it', async () => {
    const { action, countSent, end } = await followUp(askToWait(600));
    await action.waitForLog('HTTP 429');
    await action.signal('SIGINT');
    const { stdout, summary } = await end(canceled);
    expect(countSent()).toBe(1);
    expect(`${stdout}${summary}`).toContain('The follow-up was not delivered');
    expect(`${stdout}${summary}`).not.toMatch(/still running|job was started/);
  });

  it('is reported as possibly delivered when the step is canceled during the request', async () => {
    const { action, receives, end } = await followUp({ fault: faults.silence });
    await receives('follow-up');
    await action.signal('SIGINT');
    const { summary } = await end(canceled);
    expect(summary).toContain('may have received the follow-up');
    expect(summary).not.toContain('may have been started');
  });

  it('does not end with a status from before it', async () => {
    const status = 'completed';
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
