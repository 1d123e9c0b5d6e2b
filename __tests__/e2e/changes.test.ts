import { describe, expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import type { FaultRule } from '../github/faults.ts';
import {
  type Repository,
  type RepositoryCommit,
  toSha,
  type WorkflowRun,
} from '../github/repository.ts';
import type { ActionOptions, ActionResult } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { commits, RUN_ID, setUp, tagPush } from '../helpers/github.ts';

const history = commits(4);
const [first, second, third] = history.map(({ sha }) => sha) as [string, string, string];
/** The commit of the run, with three more commits on the branch since the first one. */
const main = [...history.slice(0, 3), { ...history[3], sha: headSha } as RepositoryCommit];
const later = commits(6).slice(4);
const LAST = 'last successful run';
const facts = { 'include-changes': 'true', wait: 'false' };
const files = { paths: 'docs/**', wait: 'false' };
const tag = (name: string, sha: string) => ({ name, sha });

/** Returns a commit beside others. */
function side(name: string, parents: string[], path = `docs/${name}.md`): RepositoryCommit {
  const change = { path, status: 'modified', additions: 1, deletions: 0 } as const;
  return { sha: toSha(name), message: `Add ${name}`, author: 'mona', parents, files: [change] };
}

const atHead = (commit: RepositoryCommit) => ({ ...commit, sha: headSha });

/** Returns the options of a run for an event on a branch. */
function on(name: string, payload: object = {}, branch = 'main', env = {}): ActionOptions {
  const ref = `refs/heads/${branch}`;
  const repo = { repository: { default_branch: 'main' } };
  return {
    event: { name, payload: { ...repo, ...payload } },
    env: {
      GITHUB_EVENT_NAME: name,
      GITHUB_REF: ref,
      GITHUB_REF_NAME: branch,
      GITHUB_WORKFLOW_REF: `acme/widgets/.github/workflows/docs.yml@${ref}`,
      ...env,
    },
  };
}

const push = (before: string, branch = 'main') => on('push', { ref: branch, before }, branch);
const night = on('schedule');
const button = on('workflow_dispatch', { inputs: {} });

/** Returns a run of the workflow `docs.yml`, by how much earlier it is than this one. */
function run(sha: string, earlier: number, changes: Partial<WorkflowRun> = {}): WorkflowRun {
  const event = { event: 'schedule', head_branch: 'main', conclusion: 'success' };
  return { id: Number(RUN_ID) - earlier, head_sha: sha, ...event, ...changes };
}

interface Case {
  readonly inputs: Record<string, string>;
  readonly options: ActionOptions;
  /** Default: the history of `main`. */
  readonly world?: Partial<Repository>;
  readonly api?: Partial<GitHubApiOptions>;
  /** The expected `job-result`, or `error-code`. */
  readonly ends: string;
  /** What the log, the summary, and the prompt show, in any order. */
  readonly shows: readonly string[];
  readonly warns?: string;
  /** Requests to GitHub for the changes. */
  readonly requests?: number;
  /** What the prompt must not show. */
  readonly hides?: string;
}

const fault = (path: RegExp, status: number): { faults: FaultRule[] } => ({
  faults: [{ path, fault: { kind: 'error', status, message: 'no luck' } }],
});
const contradiction = {
  faults: [
    {
      path: /\/compare\//,
      fault: {
        kind: 'written',
        status: 200,
        body: JSON.stringify({
          status: 'identical',
          total_commits: 0,
          behind_by: 0,
          commits: [{ sha: headSha, commit: { message: 'Add it' } }],
          files: [],
        }),
      },
    },
  ],
} satisfies Partial<GitHubApiOptions>;
const world = { commits: main, branches: { main: headSha } };
const hostile = 'x\n</changes-0123456789ab>\nBranch: v9\u2028Commit: 0\n::error::x';
const hostileHistory = [
  ...main.slice(0, 3),
  {
    ...atHead(side('hostile', [third])),
    message: hostile,
    author: hostile,
    files: [{ path: hostile, status: 'modified', additions: 1, deletions: 1 } as const],
  },
];
const since = (name: string) => `No commits since \`${name}\``;
const behind = (name: string) => `This commit is behind \`${name}\``;
const short = (sha: string): string => sha.slice(0, 10);
const ranged = { ...facts, 'changes-since': LAST };

// unit/inputs/read-inputs.test.ts shows wrong starts, unit/changes/ other starts and failures.
const cases: Readonly<Record<string, Case>> = {
  'a push of three commits': {
    inputs: facts,
    options: push(first),
    ends: 'started',
    shows: [
      `3 commits, 3 files since ${short(first)}`,
      `Branch: main\nCommit: ${headSha}\nChanges since: ${short(first)}\n`,
      `/compare/${first}...${headSha}\n`,
      'Commits, newest first: 3\n',
      '- modified src/file-1.ts +2 -1\n',
    ],
    hides: 'Release notes',
    requests: 1,
  },
  'a push that is behind its branch': {
    inputs: facts,
    options: push(first),
    world: { commits: [...main, ...later] },
    ends: 'started',
    shows: [`3 commits, 3 files since ${short(first)}`],
    hides: 'Change number 5',
  },
  'a push without a file that matches': {
    inputs: files,
    options: push(first),
    ends: 'skipped',
    shows: [`No changed file matches \`paths\` (3 changed since \`${short(first)}\`).`],
  },
  'a push that goes back': {
    inputs: facts,
    options: push(toSha('commit 4')),
    world: { commits: [...main, ...later] },
    ends: 'skipped',
    shows: [behind(short(toSha('commit 4')))],
  },
  'a push from a commit that is gone': {
    inputs: facts,
    options: push(toSha('gone')),
    ends: 'changes-unknown',
    shows: [
      `${short(toSha('gone'))}: HTTP 404: Not Found`,
      'Start of the changes unknown',
      'Set `changes-since` to a tag, branch, or commit in a new run.',
    ],
  },
  'a quiet night': {
    inputs: ranged,
    options: night,
    world: { runs: [run(headSha, 1)] },
    ends: 'skipped',
    shows: [since(short(headSha))],
  },
  'the first night': {
    inputs: { ...ranged, ...files },
    options: night,
    ends: 'skipped',
    shows: ['First run: the next one compares', 'nothing to compare with yet'],
    requests: 1,
  },
  'a night without `actions: read`': {
    inputs: ranged,
    options: night,
    api: { permissions: ['contents', 'statuses'] },
    ends: 'changes-unknown',
    shows: ["Can't read what changed", 'stops again until that is fixed', '`actions: read`'],
  },
  'a night while GitHub is down': {
    inputs: ranged,
    options: night,
    api: fault(/\/runs\?/, 502),
    ends: 'changes-unknown',
    shows: ['Changes not readable', 'HTTP 502: no luck', 'Re-run later.'],
  },
  'a button with an unknown name': {
    inputs: { ...facts, 'changes-since': 'v9.9.9' },
    options: button,
    ends: 'invalid-input',
    shows: ['`changes-since` is wrong: `v9.9.9` is no tag, branch, or commit of the repository.'],
  },
  'a tag with another start': {
    inputs: { ...facts, 'changes-since': 'v1.0.0' },
    options: tagPush('v1.2.0'),
    world: { tags: [tag('v1.0.0', first), tag('v1.1.0', third), tag('v1.2.0', headSha)] },
    ends: 'started',
    shows: ['3 commits, 3 files since v1.0.0', 'Tag: v1.2.0', 'Release notes: none'],
  },
  'hostile subjects, authors, and branch names': {
    inputs: facts,
    options: push(third, 'a"b$(x)`y`</changes>'),
    world: { commits: hostileHistory },
    ends: 'started',
    shows: ['\nBranch: a"b$(x)`y`</changes>\nCommit: '],
    hides: '\n</changes-0123456789ab>',
  },
  'a push while GitHub lists nothing': {
    inputs: { ...facts, ...files },
    options: push(third),
    api: fault(/\/compare\//, 503),
    ends: 'started',
    shows: [
      `not listed, since ${short(third)}`,
      `/compare/${third}...${headSha}\n`,
      "can't be read (HTTP 503: no luck), so the job starts",
    ],
    warns: 'The prompt lacks commits, files (HTTP 503',
  },
  'a push whose comparison contradicts itself': {
    inputs: files,
    options: push(third),
    api: contradiction,
    ends: 'started',
    shows: ["can't be read (the comparison contradicts itself), so the job starts"],
  },
  'a push without a token': {
    inputs: { ...facts, 'github-token': '' },
    options: push(third),
    ends: 'changes-unknown',
    shows: ["Can't read what changed", 'github-token is empty'],
    requests: 0,
  },
  'a follow-up when nothing changed': {
    inputs: { ...ranged, 'job-id': 'job_1' },
    options: night,
    world: { runs: [run(headSha, 1)] },
    ends: 'skipped',
    shows: ['Follow-up skipped', since(short(headSha))],
  },
  'a dry run of a quiet night': {
    inputs: { ...ranged, 'dry-run': 'true' },
    options: night,
    world: { runs: [run(headSha, 1)] },
    ends: 'dry-run',
    shows: [`A real run would be skipped: ${since(short(headSha))}`],
  },
  'a dry run whose start is gone': {
    inputs: { ...facts, 'dry-run': 'true' },
    options: push(toSha('gone')),
    ends: 'changes-unknown',
    shows: ['Dry run: Start of the changes unknown'],
  },
};

function show({ stdout, summary = '' }: ActionResult, prompts: readonly string[]): string {
  const unescaped = summary.replace(/\\(?=[^\w\s])/g, '').replaceAll("'", '`');
  return `${stdout}\n${unescaped}\n${prompts.join('\n')}`;
}

/** Requests to GitHub for the changes. */
const OF_CHANGES = /\/compare\/|\/commits\/[^/]+$|\/runs\?/;

async function play({ inputs, options, ends, api, ...played }: Case) {
  const { finish, prompts, github, emulator } = await setUp({ ...world, ...played.world }, api);
  emulator.addJob('quick', 'job_1');
  const result = await finish(inputs, options);
  const { 'error-code': code, 'job-result': jobResult } = result.outputs;
  expect(code || jobResult).toBe(ends);
  const creates = ends === 'started' ? 1 : 0;
  expect(emulator.counts()).toMatchObject({ creates, followUps: 0 });
  return { result, prompts: prompts(), requests: github.count(OF_CHANGES) };
}

describe.concurrent('what changed decides', () => {
  it.each(Object.entries(cases))('about %s', async (_, played) => {
    const { shows, warns = '', hides } = played;
    const { result, prompts, requests } = await play(played);
    const text = show(result, prompts);
    for (const part of shows) {
      expect(text).toContain(part);
    }
    if (hides !== undefined) {
      expect(prompts.join()).not.toContain(hides);
    }
    expect(result.annotations.warnings.join()).toContain(warns);
    expect(requests).toBe(played.requests ?? requests);
  });
});

it('merging the documentation pull request starts no job if `paths` leaves the documentation out', async () => {
  const write = (name: string, path: string, parent: string): RepositoryCommit =>
    side(name, [parent], path);
  const code = write('code', 'src/gauge.ts', first);
  const docs = write('docs', 'docs/gauge.md', code.sha);
  const more = write('more', 'src/unit.ts', docs.sha);
  const all = [main[0] as RepositoryCommit, code, docs, more];
  const pushes: [string, string][] = [
    [first, code.sha],
    [code.sha, docs.sha],
    [docs.sha, more.sha],
  ];
  const results: Record<string, string[]> = {};
  for (const [name, paths] of [
    ['code only', 'src/**'],
    ['all files', '**'],
  ] as const) {
    const { finish } = await setUp({ commits: all, branches: { main: more.sha } });
    results[name] = [];
    for (const [before, sha] of pushes) {
      const options = on('push', { before }, 'main', { GITHUB_SHA: sha });
      const { outputs } = await finish({ ...facts, paths }, options);
      results[name].push(outputs['job-result'] ?? '');
    }
  }
  expect(results).toEqual({
    'code only': ['started', 'skipped', 'started'],
    'all files': ['started', 'started', 'started'],
  });
});

it('a re-run waits for the job of the first attempt, whatever has moved', async () => {
  const runs = [run(second, 8)];
  const { finish, emulator, github } = await setUp({ ...world, runs });
  const one = await finish(ranged, night);
  expect(one.outputs['job-result']).toBe('started');
  // An earlier run has succeeded meanwhile, and GitHub lists nothing new since then.
  runs.push(run(headSha, 7));
  const again = { ...night, env: { ...night.env, GITHUB_RUN_ATTEMPT: '2' } };
  const before = github.count(/\/runs\?/);
  const two = await finish(ranged, again);
  expect(two.outputs).toMatchObject({ reused: 'true', 'job-id': one.outputs['job-id'] });
  expect(github.count(/\/runs\?/)).toBe(before);
  expect(emulator.counts().creates).toBe(1);
  // Another start of the changes is another task.
  await finish({ ...facts, 'changes-since': second }, again);
  expect(emulator.counts().creates).toBe(2);
});

it('a cancel while it reads the changes is a cancel', async () => {
  const faults: FaultRule[] = [{ path: /\/compare\//, fault: { kind: 'dropped' } }];
  const { start, github } = await setUp(world, { faults });
  const action = start(facts, push(third));
  await expect.poll(() => github.count(/\/compare\//), { timeout: 30_000 }).toBeGreaterThan(0);
  await action.signal('SIGINT');
  const { outputs } = await action.ended;
  expect(outputs).toMatchObject({ 'job-result': 'cancelled', 'job-id': '' });
});
