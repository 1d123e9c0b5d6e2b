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

const WORKFLOW = '.github/workflows/docs.yml';
const OTHER_WORKFLOW = '.github/workflows/x.yml';
/** In days. */
const FOREVER = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

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
  elsewhere: { GITHUB_WORKFLOW_REF: `acme/widgets/${OTHER_WORKFLOW}@refs/heads/a` },
  push: { GITHUB_EVENT_NAME: 'push' },
  button: { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_REF: 'refs/heads/trunk' },
  tag: { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/tags/v1', GITHUB_REF_NAME: 'v1' },
  /** The last run of the commit, or its second attempt. */
  same: {},
  /** A run, and its second attempt. */
  one: { GITHUB_RUN_ID: '4999' },
  retry: { GITHUB_RUN_ID: '4999', GITHUB_RUN_ATTEMPT: '2' },
  again: { GITHUB_RUN_ATTEMPT: '2' },
};

/** A run that a story plays. */
interface Planned {
  readonly sha: string;
  readonly runId: string | undefined;
  readonly changes: Readonly<Record<string, string>>;
}
type Written = Pick<CommitStatus, 'state' | 'context' | 'description' | 'target_url'>;

let runs = 0;
/** Returns the options of a run of its own for a commit. */
export function on(
  sha: string,
  env: Readonly<Record<string, string>> = {},
  before?: string,
): ActionOptions {
  runs += 1;
  const { GITHUB_EVENT_NAME: name = 'schedule' } = env;
  return {
    event: { name, payload: { before, repository: { default_branch: 'main' } } },
    env: {
      GITHUB_EVENT_NAME: name,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: sha,
      GITHUB_RUN_ID: `${5_000 + runs}`,
      GITHUB_WORKFLOW_REF: `acme/widgets/${WORKFLOW}@refs/heads/main`,
      ...env,
    },
  };
}

interface Settings {
  /** The state of the pull request of the documentation, if there is one. */
  readonly pull?: string;
  readonly commits?: readonly RepositoryCommit[];
  readonly timeScale?: number;
  /** For how many days GitHub keeps statuses, as the runner tells it. */
  readonly retention?: string;
  /** How old the files of the workflows are at first, in days. */
  readonly fileAge?: number;
  /** The commit that added those files. */
  readonly addedBy?: string;
}

