import { exec } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminKey, specialKeys } from '../../../emulator/keys.ts';
import { standardProjects } from '../../../emulator/projects.ts';
import { createEmulator } from '../../../emulator/server.ts';
import { startProcess } from '../../harness/process.ts';
import { eventually } from '../../helpers/eventually.ts';
import { jobRecord } from '../../helpers/job-record.ts';

const pullRequest = 'https://github.com/acme/docs/pull/128';
const opened = { status: 'completed', prLink: pullRequest };
const startMs = Date.parse('2026-08-01T10:00:00Z');
const prompt = '{"prompt":"Document the release"}';

type Init = RequestInit & { key?: string };

/** Starts an emulator whose clock stands still until `pass` moves it. */
async function start() {
  let nowMs = startMs;
  const emulator = createEmulator({ now: () => nowMs });
  onTestFinished(() => emulator.close());
  const baseUrl = await emulator.listen();

  async function send(method: string, path: string, init: Init = {}) {
    const authorization = `Bearer ${init.key ?? adminKey}`;
    const fields = { authorization, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(baseUrl + path, { ...init, method, headers: fields });
    const { status, headers } = response;
    const body = await response.text();
    const isJson = headers.get('content-type')?.startsWith('application/json');
    const record: Record<string, unknown> = isJson ? JSON.parse(body) : {};
    return { status, headers, body, record };
  }
  return {
    emulator,
    send,
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    create: (project: string, init?: Init) =>
      send('POST', `/v2/agent/${project}/job`, { body: prompt, ...init }),
    get: (project: string, id: unknown, init?: Init) =>
      send('GET', `/v2/agent/${project}/job/${id}`, init),
    followUp: (project: string, id: unknown, init?: Init) =>
      send('POST', `/v2/agent/${project}/job/${id}/message`, { body: prompt, ...init }),
  };
}

it('the emulator moves a job from active to its pull request and back again', async () => {
  const { emulator, create, get, followUp, pass } = await start();
  const created = await create('quick');
  expect(created.status).toBe(201);
  const { id } = created.record;
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const source = { repository: 'https://github.com/acme/docs', ref: 'main' };
  const createdAt = '2026-08-01T10:00:00.000Z';
  expect(created.record).toEqual(jobRecord({ id, source, model: expect.any(String), createdAt }));

  pass(2.9);
  expect((await get('quick', id)).record).toMatchObject({ status: 'active', prLink: null });
  pass(0.1);
  const completed = { id, status: 'completed', prLink: pullRequest, archivedAt: null };
  expect(await get('quick', id)).toMatchObject({ status: 200, record: completed });

  const sent = await followUp('quick', id, { body: '{"prompt":"Shorter"}' });
  expect(sent).toMatchObject({ status: 200, record: { id, status: 'active', prLink: null } });
  pass(3);
  expect((await get('quick', id)).record).toMatchObject(opened);
  expect(emulator.jobs).toMatchObject([{ id, prompts: ['Document the release', 'Shorter'] }]);
  expect(emulator.counts()).toMatchObject({ creates: 1, gets: 3, followUps: 1, jobs: 1 });
  expect(emulator.requests[0]).toMatchObject({ receivedAtMs: startMs, jobId: id, status: 201 });
});

describe('the refusals of the emulator', () => {
  it.each<[string, number, string, Init?]>([
    ['no key', 401, 'POST quick/job', { headers: { authorization: '' } }],
    ...specialKeys.map(({ key, status, description }): [string, number, string, Init] => {
      return [`the key ${description}`, status, 'POST quick/job', { key }];
    }),
    ['an unknown project', 404, 'POST unknown/job'],
    ['an unknown job', 404, 'GET quick/job/unknown'],
    ['another path', 404, 'GET quick/jobs'],
    ['no prompt', 400, 'POST quick/job', { body: '{}' }],
    ['invalid JSON', 400, 'POST quick/job', { body: '{"prompt":' }],
    ['another content type', 400, 'POST quick/job', { headers: { 'content-type': 'text/plain' } }],
  ])('answer %s with %i', async (_name, status, request, init) => {
    const { emulator, send } = await start();
    emulator.addJob('quick', 'known');
    const [method = '', path = ''] = request.split(' ');
    const body = method === 'POST' ? { body: prompt } : {};
    const answer = await send(method, `/v2/agent/${path}`, { ...body, ...init });
    expect(answer).toMatchObject({ status, record: { error: expect.any(String) } });
    expect(emulator.counts()).toMatchObject({ jobs: 0 });
  });
});

/** The responses to create requests and polls, and the status in the last response. */
const endings: Readonly<Record<string, string>> = {
  quick: '201 200 completed',
  slow: '201 200 completed',
  endless: '201 200 active',
  gitlab: '201 200 completed',
  'no-change': '201 200 completed',
  'publishes-directly': '201 200 completed',
  archived: '201 200 archived',
  failing: '201 200 failed',
  'failed-with-link': '201 200 failed',
  'new-status': '201 200 completed',
  flaky: '201 dropped 500 502 503 504 200 completed',
  'created-200': '200 200 completed',
  'created-202': '202 200 completed',
  'no-credits': '429 429',
  'rate-limited': '429 201 200 429 200 completed',
  overloaded: '503 200 completed',
  unreadable: 'dropped 200 completed',
  'broken-gateway': '502 200 completed',
  lost: '201 404 404',
  refused: '422 422',
  blocked: '403 403',
  hostile: '201 200 500 200 completed',
};

it.each(standardProjects)('the project $id $description', async ({ id }) => {
  const { emulator, create, get, pass } = await start();
  const expected = endings[id]?.split(' ') ?? [];
  const count = expected.filter((word) => /\d|dropped/.test(word)).length;
  // Every job of a project has the same faults.
  for (const run of [1, 2]) {
    const answers: (number | string)[] = [];
    let status: unknown;
    while (answers.length < count) {
      pass(150);
      const job = emulator.jobs.length < run ? create(id) : get(id, emulator.jobs.at(-1)?.id);
      const last = await job.catch(() => undefined);
      answers.push(last?.status ?? 'dropped');
      status = last?.record['status'];
    }
    expect([...answers, status ?? ''].join(' ').trim()).toBe(endings[id]);
  }
});

it.skipIf(process.platform === 'win32')(
  'the command line in a process logs requests without the key and stops on Ctrl+C',
  async () => {
    const path = fileURLToPath(new URL('../../../emulator/cli.ts', import.meta.url));
    const args = ['--import', import.meta.resolve('tsx'), path, '--port', '0'];
    // Outside the folder of the project.
    const { child, output, ended } = startProcess({ args, env: process.env, cwd: '/' });
    await eventually(() => expect(output.stdout).toContain('Requests:'));
    const [curl = ''] = /^ *curl .*$/m.exec(output.stdout) ?? [];
    const { stdout: pasted } = await promisify(exec)(curl);
    expect(JSON.parse(pasted)).toMatchObject({ status: 'active' });
    const [baseUrl] = /http:\S+/.exec(output.stdout) ?? [];
    const headers = { authorization: 'Bearer mint_a_key_of_the_caller' };
    await fetch(`${baseUrl}/v2/agent/quick%0A/job/%1b`, { headers });
    child.kill('SIGINT');
    const { stdout, exitCode } = await ended;
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}create {5}quick {2}201 {2}job [0-9a-f-]{36}\n/);
    expect(stdout).toMatch(/ get {8}quick\? {2}404 {2}job \?\n/);
    expect(stdout).not.toContain('mint_a_key');
    expect(exitCode).toBe(0);
  },
);
