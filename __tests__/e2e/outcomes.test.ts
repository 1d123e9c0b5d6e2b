import { describe, expect, it } from 'vitest';
import { adminKey } from '../../emulator/keys.ts';
import { createEmulator } from '../../emulator/server.ts';
import { runAction } from '../../harness/action.ts';
import { closeAtEnd } from '../../harness/at-end.ts';
import { showRequestsOnFailure } from '../helpers/github.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { faults, reservePort } from '../helpers/servers.ts';
import { begin, none, notStarted, play } from './scenario.ts';

const PROMPT = 'Describe what is new in v1.2.0';
const readOnlyKey = 'mint_emulator_read_only_key_0001';

/** Starts an emulator, and returns a function that runs the action against it. */
async function setUp() {
  const emulator = createEmulator({ speed: 4 });
  closeAtEnd(() => emulator.close());
  const baseUrl = await emulator.listen();
  showRequestsOnFailure(emulator);
  /** Plays a run to its end, and checks the invariants. */
  async function finish(projectId: string, inputs: Record<string, string> = {}, timeScale = 10) {
    const usual = { prompt: PROMPT, 'project-id': projectId, 'poll-interval-seconds': '2' };
    const service = { 'api-key': adminKey, 'base-url': baseUrl };
    const result = await runAction({ timeScale, inputs: { ...usual, ...service, ...inputs } }).ended;
    const { creates, jobs } = emulator.counts();
    expectInvariants(result, { key: inputs['api-key'] ?? adminKey, creates, jobs });
    return result;
  }
  return { emulator, finish };
}

const pullRequest = 'https://github.com/acme/docs/pull/128';
const source = { 'source-repository': 'https://github.com/acme/docs', 'source-ref': 'main' };
const opened = { outcome: 'pull-request-opened', 'pr-link': pullRequest, 'pr-number': '128', ...source };
const withoutLink = { status: 'completed', outcome: 'no-pull-request', 'pr-link': '', 'pr-number': '' };
const archived = { outcome: 'archived', 'archived-at': expect.stringMatching(/^\d{4}-/) };
const failed = { outcome: 'failed', 'error-code': 'job-failed', 'pr-link': pullRequest };
const unknown = { status: '', outcome: 'start-unknown', 'error-code': 'start-unknown', 'job-id': '' };
const lost = { status: 'active', outcome: 'lost', 'error-code': 'job-lost' };
const notFound = { outcome: 'not-started', 'error-code': 'not-found', 'job-id': '' };
const clean = { ...withoutLink, model: '', 'source-ref': '' };

