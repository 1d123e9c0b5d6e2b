import { describe, expect, it } from 'vitest';
import { jobRecord, type Step } from '../helpers/servers.ts';
import { failed, jobId, link, none, play, projectId, timedOut } from './scenario.ts';

const PROMPT = 'Describe what is new in v1.2.0';

const checked = { outcome: 'dry-run', code: '', ...none };
const noSuchJob: Step = { status: 404, body: { error: 'Job not found' } };

it('a job that failed fails the step, and the link and the next steps are shown', async () => {
  const get = [{ body: jobRecord({ status: 'failed', prLink: link }) }];
  const { result } = await play({ get }, failed);
  expect(result.outputs).toMatchObject({ status: 'failed', 'pr-link': link, 'pr-number': '128' });
  expect(result.annotations.errors[0]).toContain("The service doesn't say why");
  expect(result.summary).toContain('**What to do next**');
  expect(result.summary).toContain(`job-id: "${jobId}"`);
});

describe.concurrent('a dry run', () => {
  const dryRun = { 'dry-run': 'true' };

  it('shows the prompt, and checks the key with one request that has no prompt', async () => {
    const inputs = { ...dryRun, prompt: PROMPT };
    const { service, calls, result } = await play({ followUp: [noSuchJob] }, checked, { inputs });
    expect(result.outputs['job-id']).toBe('');
    expect(result.stdout).toContain(PROMPT);
    expect(result.stdout).toContain('the key can start jobs.');
    expect(calls).toBe('follow-up');
    expect(service.requests[0]?.path).toBe(
      `/v2/agent/${projectId}/job/dry-run-only-no-such-job/message`,
    );
    expect(String(service.requests[0]?.body)).not.toContain(PROMPT);
  });
});

it('a run that times out logs a heartbeat about once a minute, and no line for each poll', async () => {
  const inputs = { 'timeout-minutes': '2.5', 'poll-interval-seconds': '5' };
  const { result } = await play({}, timedOut, { inputs, timeScale: 15 });
  const { stdout, outputs, annotations } = result;
  expect(outputs['status']).toBe('active');
  expect(annotations.errors[0]).toMatch(/is still `active` after \d+ min/);
  expect(annotations.errors[0]).toContain('It may still open a pull request');
  expect(result.summary).toContain("Don't re-run: that starts another paid job");
  const lines = stdout.split('\n');
  expect(lines.some((line) => / {2}still active, .* left$/.test(line))).toBe(true);
  expect(lines.length).toBeLessThan(20);
});