/** Sets up GitHub, and ways to run the action night after night. */
export async function setUpNights(
  api: Partial<GitHubApiOptions> = {},
  { pull, commits = graph, timeScale, retention = '90', fileAge = 0, addedBy }: Settings = {},
) {
  const pulls: Record<number, Pull> = pull === undefined ? {} : { 128: toPull(pull) };
  const branches = { main: commits.at(-1)?.sha ?? '' };
  const repositories = { 'acme/docs': repository({ pulls }) };
  const workflows: Record<string, string> = {};
  const added = addedBy !== undefined && { workflowsAddedBy: toSha(addedBy) };
  const parts = { commits, branches, workflows, ...added };
  const world = await setUp(parts, { repositories, ...api }, timeScale);
  const { emulator, finishInside, prompts, statuses, usual } = world;
  const rest = createCalendar(workflows, statuses, retention);
  for (const path of [WORKFLOW, OTHER_WORKFLOW]) {
    workflows[path] = toInstant(fileAge);
  }
  const lastRuns = new Map<string, string | undefined>();

  /** Returns a run such as `c1+edited`: for this commit with these settings. */
  function plan(run: string, more: Readonly<Record<string, string>> = {}) {
    const [name = '', ...names] = run.split('+');
    const given: Record<string, string> = Object.assign({}, ...names.map(getSetting), more);
    const isOld = names.includes('same') || names.includes('again');
    const sha = toSha(name);
    const variables = { GITHUB_RETENTION_DAYS: retention, ...pick(given, true) };
    const before = commits.find((one) => one.sha === sha)?.parents?.[0];
    const { env = {}, ...options } = on(sha, variables, before);
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
    const result = await finishInside(changes, options);
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

  async function tellPart(part: string, all: string): Promise<void> {
    const [subject = '', end = ''] = part.split(' ');
    const job = emulator.jobs.find((_, index) => subject === `job${index}`);
    if (job !== undefined) {
      settle(job, { status: end });
    } else if (subject === 'pull') {
      pulls[128] = toPull(end);
    } else if (subject === 'rest') {
      rest(Number(end));
    } else if (end === 'marked') {
      await writeMark(plan(`${subject}${all}`), usual, statuses);
    } else {
      const played = await play(`${subject}${all}`);
      expect(`${subject} ${played.end}`).toBe(part);
    }
  }

  /**
   * Plays a story. Its parts are runs, their ends, and where their changes begin if they start a
   * job, such as `c1+edited opened c0`. `job0 failed` is the new status of a job, `pull merged`
   * that of the pull request. `c0 marked` is the mark of a first run, which isn't played. `rest 91`
   * lets days pass. Settings before a colon are those of all runs.
   */
  async function tell(story: string): Promise<void> {
    const [, all, parts = ''] = /^(?:(\S+): )?(.*)$/.exec(story) ?? [];
    for (const part of parts.split(', ')) {
      await tellPart(part, all === undefined ? '' : `+${all}`);
    }
  }

  return { ...world, findStart, play, tell };
}

/** Writes the mark of a first run, without the run. */
async function writeMark(
  { sha, runId, changes }: Planned,
  usual: Readonly<Record<string, string>>,
  statuses: Record<string, CommitStatus[]>,
): Promise<void> {
  const event = createGitHubContext({ eventName: 'schedule', before: undefined, sha });
  const read = readInputs(toInputVariables({ ...usual, ...changes }), event);
  const { series = '', paths } = getSeries(read);
  const task = { fingerprint: getFingerprint(read), runId: Number(runId), series, paths };
  const write = async (_: string, body: unknown) => {
    const status = { id: runs, created_at: new Date().toISOString(), ...(body as Written) };
    statuses[sha] = [...(statuses[sha] ?? []), status];
  };
  const api = { ...createFakeGitHub(() => undefined), write };
  const mark = { ...task, state: 'mark', guess: 'yes' } as const;
  await writeEntry(api, sha, mark, '', 'https://github.com/acme/widgets');
}

const toInstant = (daysAgo: number, nowMs = Date.now()): string =>
  new Date(nowMs - daysAgo * DAY_MS).toISOString();

/**
 * Returns a function that lets days pass: everything is older, and GitHub deletes the statuses that
 * it has kept for so many days.
 */
function createCalendar(
  workflows: Record<string, string>,
  statuses: Record<string, CommitStatus[]>,
  retention: string,
) {
  return (days: number): void => {
    for (const [path, time] of Object.entries(workflows)) {
      workflows[path] = toInstant(days, Date.parse(time));
    }
    const oldest = toInstant(Number(retention) || FOREVER);
    for (const [sha, all] of Object.entries(statuses)) {
      const aged = all.map((one) => {
        return { ...one, created_at: toInstant(days, Date.parse(one.created_at)) };
      });
      statuses[sha] = aged.filter(({ created_at }) => created_at > oldest);
    }
  };
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
 * GitHub says that it is nine days and a minute old.
 */
function toPull(told: string): Pull {
  const [state, days] = told.split('+');
  const isOpen = state === 'open' || state === 'draft';
  const flags = { merged: state === 'merged', draft: state === 'draft' };
  const pull = { title: 'Docs', state: isOpen ? 'open' : 'closed', files: [], ...flags } as const;
  if (days === undefined) {
    return pull;
  }
  const openedAtMs = Date.now() - Number(days) * DAY_MS - 60_000;
  return { ...pull, created_at: new Date(openedAtMs).toISOString().replace(/\.\d+/, '') };
}

/** Changes the status of a job. */
export function settle(job: Readonly<Job> | undefined, stage: Omit<Stage, 'atSeconds'>): void {
  const stages = [{ atSeconds: 0, ...stage }];
  Object.assign(job ?? {}, { project: { ...job?.project, stages } });
}
