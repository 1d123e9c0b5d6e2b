import { describe, expect, it } from 'vitest';
import { faults, type Step, scriptedService } from '../helpers/servers.ts';
import {
  active,
  type Ending,
  jobId,
  key,
  link,
  local,
  notStarted,
  opened,
  play,
  projectId,
  startUnknown,
  success,
} from './scenario.ts';

it('a create request that succeeds is followed by polls, and sets the outputs', async () => {
  const get = [active, active, active, opened];
  const inputs = { prompt: '  Say "hi" – 你好 \u{1f600}\n\ttwice ' };
  const { service, calls, result } = await play({ get }, success, { inputs });
  expect(calls).toBe('create get get get get');
  const [create, poll] = service.requests;
  const authorization = `Bearer ${key}`;
  expect(create).toMatchObject({
    method: 'POST',
    path: `/v2/agent/${projectId}/job`,
    headers: { authorization, 'content-type': 'application/json' },
  });
  expect(JSON.parse(String(create?.body))).toEqual({
    prompt: 'Say "hi" – 你好 \u{1f600}\n\ttwice',
  });
  expect(poll).toMatchObject({
    method: 'GET',
    path: `/v2/agent/${projectId}/job/${jobId}`,
    headers: { authorization },
  });
  // unit/report/outputs.test.ts shows the others.
  expect(result.outputs).toMatchObject({ 'job-id': jobId, 'pr-link': link, 'pr-number': '128' });
  expect(JSON.parse(result.outputs['job'] ?? '')).toEqual(opened.body);
  expect(result.annotations).toMatchObject({ errors: [], warnings: [] });
  expect(result.annotations.notices).toEqual([expect.stringContaining(link)]);
  expect(result.summary).toContain(`**[acme/docs\\#128](${link})**`);
});

// poll.test.ts shows every other fault.
it.concurrent.each([
  ['the connection is reset', faults.reset, 'before a complete response'],
  ['the connection is closed', faults.close, 'before a complete response'],
  ['the service is silent for 60 seconds', faults.silence, 'no complete response within 1 min'],
  ['the body never ends', faults.endlessChunks, 'usable reply'],
])(
  'a create request without a complete response is never sent again when %s',
  async (_title, fault, reason) => {
    const options = fault === faults.silence ? { timeScale: 10 } : {};
    const transport = { tls: local };
    const { calls, result } = await play({ create: [{ fault }] }, startUnknown, options, transport);
    expect(calls).toBe('create');
    const [error] = result.annotations.errors;
    expect(error).toMatch(new RegExp(reason, 'i'));
    // Nothing is on record with `reuse: never`, which is the default of these tests.
    expect(error).toContain('Cost: maybe 1 job · Re-run: starts a paid job');
    expect(result.maxRssMb).toBeLessThan(300);
  },
);

describe.concurrent('a create request that is refused', () => {
  const noJob: Ending = { ...startUnknown, jobs: 0 };
  const unpaid = notStarted('no-credits', 1);
  const record = { id: 'job-7', status: 'active' };
  const named = { job: { id: 'job_9f3a' } };

  // unit/service/ shows other refusals.
  it.each<[string, Step, Ending, string, string]>([
    ['that has a job', { status: 308, body: record }, noJob, 'maybe 1 job', 'job-7'],
    ['that may name a job', { body: named }, startUnknown, 'maybe 1 job', 'job_9f3a'],
    ['about credits', { status: 429, body: 'Out of credits' }, unpaid, 'nothing', 'credits'],
  ])('with a reply %s says what it may have cost', async (_, step, ending, cost, shown) => {
    const { result } = await play({ create: [step] }, ending);
    const [error = ''] = result.annotations.errors;
    expect(error.includes(`Cost: ${cost}`)).toBe(ending !== unpaid);
    expect(result.summary).toContain(`| **Cost** | ${cost} |`);
    expect(result.summary).toContain(shown);
    const quote = `the response began with ${JSON.stringify(named)}`;
    expect(result.stdout.includes(quote)).toBe(step.body === named);
  });

  it.each([
    [302, noJob],
    [308, notStarted('redirected', 1)],
  ])('by a %i is not sent to another origin', async (status, ending) => {
    const other = await scriptedService();
    const create = [{ status, headers: { location: `${other.url}/v2/agent/x/job` }, body: '' }];
    expect((await play({ create }, ending)).calls).toBe('create');
    expect(other.connections).toBe(0);
  });
});
