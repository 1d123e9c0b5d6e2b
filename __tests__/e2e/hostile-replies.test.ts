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
  withoutLink,
} from './scenario.ts';

const options = { timeScale: 10 };
const large = 'x'.repeat(15 * 1024 * 1024);
const completed = (changes: object): Step => ({
  body: jobRecord({ status: 'completed', prLink: link, ...changes }),
});
const plain = { 'content-type': 'text/plain' };

// unit/service/ shows other ids and replies, unit/text/link.test.ts other links.

/** Replies to the create request. */
const creates: readonly [string, Step, Ending][] = [
  ...['x'.repeat(256), '日本語📖', 'https://x/', 7].map((id): [string, Step, Ending] => [
    `the id ${id}`,
    { body: jobRecord({ id }) },
    success,
  ]),
  ...['..', 'a\n::error::x', null].map((id): [string, Step, Ending] => [
    `the id ${id}`,
    { body: jobRecord({ id }) },
    startUnknown,
  ]),
  ['a list of records', { body: [jobRecord()] }, startUnknown],
  ['two records', { body: `${JSON.stringify(jobRecord())}\n{}` }, startUnknown],
  ['15 MiB', { body: jobRecord({ extra: large }) }, startUnknown],
  ['a refusal of 15 MiB', { status: 400, body: { error: large } }, notStarted('bad-request', 1)],
];

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

const links: readonly [unknown, Ending][] = [
  ['https://gitlab.com/acme/docs/-/merge_requests/3', success],
  ['https://github.com/acme/docs/compare/main...docs', withoutLink],
  [`https://github.com/acme/docs/pull/1\n::error::${'1'.repeat(5_000)}`, withoutLink],
  [[link], withoutLink],
];

describe.concurrent('a hostile reply', () => {
  it.each(creates)('to the create request: %s', async (_, step, ending) => {
    const id = Object(step.body)['id'] ?? jobId;
    const { calls, result } = await play(
      { create: [step], get: [completed({ id })] },
      ending,
      options,
    );
    const isStarted = ending === success;
    expect(result.outputs['job-id']).toBe(isStarted ? String(id) : '');
    expect(calls).toBe(isStarted ? 'create get' : 'create');
  });

  it('to each of many polls does not end the run', async () => {
    const { calls, result } = await play({ get: [...polls, opened] }, success, options);
    expect(calls).toBe(`create${' get'.repeat(polls.length + 1)}`);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, 'pr-link': link });
  });

  it.each(links)('names the pull request %j', async (prLink, ending) => {
    const { result } = await play({ get: [completed({ prLink })] }, ending, options);
    expect(result.outputs['job-id']).toBe(jobId);
  });
});
