import { expect, it } from 'vitest';
import { findNamedJob } from '../../../src/service/named-job.ts';

const deep = `${'{"a":['.repeat(30_000)}{"id":"job_7"}${']}'.repeat(30_000)}`;

it.each<[string, string, string?]>([
  ['a field', '{"id":"job_7"}'],
  ['a field for the id of a job', '{"error":"no","jobId" : "job_7"}'],
  ['a field with another spelling', '{"Job_ID":"job_7"}'],
  ['a field whose name is escaped', '{"\\u0069d":"job_7"}'],
  ['a value that is escaped', '{"id":"job\\u005F7"}'],
  ['a field at any depth', deep],
  ['a field before the end was cut off', '{"id":"job_7","sta'],
  ['the same id twice', '{"id":"job_7","jobId":"job_7"}'],
  ['the id of a job beside another id', '{"id":"event_1","job":{"job_id":"job_7"}}'],
  ['a redirect', '', 'https://x.test/v2/agent/docs/job/job_7?x=1'],
  ['a redirect with an id in the body', '{"id":"event_1"}', '/v2/agent/docs/job/job%5f7'],
])('finds the id in %s', (_, body, location) => {
  expect(findNamedJob(body, location)).toEqual({ namesJob: true, namedId: 'job_7' });
});

it('finds an id that is a number', () => {
  expect(findNamedJob('{"error":"no","id": 7 }')).toEqual({ namesJob: true, namedId: '7' });
});

it.each<[string, string, string?]>([
  ['no value', '{"id":null}'],
  ['a value that is cut off', '{"id":"job_'],
  ['a number that may be cut off', '{"id":12'],
  ['a value that is not the id of a job', '{"id":"../7"}'],
  ['several ids', '{"items":[{"id":"job_7"},{"id":"job_8"}]}'],
  ['several ids of jobs', '{"jobId":"job_7"}', '/job/job_8'],
  ['an address that can not be decoded', '', '/job/%ff'],
])('finds that %s is named, but not which', (_, body, location) => {
  expect(findNamedJob(body, location)).toEqual({ namesJob: true, namedId: undefined });
});

it.each<[string, string, string?]>([
  ['nothing', ''],
  ['another field', '{"error":"no","requestId":"r_7","identity":1}'],
  ['a page', '<p id="x">no</p>'],
  ['a quotation', '{"error":"Invalid prompt: {\\"id\\":\\"job_7\\"}"}'],
  ['the address of all jobs', '', 'https://x.test/v2/agent/docs/job/'],
])('finds no id in %s', (_, body, location) => {
  expect(findNamedJob(body, location)).toEqual({ namesJob: false, namedId: undefined });
});
