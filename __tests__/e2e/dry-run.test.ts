import { expect, it } from 'vitest';
import { key, none, play, projectId } from './scenario.ts';

const PROMPT = 'Describe what is new in v1.2.0';
const inputs = { 'dry-run': 'true', prompt: PROMPT };
const ending = { outcome: 'dry-run', code: '', ...none };

it('a dry run shows the prompt, and checks the key with one GET', async () => {
  const get = [{ status: 404, body: { error: 'Job not found' } }];
  const { service, calls, result } = await play({ get }, ending, { inputs });
  expect(result.outputs['job-id']).toBe('');
  expect(result.stdout).toContain(PROMPT);
  expect(result.stdout).toContain('A real run would start a job.');
  expect(calls).toBe('get');
  expect(service.requests[0]).toMatchObject({
    method: 'GET',
    path: `/v2/agent/${projectId}/job/dry-run-only-no-such-job`,
    headers: { authorization: `Bearer ${key}` },
  });
});

it('a dry run that gets a page has not checked the key', async () => {
  const get = [{ status: 404, body: '<html>' }];
  const { result } = await play({ get }, ending, { inputs });
  expect(result.annotations.warnings).toHaveLength(1);
});
