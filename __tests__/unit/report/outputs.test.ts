import { expect, it } from 'vitest';
import type { Start } from '../../../src/changes/range.ts';
import type { PullRequest } from '../../../src/github/pull-request.ts';
import { getJobOutputs, getLastOutputs, getOutputs } from '../../../src/report/outputs.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  attach,
  createReading,
  createResult,
  createState,
  createTestJob,
  KEY,
  PULL_REQUEST,
} from '../fixtures.ts';

const archivedAt = '2026-08-02T12:00:00.000Z';
const job = createTestJob({ status: 'completed', prLink: PULL_REQUEST, archivedAt });
const jobOutputs = {
  status: 'completed',
  'pr-link': PULL_REQUEST,
  'job-id': 'job_1',
  'pr-number': '123',
  'pr-repository': 'acme/docs',
  'source-repository': 'https://github.com/acme/docs',
  'source-ref': 'docs-agent/update',
  model: 'sonnet',
  'created-at': '2026-08-01T12:00:00.000Z',
  'archived-at': archivedAt,
  reused: 'false',
  job: job.json,
};
const empty = Object.fromEntries(
  Object.keys(jobOutputs).map((name) => [name, name === 'reused' ? 'false' : '']),
);

const readJobOutputs = (changes: Parameters<typeof createState>[0]) =>
  getJobOutputs(createResult({ result: 'started' }, { state: createState(changes) }));

// A later step may print it.
it.each(['two words', 'a\n::error::b', 'a\n', '##[error]a', '***', 'geprüft', '-n', '--help'])(
  'returns no status for %j',
  (status) => {
    expect(readJobOutputs({ job: createTestJob({ status }) }).status).toBe('');
  },
);

it('returns empty texts for unknown values', () => {
  expect(readJobOutputs({})).toEqual(empty);
  expect(readJobOutputs({ request: attach })).toEqual({ ...empty, 'job-id': 'job_1' });
});

it('returns no link that is surely no pull request', () => {
  const prLink = 'https://github.com/acme/docs/tree/main';
  expect(readJobOutputs({ job: createTestJob({ prLink }) })['pr-link']).toBe('');
});

const names = ['title', 'state', 'branch', 'changed-files', 'additions', 'deletions'];
const noPull = Object.fromEntries(names.map((name) => [`pr-${name}`, '']));
it.each([
  [{ result: 'no-pull-request' }, 251_499, '251', ''],
  [{ result: 'failed', code: 'job-failed' }, 251_500, '252', 'job-failed'],
  [{ result: 'start-unknown', code: 'start-unknown', detail: '' }, 0, '0', 'start-unknown'],
] as const)('adds the outcome %o', (outcome, elapsedMs, seconds, errorCode) => {
  const state = createState({ job });
  expect(getOutputs(createResult(outcome, { state, elapsedMs }))).toEqual({
    ...jobOutputs,
    ...noPull,
    'changes-start': '',
    'changes-commits': '',
    'job-result': outcome.result,
    'elapsed-seconds': seconds,
    message: expect.stringMatching(/^[A-Z].*$/),
    'error-code': errorCode,
  });
});

const ended = createResult({ result: 'archived' }, { state: createState({ job }), elapsedMs: 0 });
const commit = 'c0ffee'.padEnd(40, '0');
const first: Start = { kind: 'first-run' };
const unknown: Start = { kind: 'unknown', cause: 'gone', detail: 'lost' };
const toStart = (ref: string): Start => ({ kind: 'known', ref });

it.each<[string, Start, number | undefined, string, string]>([
  ['a commit', toStart(commit), 34, commit, '34'],
  ['a tag without a change', toStart('pkg@1.0.0'), 0, 'pkg@1.0.0', '0'],
  ['more commits than GitHub lists', toStart('main'), 4_000, 'main', '4000'],
  ['what GitHub could not compare', toStart('v1.0.0'), undefined, 'v1.0.0', ''],
  ['a first run', first, undefined, '', ''],
  ['an unknown start', unknown, undefined, '', ''],
  ['what is no name', toStart('v1\n::error::x'), 1, '', '1'],
  ['a secret', toStart(`v${KEY}`), 1, '', '1'],
])('returns the range of %s', (_, start, total, changesStart, changesCommits) => {
  const redact = createRedactor(KEY);
  const facts = { ...ended, redact, state: createState({ changes: createReading(start, total) }) };
  const range = { 'changes-start': changesStart, 'changes-commits': changesCommits };
  expect(getOutputs(facts)).toMatchObject(range);
});

it('says in one line what happened, without a command', () => {
  const detail = 'HTTP 500: ::error::a\nb\\072';
  const outcome = { result: 'start-unknown', code: 'start-unknown', detail } as const;
  const { message } = getOutputs(createResult(outcome, { state: createState({ job }) }));
  expect(message).toContain('HTTP 500: : :error: :a<U+005C>nb<U+005C>072');
});

it('the message says of a pull request whether its job is on record', () => {
  const claim = { kind: 'unsettled', detail: 'HTTP 503' } as const;
  const state = createState({ job, claim });
  expect(getOutputs(createResult({ result: 'pull-request-opened' }, { state })).message).toBe(
    "Documentation pull request opened: acme/docs#123. GitHub didn't store the result (HTTP 503), so re-runs may fail.",
  );
});

it('the message has the short name of a pull request in a sentence', () => {
  const state = createState({ job });
  const { message } = getOutputs(createResult({ result: 'failed', code: 'job-failed' }, { state }));
  expect(message).toMatch(/ Review acme\/docs#123: it may be incomplete\.?$/);
});

const pull: PullRequest = {
  title: 'Describe v1.2.0\n::error::x ##[add-mask]y',
  branch: 'docs-agent/update',
  state: 'open',
  additions: 43,
  deletions: 0,
  changedFiles: 2,
  files: [],
};

it('returns texts on one line that hold no command of the runner', () => {
  expect(getLastOutputs(ended, pull)).toEqual({
    message: expect.stringMatching(/^Documentation job archived: [^\n]+$/),
    'elapsed-seconds': '0',
    'pr-title': 'Describe v1.2.0<U+005C>n: :error: :x # #[add-mask]y',
    'pr-state': 'open',
    'pr-branch': 'docs-agent/update',
    'pr-changed-files': '2',
    'pr-additions': '43',
    'pr-deletions': '0',
  });
});

it.each(['-rf', 'a b', 'a..b'])('returns no branch for %j', (branch) => {
  expect(getLastOutputs(ended, { ...pull, branch })['pr-branch']).toBe('');
});
