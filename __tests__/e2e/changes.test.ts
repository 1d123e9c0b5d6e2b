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
import { commits, RUN_ID, setUp, TOKEN, tagPush } from '../helpers/github.ts';

const history = commits(4);
const [first, second, third] = history.map(({ sha }) => sha) as [string, string, string];
/** The commit of the run, with three more commits on the branch since the first one. */
const main = [...history.slice(0, 3), { ...history[3], sha: headSha } as RepositoryCommit];
const later = commits(6).slice(4);
const zeros = '0'.repeat(40);
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
  readonly shows: readonly (string | RegExp)[];
  readonly warns?: string;
  /** Requests to GitHub for the changes. */
  readonly requests?: number;
  /** What the prompt must not show. */
  readonly hides?: string;
}

const fault = (path: RegExp, status: number): { faults: FaultRule[] } => ({
  faults: [{ path, fault: { kind: 'error', status, message: 'no luck' } }],
});
const world = { commits: main, branches: { main: headSha } };
const branchOff = side('branch', [first]);
const merged = [
  ...main.slice(0, 3),
  side('old-1', [first]),
  side('old-2', [toSha('old-1')]),
  atHead(side('merge', [third, toSha('old-2')], 'docs/old-1.md')),
];
const many = commits(401).map((commit, index) => ({
  ...commit,
  sha: index === 400 ? headSha : commit.sha,
  files: index > 350 ? [] : commit.files,
}));
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
const permissions = ['statuses', 'pull-requests'] as const;
const since = (name: string) => `There are no commits since \`${name}\`.`;
const short = (sha: string): string => sha.slice(0, 10);
const ranged = { ...facts, 'changes-since': LAST };

