import { exec } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { adminKey, specialKeys } from '../../../emulator/keys.ts';
import { standardProjects } from '../../../emulator/projects.ts';
import { createEmulator } from '../../../emulator/server.ts';
import { startProcess } from '../../harness/process.ts';
import { eventually } from '../../helpers/eventually.ts';

const prompt = '{"prompt":"Document the release"}';

type Init = RequestInit & { key?: string };

const START_MS = Date.parse('2026-08-01T10:00:00Z');

/** Starts an emulator whose clock stands still until `pass` moves it. */
async function start(startMs = START_MS) {
  let nowMs = startMs;
  const emulator = createEmulator({ now: () => nowMs });
  onTestFinished(() => emulator.close());
  const baseUrl = await emulator.listen();
  return {
    emulator,
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    async send(method: string, path: string, init: Init = {}) {
      const authorization = `Bearer ${init.key ?? adminKey}`;
      const headers = { authorization, 'content-type': 'application/json', ...init.headers };
      const body = method === 'POST' ? { body: prompt } : {};
      const url = `${baseUrl}/v2/agent/${path}`;
      const response = await fetch(url, { method, ...body, ...init, headers });
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      const text = await response.text();
      return { status: response.status, record: isJson ? JSON.parse(text) : {} };
    },
  };
}

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
])('refusals of the emulator answer %s with %i', async (_name, status, request, init) => {
  const { emulator, send } = await start();
  emulator.addJob('quick', 'known');
  const [method = '', path = ''] = request.split(' ');
  const answer = await send(method, path, init);
  expect(answer).toMatchObject({ status, record: { error: expect.any(String) } });
  expect(emulator.counts()).toMatchObject({ jobs: 0 });
});

/** The responses to create requests and polls, the status in the last response, and projects. */
const endings = Object.entries({
  '201 200 completed': 'quick slow gitlab no-change publishes-directly new-status',
  '201 200 active': 'endless',
  '201 200 archived': 'archived',
  '201 200 failed': 'failing failed-with-link',
  '201 dropped 500 502 503 504 200 completed': 'flaky',
  '200 200 completed': 'created-200',
  '202 200 completed': 'created-202',
  '429 429': 'no-credits',
  '429 201 200 429 200 completed': 'rate-limited',
  '503 200 completed': 'overloaded',
  'dropped 200 completed': 'unreadable',
  '502 200 completed': 'broken-gateway',
  '201 404 404': 'lost',
  '422 422': 'refused',
  '403 403': 'blocked',
  '201 200 500 200 completed': 'hostile',
});

it.each(standardProjects)('the project $id $description', async ({ id }) => {
  const { emulator, send, pass } = await start();
  const [ending = ''] = endings.find(([, ids]) => ids.split(' ').includes(id)) ?? [];
  const count = ending.match(/\d+|dropped/g)?.length ?? 0;
  // Every job of a project has the same faults.
  for (const run of [1, 2]) {
    const answers: (number | string)[] = [];
    let status: unknown;
    while (answers.length < count) {
      pass(150);
      const job = `${id}/job/${emulator.jobs.at(-1)?.id}`;
      const isNew = emulator.jobs.length < run;
      const sent = isNew ? send('POST', `${id}/job`) : send('GET', job);
      const last = await sent.catch(() => undefined);
      answers.push(last?.status ?? 'dropped');
      status = last?.record['status'];
    }
    expect([...answers, status ?? ''].join(' ').trim()).toBe(ending);
  }
});

it.each(['quick', 'failing', 'failed-with-link', 'created-200'])(
  'a second emulator goes on with a job of %s of the first one',
  async (project) => {
    const first = await start();
    const { record } = await first.send('POST', `${project}/job`);
    const path = `${project}/job/${record.id}`;
    first.pass(20);
    const second = await start(START_MS + 20_000);
    const answers = await Promise.all([first, second].map(({ send }) => send('GET', path)));
    expect(answers[1]).toEqual(answers[0]);
    expect(second.emulator.counts()).toMatchObject({ creates: 0, jobs: 0 });
    const more = await second.send('POST', `${path}/message`);
    expect(more.record).toMatchObject({ id: record.id, status: 'active' });
  },
);

it.each([
  'quick/job/failing_ms9wcw00_0f0f0f0f',
  'quick/job/quick_ms9wcw00_0f0f0f0',
  'quick/job/quick_ms9wcw00_0F0F0F0F',
  'quick/job/quick_ms9wcw00_0f0f0f0f%0a',
  'quick/job/quick_MS9WCW00_0f0f0f0f',
  'quick/job/quick_zzzzzzzz_0f0f0f0f',
  'unknown/job/unknown_ms9wcw00_0f0f0f0f',
])('no emulator knows %s', async (path) => {
  const { send, emulator } = await start();
  expect(await send('GET', path)).toMatchObject({ status: 404 });
  expect(emulator.jobs).toEqual([]);
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
    expect(stdout).toMatch(
      /\d\d:\d\d:\d\d {2}create {5}quick {2}201 {2}job quick_\w{8}_[0-9a-f]{8}\n/,
    );
    expect(stdout).toMatch(/ get {8}quick\? {2}404 {2}job \?\n/);
    expect(stdout).not.toContain('mint_a_key');
    expect(exitCode).toBe(0);
  },
);
