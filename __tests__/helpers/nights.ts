import { expect } from 'vitest';
import type { Job } from '../../emulator/jobs.ts';
import type { Stage } from '../../emulator/replies.ts';
import { readInputs } from '../../src/inputs/read-inputs.ts';
import { getFingerprint, getSeries } from '../../src/record/task.ts';
import { writeEntry } from '../../src/record/wire-format.ts';
import type { GitHubApiOptions } from '../github/api.ts';
import {
  type CommitStatus,
  type Pull,
  type RepositoryCommit,
  toSha,
} from '../github/repository.ts';
import type { ActionOptions } from '../harness/action.ts';
import { toInputVariables } from '../harness/action-environment.ts';
import { createFakeGitHub, createGitHubContext } from '../unit/fixtures.ts';
import { repository, setUp } from './github.ts';

// Runs whose changes begin at the last job.

export const inputs = { 'include-changes': 'true', 'changes-since': 'last job' };

/** Returns a commit with these parents, or the one before it. It changes a file of its name. */
export function commit(name: string, ...parents: string[]): RepositoryCommit {
  return {
    sha: toSha(name),
    ...(parents.length > 0 && { parents: parents.map(toSha) }),
    message: name,
    author: 'octocat',
    files: [{ path: `${name}.ts`, status: 'modified', additions: 2, deletions: 1 }],
  };
}

/** The commits `c0` to `c5` of a branch, and others, each with its parents. */
const lines =
  'c0, b1 c0, b2 b1, c1 c0, c2 c1, merge c2 b2, squash c2, forced c0, c3 c2, c4 c3, c5 c4';
const graph = lines.split(', ').map((line) => {
  const [name = '', ...parents] = line.split(' ');
  return commit(name, ...parents);
});

/** Inputs and variables of a run. */
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  failing: { 'project-id': 'failing' },
  gitlab: { 'project-id': 'gitlab' },
  linked: { 'project-id': 'failed-with-link' },
  lost: { 'project-id': 'lost', wait: 'false' },
  other: { 'project-id': 'no-change' },
  slow: { 'project-id': 'endless', wait: 'false' },
  edited: { prompt: 'Another task' },
  monday: { prompt: 'Monday' },
  tuesday: { prompt: 'Tuesday' },
  all: { paths: '**' },
  cli: { paths: 'b1.ts' },
  core: { paths: 'c[1-3].ts' },
  docs: { paths: 'docs/**' },
  folder: { paths: 'src' },
  odd: { paths: 'c1.ts\nc3.ts' },
  sdk: { paths: 'c1.ts' },
  late: { paths: 'c4.ts' },
  early: { paths: 'c1.ts\nc4.ts' },
  later: { paths: 'c3.ts\nc5.ts' },
  plain: { 'include-changes': '', 'changes-since': '' },
  skip: { 'skip-while-pr-open': 'true' },
  dry: { 'dry-run': 'true' },
  elsewhere: { GITHUB_WORKFLOW_REF: 'acme/widgets/x.yml@refs/heads/a' },
  button: { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_REF: 'refs/heads/trunk' },
  tag: { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/tags/v1', GITHUB_REF_NAME: 'v1' },
  /** The last run of the commit, or its second attempt. */
  same: {},
  /** A run, and its second attempt. */
  one: { GITHUB_RUN_ID: '4999' },
  retry: { GITHUB_RUN_ID: '4999', GITHUB_RUN_ATTEMPT: '2' },
  again: { GITHUB_RUN_ATTEMPT: '2' },
};

type Written = Pick<CommitStatus, 'state' | 'context' | 'description' | 'target_url'>;

let runs = 0;
/** Returns the options of a run of its own for a commit. */
export function on(sha: string, env: Record<string, string> = {}): ActionOptions {
  runs += 1;
  const { GITHUB_EVENT_NAME: name = 'schedule' } = env;
  return {
    event: { name, payload: { repository: { default_branch: 'main' } } },
    env: {
      GITHUB_EVENT_NAME: name,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: sha,
      GITHUB_RUN_ID: `${5_000 + runs}`,
      ...env,
    },
  };
}

/** `pull` is the state of the pull request of the documentation, if there is one. */
type Settings = { pull?: string; commits?: readonly RepositoryCommit[]; timeScale?: number };

