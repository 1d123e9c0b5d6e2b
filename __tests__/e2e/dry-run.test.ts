import { expect, it } from 'vitest';
import { key, none, play, projectId } from './scenario.ts';

const PROMPT = 'Describe what is new in v1.2.0';

it.each([
  ['checks the key with one GET', 404, { error: 'Job not found' }, 0],
  ['has not checked the key if it gets a page', 404, '<html>', 1],
  ['has not checked the key if the API is gone', 410, { error: 'v2 has been removed' }, 1],
])('a dry run shows the prompt, and %s', async (_, status, body, warnings) => {
  const inputs = { 'dry-run': 'true', prompt: PROMPT };
  const ending = { outcome: 'dry-run', code: '', ...none };
  const get = [{ status, body }];
  const { service, calls, result } = await play({ get }, ending, { inputs });
  expect(result.outputs['job-id']).toBe('');
  expect(result.stdout).toContain(PROMPT);
  expect(result.stdout).toContain('A real run would start a job.');
  expect(result.annotations.warnings).toHaveLength(warnings);
  expect(calls).toBe('get');
  expect(service.requests[0]).toMatchObject({
    method: 'GET',
    path: `/v2/agent/${projectId}/job/dry-run-only-no-such-job`,
    headers: { authorization: `Bearer ${key}` },
  });
});
