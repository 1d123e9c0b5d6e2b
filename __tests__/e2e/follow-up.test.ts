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
  start,
  startUnknown,
  success,
} from './scenario.ts';

const canceled = { ...cancelled, ...none };

/** Sends a follow-up to a service that answers it with these steps, and then finishes the job. */
async function followUp(...steps: Step[]) {
  const inputs = { 'job-id': jobId };
  const run = await start({ 'follow-up': steps, get: [active, opened] }, { inputs });
  return { ...run, countSent: () => run.service.seen('follow-up').length };
}

describe.concurrent('a follow-up', () => {
  it('is sent again only after a 429 that asks to wait', async () => {
    const { countSent, end } = await followUp(askToWait(1), { status: 202 });
    const { outputs } = await end({ ...success, ...none });
    expect([countSent(), outputs['job-id']]).toEqual([2, jobId]);
  });

  it('is reported as not sent after a redirect that was not followed', async () => {
    const headers = { location: 'https://elsewhere.example/' };
    const { countSent, end } = await followUp({ status: 308, headers, body: '' });
    const { outputs, annotations } = await end(notStarted('redirected'));
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain(headers.location);
  });

  it.each<[string, Step]>([
    ['a 302', { status: 302, headers: { location: '/elsewhere' } }],
    ['a 503 that asks to wait', askToWait(1, 503)],
    ['the record of another job', { body: jobRecord({ id: 'job_of_another' }) }],
  ])('is sent only once and may have arrived after %s', async (_, step) => {
    const { countSent, end } = await followUp(step);
    const { outputs, annotations } = await end({ ...startUnknown, ...none });
    expect([countSent(), outputs['job-id']]).toEqual([1, jobId]);
    expect(annotations.errors[0]).toContain(
      'Cost: maybe 1 follow-up · Re-run: sends the follow-up again',
    );
  });

  it('is reported as possibly delivered when the step is canceled during the request', async () => {
    const { action, receives, end } = await followUp({ fault: faults.silence });
    await receives('follow-up');
    await action.signal('SIGINT');
    const { summary } = await end(canceled);
    expect(summary).toContain('| **Cost** | maybe 1 follow-up |');
  });
});
