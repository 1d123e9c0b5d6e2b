import { describe, expect, it } from 'vitest';
import { faults, scriptedService } from '../helpers/servers.ts';
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

it('a response that may name a job is shown, though it is no usable reply', async () => {
  const create = [{ status: 201, body: { job: { id: 'job_9f3a' } } }];
  const { result } = await play({ create }, startUnknown);
  expect(result.stdout).toContain('the response began with {"job":{"id":"job_9f3a"}}');
  expect(result.summary).toContain('job_9f3a');
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
    expect(error).toContain('Cost: maybe 1 job · Re-run: starts a new paid job');
    expect(result.maxRssMb).toBeLessThan(300);
  },
);

describe.concurrent('a create request that is refused', () => {
  const noJob: Ending = { ...startUnknown, jobs: 0 };

  // unit/service/ shows other refusals.
  it.each<[string, number, unknown, Ending, string]>([
    ['that has a job', 308, { id: 'job-7', status: 'active' }, noJob, 'maybe 1 job'],
    ['about credits', 429, 'Out of credits', notStarted('no-credits', 1), 'nothing'],
  ])('with a reply %s says what it may have cost', async (_title, status, body, ending, cost) => {
    const { result } = await play({ create: [{ status, body }] }, ending);
    const [error = ''] = result.annotations.errors;
    expect(error.includes(`Cost: ${cost}`)).toBe(ending === noJob);
    expect(result.summary).toContain(`| **Cost** | ${cost} |`);
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
