import { expect, it } from 'vitest';
import { faults, type Step } from '../helpers/servers.ts';
import { active, debugging, jobId, lost, opened, play, success } from './scenario.ts';

/** A page that a gateway sends instead of a response. */
const page = {
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><html><body onload="login()"><h1>Sign in to Wi-Fi</h1></body></html>',
};
const blocked: Step = { status: 403, ...page };

const failures: [Step, string][] = [
  [{ fault: faults.reset }, 'before a complete response'],
  [{ status: 500, body: { error: 'oops' } }, 'HTTP 500: oops'],
  [{ status: 502, ...page }, 'HTTP 502'],
  [{ fault: faults.shortLength }, 'closed'],
  [{ fault: faults.cutBody }, "isn't a usable reply"],
];
const endless = [faults.silence, faults.stallBody, faults.dripHeaders(20)];
const stalls = endless.map((fault): [Step, string] => [{ fault }, 'within 30 s']);

it.concurrent.each<[string, number, [Step, string][]]>([
  ['failed responses', 5, failures],
  ['responses that never end', 10, stalls],
])('a poll is retried after %s', async (_title, timeScale, faulty) => {
  const get = [...faulty.flatMap(([step]) => [step, active]), opened];
  const { result } = await play({ get }, success, { ...debugging, timeScale });
  expect(faulty.filter(([, detail]) => !result.stdout.includes(detail))).toEqual([]);
  expect(result.stdout).not.toContain('<h1>');
});

it('two minutes of responses without a record end the wait, and the job is reported as lost', async () => {
  const odd = [faults.gzipBomb, faults.endlessChunks].map((fault) => ({ fault }));
  const inputs = { 'poll-interval-seconds': '20' };
  const get = [active, blocked, ...odd, blocked];
  const { result } = await play({ get }, lost, { inputs, timeScale: 20 });
  expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(120);
  expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
  expect(result.stdout).not.toContain('<h1>');
  expect(result.maxRssMb).toBeLessThan(300);
});
