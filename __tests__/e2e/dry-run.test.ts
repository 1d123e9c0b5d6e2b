import { expect, it } from 'vitest';
import { none, play, projectId } from './scenario.ts';

const PROMPT = 'Describe what is new in v1.2.0';

it('a dry run shows the prompt, and checks the key with one request without it', async () => {
  const ending = { outcome: 'dry-run', code: '', ...none };
  const inputs = { 'dry-run': 'true', prompt: PROMPT };
  const followUp = [{ status: 404, body: { error: 'Job not found' } }];
  const { service, calls, result } = await play({ followUp }, ending, { inputs });
  expect(result.outputs['job-id']).toBe('');
  expect(result.stdout).toContain(PROMPT);
  expect(result.stdout).toContain('the service accepts the key for starting jobs.');
  expect(calls).toBe('follow-up');
  const [request] = service.requests;
  expect(request?.path).toBe(`/v2/agent/${projectId}/job/dry-run-only-no-such-job/message`);
  expect(String(request?.body)).not.toContain(PROMPT);
});
