import { afterAll, describe, expect, it } from 'vitest';
import { type Fault, toApiError } from '../github/faults.ts';
import type { ActionOptions, ActionResult } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { commits, repository, setUp, tagPush } from '../helpers/github.ts';
import { inputs as nightly, on } from '../helpers/nights.ts';
import { attempt, readFields } from '../helpers/record.ts';
import { connectProxy, createAuthority, scriptedService } from '../helpers/servers.ts';

const authority = createAuthority();
/** The process is this much faster than the stand-in for GitHub. */
const SCALE = 8;
const TAG = 'v1.2.0';
const history = [...commits(3), ...commits(1, { sha: headSha })];
const tags = [
  { name: 'v1.1.0', sha: history[1]?.sha ?? '' },
  { name: TAG, sha: headSha, isAnnotated: true },
];
const release = { 'release-tag': TAG };
const facts = { 'include-changes': 'true' };

interface Scenario {
  readonly inputs: Record<string, string>;
  readonly options: ActionOptions;
  /** An earlier run, whose job this one waits for. */
  readonly earlier?: ActionOptions;
  /** Runs whose jobs are done. */
  readonly before?: readonly ActionOptions[];
  /** How many requests to GitHub the run makes if nothing is wrong. */
  readonly requests: number;
}

/** There is something to do in each, and one job must do it. */
const scenarios: Readonly<Record<string, Scenario>> = {
  'a first attempt on a tag': { inputs: facts, options: tagPush(TAG), requests: 10 },
  'a re-run': { inputs: {}, options: attempt(2), earlier: attempt(1), requests: 4 },
  'a run for a release that does not wait': {
    inputs: { ...release, wait: 'false' },
    options: {},
    requests: 6,
  },
  'a second run for a release': {
    inputs: release,
    options: { env: { GITHUB_RUN_ID: '78' } },
    earlier: { env: { GITHUB_RUN_ID: '77' } },
    requests: 6,
  },
  'a push with `paths`': {
    inputs: { paths: 'src/**' },
    options: { event: { name: 'push', payload: { before: history[0]?.sha } } },
    requests: 7,
  },
  'a night after a merged pull request': {
    inputs: { ...nightly, 'skip-while-pr-open': 'true' },
    options: on(headSha),
    before: history.slice(0, 2).map(({ sha }) => on(sha)),
    requests: 10,
  },
};

const errors = [400, 401, 403, 404, 409, 410, 422, 500, 502, 503];
const list = (body: unknown): Fault => ({ status: 200, body });
const move =
  (status: number, origin = '') =>
  (path: string) => ({
    ...toApiError(status, 'Moved Permanently'),
    headers: { location: `${origin}${path}` },
  });
/** What GitHub may answer once. */
const faults: Readonly<Record<string, Fault>> = {
  'a redirect': move(301),
  // Nothing listens there.
  'a redirect to another origin': move(302, 'http://127.0.0.1:9'),
  ...Object.fromEntries(errors.map((status) => [status, toApiError(status)] as const)),
  429: { ...toApiError(429), headers: { 'retry-after': '1' } },
  'an empty list': list([]),
  'a stale list': list([]),
  silence: 'dropped',
  'silence after the effect': 'lost',
  'a reset after the effect': 'reset',
};

/** The scenario, the number of the request to GitHub, and the fault. */
type Case = readonly [string, number, string | number];

/** How many runs ended in each way. */
const tally: Record<string, number> = {};

/** Plays a scenario in which GitHub answers one request wrongly. */
async function play([name, number, faultName]: Case): Promise<void> {
  const { inputs, options, earlier, before: done = [] } = scenarios[name] as Scenario;
  const rule = { path: /./, fault: faults[faultName] as Fault, calls: [] as number[] };
  const widgets = repository({ commits: history, tags });
  const pulls = { 128: { title: 'Docs', state: 'closed', merged: true, files: [] } } as const;
  const repositories = { 'acme/widgets': widgets, 'acme/docs': repository({ pulls }) };
  const { finish, emulator, github } = await setUp({}, { repositories, faults: [rule] }, SCALE);
  for (const each of done) {
    await finish(inputs, each);
  }
  const { jobs: jobsBefore } = emulator.counts();
  const first = earlier && (await finish({ ...inputs, wait: 'false' }, earlier));
  const before = github.requests.length;
  rule.calls.push(before + number);
  if (faultName === 'a stale list') {
    // It lacks the newest status.
    rule.fault = list((widgets.statuses[headSha] ?? []).slice(0, -1).toReversed());
  }
  const result = await finish(inputs, options);
  const record = readFields(widgets.statuses[headSha]);
  const end = expectOneJob(result, first, emulator.counts().jobs - jobsBefore, record);
  // On a busy machine, no time may be left for details of the pull request.
  const isMissed = number > github.requests.length - before;
  const entry = isMissed ? 'too busy for the fault' : end;
  tally[entry] = (tally[entry] ?? 0) + 1;
}