/** Sets up GitHub, and ways to run the action night after night. */
export async function setUpNights(
  api: Partial<GitHubApiOptions> = {},
  { pull, commits = graph, timeScale }: Settings = {},
) {
  const pulls: Record<number, Pull> = pull === undefined ? {} : { 128: toPull(pull) };
  const branches = { main: commits.at(-1)?.sha ?? '' };
  const repositories = { 'acme/docs': repository({ pulls }) };
  const world = await setUp({ commits, branches }, { repositories, ...api }, timeScale);
  const { emulator, finish, prompts, statuses, usual } = world;
  const lastRuns = new Map<string, string | undefined>();

  /** Returns a run such as `c1+edited`: for this commit with these settings. */
  function plan(run: string, more: Readonly<Record<string, string>> = {}) {
    const [name = '', ...names] = run.split('+');
    const given: Record<string, string> = Object.assign({}, ...names.map(getSetting), more);
    const isOld = names.includes('same') || names.includes('again');
    const sha = toSha(name);
    const { env = {}, ...options } = on(sha, pick(given, true));
    const runId = isOld ? lastRuns.get(name) : env['GITHUB_RUN_ID'];
    lastRuns.set(name, runId);
    const changes = { ...inputs, ...pick(given, false) };
    return { sha, runId, changes, options: { ...options, env: { ...env, GITHUB_RUN_ID: runId } } };
  }

  /**
   * Runs the action as told. Adds to its result how it ended, and where the changes in its prompt
   * begin if it sent one.
   */
  async function play(run: string, more: Readonly<Record<string, string>> = {}) {
    const { changes, options } = plan(run, more);
    const before = prompts().length;
    const result = await finish(changes, options);
    const starts = prompts().slice(before).map(findStart);
    const { 'error-code': code, 'job-result': jobResult = '', reused } = result.outputs;
    expect(reused).toBe(String(result.outputs['job-id'] !== '' && starts.length === 0));
    const end = code || jobResult.replace('pull-request-', '');
    return { ...result, end: [end, ...starts].join(' ') };
  }

  /** Returns the name of the commit that a prompt names as the start of the changes. */
  function findStart(prompt: string): string {
    const [, start = 'nowhere'] = /^Changes since: (.+)$/m.exec(prompt) ?? [];
    return commits.find(({ sha }) => sha.startsWith(start))?.message ?? start;
  }

  /** Writes the mark of a first run, without the run. */
  async function mark(run: string): Promise<void> {
    const { sha, runId, changes } = plan(run);
    const event = createGitHubContext({ eventName: 'schedule', before: undefined, sha });
    const read = readInputs(toInputVariables({ ...usual, ...changes }), event);
    const { series = '', paths } = getSeries(read);
    const task = { fingerprint: getFingerprint(read), runId: Number(runId), series, paths };
    const write = async (_: string, body: unknown) => {
      const status = { id: runs, created_at: new Date().toISOString(), ...(body as Written) };
      statuses[sha] = [...(statuses[sha] ?? []), status];
    };
    const api = { ...createFakeGitHub(() => undefined), write };
    await writeEntry(api, sha, { ...task, state: 'mark' }, '', 'https://github.com/acme/widgets');
  }

  async function tellPart(part: string, all: string): Promise<void> {
    const [subject = '', end = ''] = part.split(' ');
    const job = emulator.jobs.find((_, index) => subject === `job${index}`);
    if (job !== undefined) {
      settle(job, { status: end });
    } else if (subject === 'pull') {
      pulls[128] = toPull(end);
    } else if (end === 'marked') {
      await mark(`${subject}${all}`);
    } else {
      const played = await play(`${subject}${all}`);
      expect(`${subject} ${played.end}`).toBe(part);
    }
  }

  /**
   * Plays a story. Its parts are runs, their ends, and where their changes begin if they start a
   * job, such as `c1+edited opened c0`. `job0 failed` is the new status of a job, `pull merged`
   * that of the pull request. `c0 marked` is the mark of a first run, which isn't played. Settings
   * before a colon are those of all runs.
   */
  async function tell(story: string): Promise<void> {
    const [, all, parts = ''] = /^(?:(\S+): )?(.*)$/.exec(story) ?? [];
    for (const part of parts.split(', ')) {
      await tellPart(part, all === undefined ? '' : `+${all}`);
    }
  }

  return { ...world, findStart, play, tell };
}

/** Returns a claim as another run would have written it so long ago. Its nonce is never drawn. */
export function toOtherRun(claim: CommitStatus, ageMs: number): CommitStatus {
  const link = claim.target_url ?? '';
  return {
    ...claim,
    id: 0,
    created_at: new Date(Date.now() - ageMs).toISOString(),
    target_url: link
      .replace(/runId=\d+/, 'runId=1')
      .replace(/nonce=\w+/, `nonce=${'0'.repeat(16)}`),
  };
}

/** Returns the variables, or else the inputs. */
function pick(given: Readonly<Record<string, string>>, areVariables: boolean) {
  const pairs = Object.entries(given);
  return Object.fromEntries(pairs.filter(([name]) => name.startsWith('GITHUB_') === areVariables));
}

function getSetting(name: string) {
  if (settings[name] === undefined) {
    throw new Error(`no setting ${name}`);
  }
  return settings[name];
}

/**
 * Returns a pull request that is `open`, `draft`, `merged`, or `closed`. For one such as `open+9`,
 * GitHub says that it is nine days old.
 */
function toPull(told: string): Pull {
  const [state, days] = told.split('+');
  const isOpen = state === 'open' || state === 'draft';
  const flags = { merged: state === 'merged', draft: state === 'draft' };
  const pull = { title: 'Docs', state: isOpen ? 'open' : 'closed', files: [], ...flags } as const;
  return days === undefined ? pull : { ...pull, created_at: toInstant(Number(days)) };
}

/** Returns when it was so many days and a minute ago, as GitHub says it. */
function toInstant(days: number): string {
  return new Date(Date.now() - days * 86_400_000 - 60_000).toISOString().replace(/\.\d+/, '');
}

/** Changes the status of a job. */
export function settle(job: Readonly<Job> | undefined, stage: Omit<Stage, 'atSeconds'>): void {
  const stages = [{ atSeconds: 0, ...stage }];
  Object.assign(job ?? {}, { project: { ...job?.project, stages } });
}
