import { expect, it } from 'vitest';
import { key, none, play, projectId } from './scenario.ts';

const PROMPT = 'Describe what is new in v1.2.0';

const notFound = { status: 404, body: { error: 'Job not found' } };
const refused = { status: 401, body: { error: 'Missing key' } };
const inputs = { 'dry-run': 'true', prompt: PROMPT };
const ending = { outcome: 'dry-run', code: '', ...none };

it('a dry run shows the prompt, and checks the key with requests without it', async () => {
  const script = { 'follow-up': [notFound, refused] };
  const { service, calls, result } = await play(script, ending, { inputs });
  expect(result.outputs['job-id']).toBe('');
  expect(result.stdout).toContain(PROMPT);
  expect(result.stdout).toContain('the service accepts the key for starting jobs.');
  expect(calls).toBe('follow-up follow-up');
  for (const { path, body } of service.requests) {
    expect(path).toBe(`/v2/agent/${projectId}/job/dry-run-only-no-such-job/message`);
    expect(String(body)).not.toContain(PROMPT);
  }
  const keys = service.requests.map(({ headers }) => headers['authorization']);
  expect(keys).toEqual([`Bearer ${key}`, undefined]);
});

it('a dry run at a wrong address, where a server asks for no key, has not checked it', async () => {
  const { result } = await play({ 'follow-up': [notFound] }, ending, { inputs });
  expect(result.stdout).not.toContain('the service accepts the key');
  expect(result.annotations.warnings[0]).toContain('also without a key');
});