// unit/inputs/read-inputs.test.ts shows wrong starts, unit/github/ which run or tag is the start.
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
    shows: [
      `None of the files that changed since \`${short(first)}\` match \`paths\` (changed files: 3).`,
    ],
  },
  'the first push of the default branch': {
    inputs: { ...facts, ...files },
    options: push(zeros),
    ends: 'started',
    shows: [
      '`paths` ignored (the push created the branch); starting the job',
      'nothing to compare with, because the push created the branch',
    ],
    requests: 0,
  },
  'a new branch without a commit': {
    inputs: facts,
    options: push(zeros, 'topic'),
    world: { branches: { main: headSha, topic: headSha } },
    ends: 'skipped',
    shows: [since('main')],
  },
  'a new branch with its own commit, while the default branch moved on': {
    inputs: { ...facts, paths: 'docs/**' },
    options: push(zeros, 'topic'),
    world: {
      commits: [...history.slice(0, 3), { ...branchOff, sha: headSha }],
      branches: { main: third, topic: headSha },
    },
    ends: 'started',
    shows: ['1 commit, 1 file since main', 'docs/branch.md has changed since main and matches'],
    hides: 'Change number 1',
  },
  'a push that replaces commits': {
    inputs: { ...facts, ...files },
    options: push(toSha('branch')),
    world: {
      commits: [...history.slice(0, 1), branchOff, atHead(side('new', [first], 'src/n.ts'))],
    },
    ends: 'started',
    shows: [
      `\`paths\` ignored (${short(toSha('branch'))} is not an ancestor of the commit)`,
      `1 commit, 1 file since ${short(toSha('branch'))}`,
    ],
    hides: 'Add branch',
  },
  'a push that goes back': {
    inputs: facts,
    options: push(toSha('commit 4')),
    world: { commits: [...main, ...later] },
    ends: 'skipped',
    shows: [since(short(toSha('commit 4')))],
  },
  'a push from a commit that is gone': {
    inputs: facts,
    options: push(toSha('gone')),
    ends: 'changes-unknown',
    shows: [
      `the repository no longer has ${short(toSha('gone'))}`,
      'Start of the changes unknown',
      'Start a new run with `changes-since` set to a tag, branch, or commit.',
    ],
    requests: 2,
  },
  'a push over another history': {
    inputs: files,
    options: push(toSha('island')),
    world: { commits: [...main, side('island', [])] },
    ends: 'changes-unknown',
    shows: [`${short(toSha('island'))} and the run share no commit`],
  },
  'a merge of an old branch': {
    inputs: { ...facts, paths: 'docs/**' },
    options: push(third),
    world: { commits: merged },
    ends: 'started',
    shows: ['3 commits, 2 files since', 'docs/old-1.md has changed', 'Add old-2'],
  },
  'a check of a merge queue': {
    inputs: facts,
    options: on('merge_group'),
    ends: 'invalid-input',
    shows: [
      "needs to know where the changes begin, which a run for `merge_group` doesn't say. Start the workflow on `push` instead, because a merge pushes to its branch, or set `changes-since`",
    ],
    requests: 0,
  },
  'a night after the last successful run': {
    inputs: ranged,
    options: night,
    // In any order, with runs that don't count: other events and branches, failures, successors.
    world: {
      runs: [
        run(first, 9),
        run(second, 8),
        run(third, 7, { conclusion: 'failure' }),
        run(third, 6, { event: 'workflow_dispatch' }),
        run(third, 5, { head_branch: 'topic' }),
        run(third, 4, { path: '.github/workflows/other.yml' }),
        run(headSha, 0),
        run(headSha, -1),
      ],
    },
    ends: 'started',
    shows: [`2 commits, 2 files since ${short(second)}`],
    requests: 2,
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
    shows: [
      'No earlier run of this workflow has succeeded for this event and branch',
      'nothing to compare with yet',
    ],
    requests: 1,
  },
  'a night after a run whose commit is gone': {
    inputs: ranged,
    options: night,
    world: { runs: [run(toSha('gone'), 1)] },
    ends: 'changes-unknown',
    shows: ['the repository no longer has'],
  },
  'a night without `actions: read`': {
    inputs: ranged,
    options: night,
    api: { permissions: ['contents', 'statuses'] },
    ends: 'changes-unknown',
    shows: [
      'No permission to find the last run',
      'Give the workflow job `actions: read`, and start a new run',
      "stops again, as long as `github-token` can't read what changed",
    ],
  },
  'a night while GitHub is down': {
    inputs: ranged,
    options: night,
    api: fault(/\/runs\?/, 502),
    ends: 'changes-unknown',
    shows: ['Changes not readable', 'HTTP 502: no luck', 'the runner can reach it'],
  },
  'a push of many commits with the last successful run': {
    inputs: ranged,
    options: push(third),
    world: { runs: [run(first, 1, { event: 'push' })] },
    ends: 'started',
    shows: [`3 commits, 3 files since ${short(first)}`],
  },
  'a button with a tag': {
    inputs: { ...facts, 'changes-since': 'v1.2.0' },
    options: button,
    world: { tags: [tag('v1.2.0', second)] },
    ends: 'started',
    shows: ['2 commits, 2 files since v1.2.0', `/compare/v1.2.0...${headSha}\n`],
  },
  'a button with another branch': {
    inputs: { ...facts, 'changes-since': 'refs/heads/release' },
    options: button,
    world: { branches: { main: headSha, release: third } },
    ends: 'started',
    shows: ['1 commit, 1 file since release'],
  },
  'a button with an unknown name': {
    inputs: { ...facts, 'changes-since': 'v9.9.9' },
    options: button,
    ends: 'invalid-input',
    shows: ['`changes-since` is wrong: `v9.9.9` is no tag, branch, or commit of the repository.'],
  },
  'a button without `contents: read`': {
    inputs: { ...facts, 'changes-since': 'v1.2.0' },
    options: button,
    api: { permissions },
    ends: 'changes-unknown',
    shows: ['No permission to read what changed', 'Give the workflow job `contents: read`'],
  },
  'a button with a tag while GitHub is down': {
    inputs: { ...facts, 'changes-since': 'v1.2.0' },
    options: button,
    api: fault(/\/compare\//, 503),
    ends: 'changes-unknown',
    shows: ['Changes not readable'],
  },
  'forty zeros in a push': {
    inputs: { ...facts, 'changes-since': zeros },
    options: push(third),
    ends: 'started',
    shows: [`1 commit, 1 file since ${short(third)}`],
  },
  'a tag with another start': {
    inputs: { ...facts, 'changes-since': 'v1.0.0' },
    options: tagPush('v1.2.0'),
    world: { tags: [tag('v1.0.0', first), tag('v1.1.0', third), tag('v1.2.0', headSha)] },
    ends: 'started',
    shows: ['3 commits, 3 files since v1.0.0', 'Tag: v1.2.0', 'Release notes: none'],
  },
  'a tag on the commit of the previous tag': {
    inputs: facts,
    options: tagPush('v1.2.0'),
    world: { tags: [tag('v1.1.0', headSha), tag('v1.2.0', headSha)] },
    ends: 'started',
    shows: ['0 commits, 0 files since v1.1.0'],
  },
  'a tag on an older commit than the previous tag, with `paths`': {
    inputs: { ...facts, ...files },
    options: tagPush('v1.2.0'),
    world: { tags: [tag('v1.1.0', headSha), tag('v1.2.0', third)] },
    ends: 'skipped',
    shows: [since('v1.1.0')],
  },
  '400 commits and 350 files': {
    inputs: { ...facts, paths: 'docs/**' },
    options: push(many[0]?.sha ?? ''),
    world: { commits: many },
    ends: 'started',
    shows: [
      /400 commits, 300 or more files since/,
      'GitHub lists no more than 300 changed files',
      'Commits, newest first: 400\n',
    ],
  },
  'hostile subjects, authors, and branch names': {
    inputs: facts,
    options: push(third, 'a"b$(x)`y`</changes>'),
    world: { commits: hostileHistory },
    ends: 'started',
    shows: [/\nBranch: a"b\$\(x\)`y`<\/changes>\nCommit: /],
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
      "couldn't be read (HTTP 503: no luck), so the job starts whether or not a file matches",
    ],
    warns:
      "Some facts about the changes couldn't be read, so the prompt lacks them: commits, files (HTTP 503",
  },
  // Gitea compares without saying how far the start is behind.
  'a push on a host that compares with fewer fields': {
    inputs: facts,
    options: push(third),
    api: {
      faults: [
        {
          path: /\/compare\//,
          fault: { kind: 'written', status: 200, body: '{"total_commits":1,"commits":[]}' },
        },
      ],
    },
    ends: 'started',
    shows: [`not listed, since ${short(third)}`, `/compare/${third}...${headSha}\n`],
    warns: 'the response lacks a documented field',
  },
  'a push without `contents: read`': {
    inputs: files,
    options: push(third),
    api: { permissions },
    ends: 'changes-unknown',
    shows: ['No permission to read what changed'],
  },
  'a push without a token': {
    inputs: { ...facts, 'github-token': '' },
    options: push(third),
    ends: 'changes-unknown',
    shows: ['No access to what changed', '`github-token` is empty'],
    requests: 0,
  },
  'a push with a wrong token': {
    inputs: { ...facts, 'github-token': `${TOKEN}x` },
    options: push(third),
    ends: 'changes-unknown',
    shows: ['No access to what changed', 'Bad credentials'],
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
    shows: [`A real run would be skipped. ${since(short(headSha))}`],
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
  // A dry run checks the key with a follow-up to no job.
  // The second one shows whether the server asks for a key.
  const followUps = ends === 'dry-run' ? 2 : 0;
  expect(emulator.counts()).toMatchObject({ creates, followUps });
  return { result, prompts: prompts(), requests: github.count(OF_CHANGES) };
}

describe.concurrent('what changed decides', () => {
  it.each(Object.entries(cases))('about %s', async (_, played) => {
    const { shows, warns = '', hides } = played;
    const { result, prompts, requests } = await play(played);
    const text = show(result, prompts);
    for (const part of shows) {
      expect(text).toEqual(
        part instanceof RegExp ? expect.stringMatching(part) : expect.stringContaining(part),
      );
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
  const other = await finish({ ...facts, 'changes-since': second }, again);
  expect(other.annotations.warnings.join()).toContain(
    'another prompt, project, address, `paths`, or `changes-since`',
  );
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