/**
 * Expects one job, which is on record, or a stop without a job. A stop is never green, and leaves
 * nothing on record that stops a re-run. Returns how the run ended.
 */
function expectOneJob(
  { outputs, exitCode }: ActionResult,
  first: ActionResult | undefined,
  jobs: number,
  record: readonly Record<string, string>[],
): string {
  const { 'job-id': id = '', 'job-result': jobResult = '', 'error-code': code = '' } = outputs;
  const isStop = jobResult === 'not-started' || jobResult === 'start-unknown';
  expect(jobs).toBe(isStop && first === undefined ? 0 : 1);
  if (isStop) {
    const states = new Map(record.map(({ nonce, state }) => [nonce, state]));
    expect([exitCode, id]).toEqual([1, '']);
    expect([...states.values()], 'open claims').not.toContain('starting');
    return code;
  }
  expect(['pull-request-opened', 'started']).toContain(jobResult);
  expect(id).toBe(first?.outputs['job-id'] ?? id);
  expect(outputs['reused']).toBe(String(first !== undefined));
  expect(record, 'the id is on record').toContainEqual(expect.objectContaining({ jobId: id }));
  return jobResult;
}

/** Every scenario, and different kinds of requests and answers. */
const sample: readonly Case[] = [
  ['a first attempt on a tag', 3, 'a redirect'],
  ['a first attempt on a tag', 5, 'a reset after the effect'],
  ['a re-run', 1, 'a stale list'],
  ['a run for a release that does not wait', 5, 'an empty list'],
  ['a run for a release that does not wait', 6, 'an empty list'],
  ['a second run for a release', 3, 'an empty list'],
  ['a push with `paths`', 1, 'an empty list'],
  ['a push with `paths`', 2, 'a redirect to another origin'],
  ['a night after a merged pull request', 1, 'an empty list'],
  ['a night after a merged pull request', 2, 'a stale list'],
  ['a night after a merged pull request', 4, 404],
];
const all = Object.entries(scenarios).flatMap(([name, { requests }]) =>
  Array.from({ length: requests }, (_, index) =>
    Object.keys(faults).map((fault) => [name, index + 1, fault] as const),
  ).flat(),
);

it('only hosts of GitHub itself are told the version of the API', async () => {
  const body = { message: 'No', documentation_url: 'https://docs.github.com/rest' };
  const tls = authority.issue(['api.github.com']);
  const service = await scriptedService({ other: [{ status: 410, body }] }, { tls });
  const proxy = await connectProxy('tunnel', service.port);
  const { start, github } = await setUp({ commits: history });
  await start({ wait: 'false' }).ended;
  const env = { GITHUB_API_URL: 'https://api.github.com', HTTPS_PROXY: proxy.url };
  const { outputs } = await start({}, { env, extraCertificates: authority.cert }).ended;
  expect(outputs['error-code']).toBe('record-failed');
  const version = 'x-github-api-version';
  expect(service.requests.map(({ headers }) => headers[version])).toContain('2026-03-10');
  expect(github.requests.map(({ headers }) => headers[version])).not.toContain('2026-03-10');
});

describe.concurrent('one job, or a stop that costs nothing', () => {
  const isSweep = process.env['MODE'] === 'sweep';
  afterAll(() => {
    if (isSweep) {
      console.log(`GitHub's answers to ${all.length} requests`, tally);
    } else {
      expect(Object.keys(tally)).not.toContain('too busy for the fault');
    }
  });
  it.each(isSweep ? all : sample)('in %s whose request %i gets %s', (...one) => play(one));
});
