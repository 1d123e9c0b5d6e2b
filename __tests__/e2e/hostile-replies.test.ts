import { describe, expect, it } from 'vitest';
import { jobRecord, type Step } from '../helpers/servers.ts';
import {
  type Ending,
  jobId,
  link,
  notStarted,
  opened,
  play,
  startUnknown,
  success,
} from './scenario.ts';

const options = { timeScale: 10 };
const oddId = 'https://x/日本語📖';
const large = 'x'.repeat(15 * 1024 * 1024);
const completed = (changes: object): Step => ({
  body: jobRecord({ status: 'completed', prLink: link, ...changes }),
});
const plain = { 'content-type': 'text/plain' };

// unit/service/ shows other ids and replies, unit/text/link.test.ts other links.

/** Replies to a poll. The next one is that of a job with a pull request. */
const polls: readonly Step[] = [
  ...['::error::x', '##[error]x', '\\n::error::x', 'COMPLETED', ' completed', 'constructor'].map(
    (status) => ({ body: jobRecord({ status }) }),
  ),
  { body: '{"id":"job_0123456789abcdef","status":"\\u000a\\u003a:error::x","status ":"failed"}' },
  { body: '{"__proto__":{"id":"job_0123456789abcdef","status":"failed"}}' },
  { body: [jobRecord({ status: 'failed' })] },
  completed({ id: 'job_other', status: 'failed' }),
  completed({ extra: large }),
  { status: 429, headers: plain, body: 'Too many requests' },
  { status: 429, headers: { ...plain, 'retry-after': '1' }, body: '::error::x' },
  { status: 202 },
  { status: 204, body: '' },
];

describe.concurrent('a hostile reply', () => {
  it.each<[string, Step, Ending]>([
    ['an odd id', { body: jobRecord({ id: oddId }) }, success],
    ['an id with a command', { body: jobRecord({ id: 'a\n::error::x' }) }, startUnknown],
    ['15 MiB', { body: jobRecord({ extra: large }) }, startUnknown],
    ['a refusal of 15 MiB', { status: 400, body: { error: large } }, notStarted('bad-request', 1)],
  ])('to the create request: %s', async (_, step, ending) => {
    const script = { create: [step], get: [completed({ id: oddId })] };
    const { calls, result } = await play(script, ending, { timeScale: 2 });
    expect(result.outputs['job-id']).toBe(ending === success ? oddId : '');
    expect(calls).toBe(ending === success ? 'create get' : 'create');
  });

  it('to each of many polls does not end the run', async () => {
    const { calls, result } = await play({ get: [...polls, opened] }, success, options);
    expect(calls).toBe(`create${' get'.repeat(polls.length + 1)}`);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, 'pr-link': link });
  });
});