type Level = 'errors' | 'warnings' | 'notices';
const endings: [string, Record<string, string>, Record<string, string>, Level, RegExp][] = [
  ['quick', {}, opened, 'notices', /https:\/\/github\.com\/acme\/docs\/pull\/128/],
  ['no-change', {}, withoutLink, 'notices', /without a pull request/],
  ['archived', {}, archived, 'warnings', /was archived/],
  ['failed-with-link', {}, failed, 'errors', /The service does not say why/],
  ['slow', { wait: 'false' }, { outcome: 'started' }, 'notices', /This run does not wait for it/],
  ['unreadable', {}, unknown, 'errors', /A job may have been started/],
  ['lost', { 'timeout-minutes': '5' }, lost, 'errors', /can't be read \(HTTP 404/],
  ['unknown-project', {}, notFound, 'errors', /does not know this project/],
  ['hostile', {}, clean, 'warnings', /left out/],
];

describe.concurrent('a run with a project of the emulator', () => {
  it.each(endings)('ends as the contract says for `%s`', async (project, inputs, outputs, level, text) => {
    const { emulator, finish } = await setUp();
    const result = await finish(project, inputs);
    expect(result.outputs).toMatchObject(outputs);
    expect(result.annotations[level].filter((message) => text.test(message))).not.toEqual([]);
    expect(result.stderr).toBe('');
    const [create, ...polls] = emulator.requests;
    const isPolled = inputs['wait'] !== 'false' && result.outputs['job-id'] !== '';
    const body = JSON.stringify({ prompt: PROMPT });
    expect(create).toMatchObject({ method: 'POST', path: `/v2/agent/${project}/job`, body });
    expect(new Set(polls.map(({ method }) => method))).toEqual(new Set(isPolled ? ['GET'] : []));
  });
});

describe.concurrent('a dry run', () => {
  it('shows the prompt, and checks the key with one request', async () => {
    const { emulator, finish } = await setUp();
    const result = await finish('quick', { 'dry-run': 'true' }, 1);
    expect(result.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({ outcome: 'dry-run', 'error-code': '', 'job-id': '' });
    expect(result.stdout).toContain(PROMPT);
    expect(result.stdout).toContain('the service lets the key start jobs.');
    expect(emulator.requests.map(({ method, status }) => [method, status])).toEqual([['POST', 404]]);
    expect(emulator.requests[0]?.path).toBe('/v2/agent/quick/job/dry-run-only-no-such-job/message');
    expect(emulator.requests[0]?.body).not.toContain(PROMPT);
  });

  // unit/run.test.ts shows every other answer.
  it('fails if the key may not start jobs', async () => {
    const { emulator, finish } = await setUp();
    const result = await finish('quick', { 'dry-run': 'true', 'api-key': readOnlyKey }, 1);
    expect(result.exitCode).toBe(1);
    expect(result.outputs).toMatchObject({ outcome: 'not-started', 'error-code': 'forbidden' });
    expect(result.annotations.errors[0]).toContain('HTTP 403: API key does not have the write scope');
    expect(emulator.requests.map(({ method }) => method)).toEqual(['POST']);
  });

  it('with a job only reads it, for which a key needs no other scope', async () => {
    const { emulator, finish } = await setUp();
    const inputs = { prompt: '', 'job-id': emulator.addJob('endless').id, 'api-key': readOnlyKey };
    const result = await finish('endless', { ...inputs, 'dry-run': 'true' });
    expect(result.outputs).toMatchObject({ outcome: 'dry-run', 'error-code': '' });
    expect(result.stdout).toContain(`a real run would wait for job ${inputs['job-id']}, now \`active\``);
    expect(emulator.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('says that it could not check the key if the service is silent', async () => {
    const step = { fault: faults.silence };
    const ending = { outcome: 'dry-run', code: '', ...none };
    const { calls, result } = await play({ followUp: [step] }, ending, { inputs: { 'dry-run': 'true' } });
    expect(calls).toBe('follow-up');
    expect(result.stdout).toContain("  couldn't check the key (");
  });

  it('fails if it cannot connect', async () => {
    const url = `http://127.0.0.1:${await reservePort()}`;
    const { end } = begin(url, { inputs: { 'dry-run': 'true' } });
    const { outputs } = await end(none, notStarted('connect-failed'));
    expect(Number(outputs['elapsed-seconds'])).toBeLessThan(60);
  });
});

describe.concurrent('a run that times out', () => {
  it('logs a heartbeat about once a minute, and no line for each poll', async () => {
    const { finish } = await setUp();
    const inputs = { 'timeout-minutes': '4', 'poll-interval-seconds': '5' };
    const { stdout, outputs, annotations } = await finish('endless', inputs, 15);
    expect(outputs).toMatchObject({ status: 'active', outcome: 'timed-out', 'error-code': 'timed-out' });
    expect(annotations.errors[0]).toMatch(/is still `active` after \d+ min/);
    expect(annotations.errors[0]).toContain('It may still open a pull request');
    const beats = stdout.split('\n').filter((line) => / {2}still active, .* left$/.test(line));
    expect(beats.length).toBeGreaterThanOrEqual(2);
    expect(beats.length).toBeLessThanOrEqual(4);
    expect(stdout.split('\n').length).toBeLessThan(20);
  });
});
