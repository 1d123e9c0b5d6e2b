import { describe, expect, it } from 'vitest';
import { jobRecord, type Step } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  type Ending,
  jobId,
  none,
  notStarted,
  opened,
  start,
  startUnknown,
  success,
} from './scenario.ts';

/** Sends a follow-up to a service that answers it with these steps, and then finishes the job. */
const followUp = (...steps: Step[]) =>
  start({ 'follow-up': steps, get: [active, opened] }, { inputs: { 'job-id': jobId } });

const done = { ...success, ...none };
const unknown = { ...startUnknown, ...none };
const cost = 'Cost: maybe 1 follow-up · Re-run: sends it again, paid';
const another: Step = { body: jobRecord({ id: 'job_of_another' }) };

describe.concurrent('a follow-up', () => {
  it.each<[string, Step[], Ending, number, string]>([
    ['sent again after a 429 that asks to wait', [askToWait(1), { status: 202 }], done, 2, ''],
    ['not sent after a 308', [{ status: 308, body: '' }], notStarted('redirected'), 1, '308'],
    ['maybe sent after a 503 that asks to wait', [askToWait(1, 503)], unknown, 1, cost],
    ['maybe sent after the record of another job', [another], unknown, 1, cost],
  ])('is %s', async (_, steps, ending, count, error) => {
    const { service, end } = await followUp(...steps);
    const { outputs, annotations } = await end(ending);
    expect([service.seen('follow-up').length, outputs['job-id']]).toEqual([count, jobId]);
    expect(annotations.errors.join()).toContain(error);
  });
});
