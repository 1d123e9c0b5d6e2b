import fc from 'fast-check';
import { expect } from 'vitest';
import type { GitHubApi } from '../../src/github/api.ts';
import { findLastJob, type JobState, type LastJob } from '../../src/record/last-job.ts';
import { type Entry, type Mark, parseEntry, writeEntry } from '../../src/record/wire-format.ts';
import { createFakeGitHub } from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';

// Random histories of commits and runs. No change may be lost: what lies before the start of a run
// is in a job that ended without failing, or lies before the mark of a first run.

const SERIES = 'a'.repeat(32);
const PAGE = 'https://github.com/acme/app/actions/runs/1/attempts/1';

const step = fc.record({
  kind: fc.constantFrom(
    'commit',
    'commit',
    'branch',
    'merge',
    'drop',
    'run',
    'run',
    'run',
    'settle',
  ),
  task: fc.nat(1),
  /** Picks a commit, a branch, or a job. */
  pick: fc.nat(50),
  /** Skews the clock of a commit. */
  date: fc.nat(20),
  /** A commit without a file that matches `paths`. */
  isQuiet: fc.constantFrom(false, false, true),
  end: fc.constantFrom<JobState | 'killed'>(
    'ended',
    'ended',
    'failed',
    'at-work',
    'unread',
    'killed',
  ),
  isUnreadable: fc.constantFrom(false, false, false, true),
  /** Skips the run while the last job is at work, or its pull request is open. */
  skips: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Commit {
  readonly sha: string;
  readonly parents: readonly Commit[];
  readonly date: number;
  readonly isQuiet: boolean;
}

type Own = Pick<Mark, 'fingerprint' | 'runId' | 'series'>;

interface TestJob {
  readonly id: string;
  readonly range: ReadonlySet<Commit>;
  state: JobState;
  hasOpenPull: boolean;
}

/** How many commits a run can see: so that few steps play what takes 1,000 commits. */
const sights = fc.constantFrom(5, 10, 1_000);

const toHex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/** Returns a commit and all that it contains. */
function getHistory(head: Commit, found = new Set<Commit>()): Set<Commit> {
  if (!found.has(head)) {
    found.add(head);
    for (const parent of head.parents) {
      getHistory(parent, found);
    }
  }
  return found;
}

class History {
  readonly commits: Commit[] = [];
  readonly jobs: TestJob[] = [];
  readonly problems: string[] = [];
  readonly log: string[] = [];
  readonly #statuses = new Map<string, { id: number; target_url: string }[]>();
  readonly #firstRuns: Commit[] = [];
  #heads: Commit[] = [];
  readonly #sight: number;
  #runs = 0;
  #isUnreadable = false;

  constructor(sight: number) {
    this.#sight = sight;
    this.#heads = [this.#commit([], 0, false)];
  }

  async play({ kind, pick, date, isQuiet, isUnreadable, ...run }: Step): Promise<void> {
    const index = kind === 'run' || kind === 'commit' ? pick % this.#heads.length : 0;
    const head = this.#heads[index] as Commit;
    const other = this.#heads[pick % this.#heads.length] as Commit;
    if (kind === 'commit') {
      this.#heads[index] = this.#commit([head], date, isQuiet);
    } else if (kind === 'branch') {
      this.#heads.push(this.#commit([head], date, isQuiet));
    } else if (kind === 'merge' && other !== head) {
      this.#heads[0] = this.#commit([head, other], date, true);
    } else if (kind === 'drop') {
      this.#heads[0] = head.parents[0] ?? head;
    } else if (kind === 'settle') {
      this.#settle(pick, run.end);
    } else if (kind === 'run') {
      this.#isUnreadable = isUnreadable;
      await this.#run(head, run);
    }
  }

  #commit(parents: readonly Commit[], skew: number, isQuiet: boolean): Commit {
    const number = this.commits.length + 1;
    const commit = { sha: toHex(number, 40), parents, date: number + skew, isQuiet };
    this.commits.push(commit);
    this.log.push(`${number}: after ${parents.map(({ sha }) => Number(`0x${sha}`))}`);
    return commit;
  }

  /** A job that is at work ends, or can't be read any more or again. A pull request is merged. */
  #settle(pick: number, end: Step['end']): void {
    const pulls = this.jobs.filter(({ hasOpenPull }) => hasOpenPull);
    const pull = pulls[pick % pulls.length];
    if (pull !== undefined) {
      pull.hasOpenPull = false;
      this.log.push(`the pull request of ${pull.id} is merged`);
    }
    const open = this.jobs.filter(({ state }) => state === 'at-work' || state === 'unread');
    const job = open[pick % open.length];
    if (job !== undefined && end !== 'killed') {
      job.state = end;
      this.log.push(`job ${job.id}: ${end}`);
    }
  }

  async #run(head: Commit, { task, end, skips }: Pick<Step, 'task' | 'end' | 'skips'>) {
    this.#runs += 1;
    const own = { fingerprint: toHex(task, 32), runId: this.#runs, series: SERIES };
    const getState = async (id: string): Promise<JobState> => this.#find(id)?.state ?? 'unread';
    const last = await findLastJob(this.#api, head.sha, { ...own, getState }).catch(
      () => undefined,
    );
    const at = `run ${this.#runs} of task ${task} on ${Number(`0x${head.sha}`)}`;
    if (last === undefined) {
      this.log.push(`${at}: stops`);
      return;
    }
    this.log.push(`${at}: since ${last.sha && Number(`0x${last.sha}`)}, last ${last.jobId}`);
    await this.#act(head, own, last, { end, skips });
  }

  /** Undefined if the service can't say. */
  #find(id: string | undefined): TestJob | undefined {
    return this.#isUnreadable ? undefined : this.jobs.find((job) => job.id === id);
  }

  async #act(
    head: Commit,
    own: Own,
    { sha, isOfOtherTask, jobId }: LastJob,
    { end, skips }: Pick<Step, 'end' | 'skips'>,
  ): Promise<void> {
    const start = this.commits.find((commit) => commit.sha === sha);
    const before = start === undefined ? new Set<Commit>() : getHistory(start);
    this.#check(before);
    const range = new Set([...getHistory(head)].filter((commit) => !before.has(commit)));
    const mark: Mark = { ...own, state: 'mark', jobId, since: undefined };
    if (start === undefined) {
      this.#checkFirstRun(head, own);
      this.#firstRuns.push(head);
      await writeEntry(this.#api, head.sha, mark, '', PAGE);
    } else if ([...range].every(({ isQuiet }) => isQuiet)) {
      if (range.size > 0 || isOfOtherTask) {
        await writeEntry(this.#api, head.sha, mark, '', PAGE);
      }
    } else if (!skips || !(await this.#skip(head, { ...mark, since: sha }))) {
      await this.#start(head, own, range, end);
    }
  }

  /** Returns whether a run starts nothing, because the last job is open, or may be. */
  async #skip(head: Commit, mark: Mark): Promise<boolean> {
    const job = this.#find(mark.jobId);
    if (mark.jobId !== undefined && (job === undefined || job.state === 'unread')) {
      this.log.push('  stops: the last job is unknown');
      return true;
    }
    const isOpen = job?.state === 'at-work' || (job?.state === 'ended' && job.hasOpenPull);
    if (isOpen) {
      this.log.push('  is skipped');
      await writeEntry(this.#api, head.sha, mark, '', PAGE);
    }
    return isOpen;
  }

  async #start(head: Commit, own: Own, range: ReadonlySet<Commit>, end: Step['end']) {
    const claim: Entry = {
      ...own,
      nonce: toHex(own.runId, 16),
      attempt: 1,
      scope: 'rerun',
      after: undefined,
      state: 'starting',
      jobId: undefined,
    };
    await writeEntry(this.#api, head.sha, claim, '', PAGE);
    if (end !== 'killed') {
      const job = { id: `job_${own.runId}`, range, state: end, hasOpenPull: true };
      this.jobs.push(job);
      const entry: Entry = { ...claim, state: 'job', jobId: job.id };
      await writeEntry(this.#api, head.sha, entry, '', PAGE);
      this.log.push(`  starts ${job.id}: ${end}`);
    }
  }

  /** A run is a first one only if no other run has marked a commit that it can see. */
  #checkFirstRun(head: Commit, { runId }: Pick<Mark, 'runId'>): void {
    for (const { sha } of this.#list(head)) {
      const links = (this.#statuses.get(sha) ?? []).map(({ target_url }) => parseEntry(target_url));
      if (links.some((entry) => entry?.state === 'mark' && entry.runId !== runId)) {
        this.problems.push(`a first run overlooks ${Number(`0x${sha}`)}`);
      }
    }
  }

  /** Returns a commit and what a run for it can see, newest first. */
  #list(head: Commit): Commit[] {
    const others = [...getHistory(head)].filter((commit) => commit !== head);
    return [head, ...others.sort((a, b) => b.date - a.date)].slice(0, this.#sight);
  }

  /** What a run leaves out is documented. */
  #check(before: ReadonlySet<Commit>): void {
    const marked = new Set(this.#firstRuns.flatMap((commit) => [...getHistory(commit)]));
    const done = this.jobs.filter(({ state }) => state === 'ended');
    for (const commit of before) {
      const isDone = done.some(({ range }) => range.has(commit));
      if (!commit.isQuiet && !isDone && !marked.has(commit)) {
        this.problems.push(`${Number(`0x${commit.sha}`)} is lost`);
      }
    }
  }

  readonly #api: GitHubApi = {
    ...createFakeGitHub((path) => {
      const [, sha = ''] = /^\/commits\/(\w+)\/statuses/.exec(path) ?? [];
      return path.endsWith('&page=1') ? (this.#statuses.get(sha) ?? []).toReversed() : [];
    }),
    write: async (path, body) => {
      const sha = path.replace('/statuses/', '');
      const { target_url } = body as { target_url: string };
      const known = this.#statuses.get(sha) ?? [];
      this.#statuses.set(sha, [...known, { id: known.length + 1, target_url }]);
    },
    query: async (_, { oid, first, after = '0' }, parse) => {
      const head = this.commits.find(({ sha }) => sha === oid) as Commit;
      const all = this.#list(head);
      const end = Number(after) + Number(first);
      const nodes = all.slice(Number(after), end).map(({ sha }) => ({
        oid: sha,
        status: { contexts: this.#listNewest(sha) },
      }));
      const pageInfo = { hasNextPage: end < all.length, endCursor: `${end}` };
      const answer = parse({ repository: { object: { history: { nodes, pageInfo } } } });
      if (answer instanceof Error) {
        throw answer;
      }
      return answer;
    },
  };

  /** The newest status of each task, as GitHub shows one for each context. */
  #listNewest(sha: string) {
    const byTask = new Map(
      (this.#statuses.get(sha) ?? []).map(({ target_url: targetUrl }) => [
        /fingerprint=(\w+)/.exec(targetUrl)?.[1],
        { targetUrl },
      ]),
    );
    return [...byTask.values()];
  }
}

forAll(
  'no change is lost between jobs',
  [fc.array(step, { maxLength: 40, size: 'max' }), sights],
  async (steps, sight) => {
    const history = new History(sight);
    for (const each of steps) {
      await history.play(each);
    }
    expect(history.problems, history.log.join('\n')).toEqual([]);
  },
  12,
);
