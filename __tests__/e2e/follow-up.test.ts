import { describe, expect, it } from 'vitest';
import { faults, jobRecord, type Step } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  cancelled,
  jobId,
  none,
  notStarted,
  opened,
  play,
  start,
  startUnknown,
  success,
  timedOut,
} from './scenario.ts';

const failed = { body: jobRecord({ status: 'failed' }) };
const completed = { body: jobRecord({ status: 'completed' }) };
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
    ['again after a 429 that asks to wait', [askToWait(1), { status: 202 }]],
  ])('is sent %s', async (_, steps) => {
    const { countSent, end } = await followUp(...steps);
    const { outputs } = await end({ ...success, ...none });
    expect([countSent(), outputs['job-id']]).toEqual([steps.length, jobId]);
  });

  it('is reported as not sent after a redirect that was not followed', async () => {
    const headers = { location: 'https://elsewhere.example/' };
    const { countSent, end } = await followUp({ status: 308, headers, body: '' });
    const { outputs, annotations } = await end(notStarted('redirected'));
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain('The follow-up was not sent.');
    expect(annotations.errors[0]).toContain(headers.location);
  });

  it.each<[string, string, Step]>([
    ['a 302', 'redirected', { status: 302, headers: { location: '/elsewhere' } }],
    ['a 503 that asks to wait', 'start-unknown', askToWait(1, 503)],
    ['the record of another job', 'start-unknown', { body: jobRecord({ id: 'job_of_another' }) }],
  ])('is sent only once and may have arrived after %s', async (_, code, step) => {
    const { countSent, end } = await followUp(step);
    const { outputs, annotations } = await end({ ...startUnknown, ...none, code });
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain(`Agent job \`${jobId}\` may have received the follow-up.`);
    expect(annotations.errors[0]).not.toMatch(/second job|whether a job/);
  });

  it('is reported as not sent when the step is canceled in a pause before it', async () => {
    const { action, countSent, end } = await followUp(askToWait(600));
    await action.waitForLog('HTTP 429');
    await action.signal('SIGINT');
    const { stdout, summary } = await end(canceled);
    expect(countSent()).toBe(1);
    expect(`${stdout}${summary}`).toContain('The follow-up was not sent.');
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

  it.each<[string, Step, Step, string]>([
    ['a success after a response with an active job', opened, active, 'completed'],
    ['a failure', failed, failed, 'failed'],
  ])('does not end with %s that predates it', async (_, before, response, status) => {
    // More than half a minute.
    const inputs = { 'job-id': jobId, 'timeout-minutes': '0.75', 'poll-interval-seconds': '3' };
    const script = { followUp: [response], get: [before] };
    const { calls, result } = await play(script, { ...timedOut, ...none }, { inputs });
    expect(calls).toMatch(/^get follow-up get get/);
    expect(result.outputs).toMatchObject({ status, 'job-id': jobId });
    expect(result.annotations.errors[0]).toContain('No poll has shown the agent');
  });

  it.each<[string, Step[]]>([
    ['with a new link', [completed, completed, opened]],
    ['with the same record after it was at work', [opened, opened, active, opened]],
    ['although it could not be read before', [{ status: 500 }, active, opened]],
  ])('ends with a job that completes %s', async (_, get) => {
    const inputs = { 'job-id': jobId };
    const { service } = await play({ get }, { ...success, ...none }, { inputs });
    expect(service.seen('get')).toHaveLength(get.length);
  });
});
