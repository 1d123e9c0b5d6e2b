import fc from 'fast-check';
import { expect } from 'vitest';
import type { GitHubApi } from '../../src/github/api.ts';
import { GitHubError } from '../../src/github/errors.ts';
import { decideMark, type MarkFacts } from '../../src/last-job/decide-mark.ts';
import { findLastJob, type LastJob } from '../../src/last-job/search.ts';
import { type Entry, type Mark, parseEntry, writeEntry } from '../../src/record/wire-format.ts';
import { answerHistory, createFakeGitHub, createTestJob } from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';

// Random histories of commits and runs of two packages. No change may be lost: what lies before the
// start of a run is in a job for its package that ended without failing, or lies before the start of
// the first run for the package.

const SERIES = 'a'.repeat(32);
const PAGE = 'https://github.com/acme/app/actions/runs/1/attempts/1';
const KINDS = 'commit commit branch merge drop edit run run run rerun rerun settle'.split(' ');
/** What the service says of a job. For `unread`, it never says. */
const STATUSES = { ended: 'completed', failed: 'failed', 'at-work': 'active', unread: undefined };
type JobState = keyof typeof STATUSES;
const ENDS = ['ended', 'ended', 'failed', 'at-work', 'unread', 'killed'] as const;

const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  /** The package, such as one of a matrix with `paths`. */
  lane: fc.nat(1),
  /** Picks a commit, a branch, or a job. */
  pick: fc.nat(50),
  /** Skews the clock of a commit. */
  date: fc.nat(20),
  /** The packages whose `paths` match a file of a commit. */
  lanes: fc.constantFrom<number[]>([0], [1], [0, 1], []),
  end: fc.constantFrom(...ENDS),
  isUnreadable: fc.constantFrom(false, false, false, true),
  /** Skips the run while the last job is at work, or its pull request is open. */
  skips: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Commit = Readonly<{ sha: string; parents: readonly Commit[] } & Pick<Step, 'date' | 'lanes'>>;

type Own = Pick<Mark, 'fingerprint' | 'runId' | 'series' | 'paths'>;

interface TestJob {
  readonly id: string;
  readonly lane: number;
  readonly range: readonly Commit[];
  state: JobState;
  hasOpenPull: boolean;
}

/** A run, whose attempts share its id. */
interface TestRun {
  readonly head: Commit;
  readonly lane: number;
  readonly own: Own;
  readonly jobs: TestJob[];
  /** The claim of its last attempt. */
  nonce?: string;
  isKilled: boolean;
}

/** How many commits a run can see: so that few steps play what takes 1,000 commits. */
const sights = fc.constantFrom(5, 10, 1_000);

const toHex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
const toNumber = ({ sha }: Commit): number => Number(`0x${sha}`);

function getHistory(head: Commit, found = new Set<Commit>()): Set<Commit> {
  if (!found.has(head)) {
    found.add(head);
    for (const parent of head.parents) {
      getHistory(parent, found);
    }
  }
  return found;
}

class Lane {
  /** What its first run has left out. */
  readonly leftOut = new Set<Commit>();
  /** How often its prompt was edited, and its `paths`. */
  readonly edits = { prompt: 0, paths: 0 };
}

class History {
  readonly problems: string[] = [];
  readonly log: string[] = [];
  readonly #commits: Commit[] = [];
  readonly #jobs: TestJob[] = [];
  readonly #statuses = new Map<string, { id: number; target_url: string }[]>();
  readonly #lanes = [new Lane(), new Lane()];
  readonly #sight: number;
  /** Without branches. Where packages ran on different ones, no start is right for new `paths`. */
  readonly #isLine: boolean;
  readonly #heads: Commit[];
  readonly #runs: TestRun[] = [];
  #claims = 0;
  #isUnreadable = false;

  constructor(sight: number, isLine: boolean) {
    this.#sight = sight;
    this.#isLine = isLine;
    this.#heads = [this.#commit([], { date: 0, lanes: [] })];
  }

  async play(step: Step): Promise<void> {
    const { kind, pick } = step;
    if (kind === 'run') {
      await this.#run(this.#createRun(step), step);
    } else if (kind === 'rerun') {
      await this.#runAgain(this.#runs[pick % this.#runs.length], step);
    } else {
      this.#change(step);
    }
  }

  #change(step: Step): void {
    const { kind, pick } = step;
    const head = this.#heads[0] as Commit;
    const index = pick % this.#heads.length;
    const other = this.#heads[index] as Commit;
    if (kind === 'commit') {
      this.#heads[index] = this.#commit([other], step);
    } else if (kind === 'branch' && !this.#isLine) {
      this.#heads.push(this.#commit([head], step));
    } else if (kind === 'merge' && other !== head) {
      this.#heads[0] = this.#commit([head, other], { ...step, lanes: [] });
    } else if (kind === 'drop') {
      this.#heads[0] = head.parents[0] ?? head;
    } else if (kind === 'edit') {
      this.#edit(step);
    } else {
      this.#settle(step);
    }
  }

  #getLane({ lane }: Step): Lane {
    return this.#lanes[lane] as Lane;
  }

  #edit(step: Step): void {
    const isOfPaths = this.#isLine && step.pick % 3 === 0;
    this.#getLane(step).edits[isOfPaths ? 'paths' : 'prompt'] += 1;
  }

  #commit(parents: readonly Commit[], { date, lanes }: Pick<Step, 'date' | 'lanes'>): Commit {
    const number = this.#commits.length + 1;
    const commit = { sha: toHex(number, 40), parents, date: number + date, lanes };
    this.#commits.push(commit);
    this.log.push(`${number}: after ${parents.map(toNumber)}, for ${lanes}`);
    return commit;
  }

  /** A job that is at work ends, or can't be read any more or again. A pull request is merged. */
  #settle({ pick, end }: Step): void {
    const pulls = this.#jobs.filter(({ hasOpenPull }) => hasOpenPull);
    const pull = pulls[pick % pulls.length];
    if (pull !== undefined) {
      pull.hasOpenPull = false;
      this.log.push(`the pull request of ${pull.id} is merged`);
    }
    const open = this.#jobs.filter(({ state }) => ['at-work', 'unread'].includes(state));
    const job = open[pick % open.length];
    if (job !== undefined && end !== 'killed') {
      job.state = end;
      this.log.push(`job ${job.id}: ${end}`);
    }
  }

  #createRun(step: Step): TestRun {
    const head = this.#heads[step.pick % this.#heads.length] as Commit;
    const { lane } = step;
    const { prompt, paths: edits } = this.#getLane(step).edits;
    const paths = `${lane}`.padEnd(16, `${edits}`.padStart(2, '0')).padEnd(32, '0');
    const fingerprint = paths.slice(0, 24).padEnd(32, `${prompt}`.padStart(2, '0'));
    const own = { fingerprint, runId: this.#runs.length + 1, series: SERIES, paths };
    const run = { head, lane, own, jobs: [], isKilled: false };
    this.#runs.push(run);
    return run;
  }

  /** A re-run waits for a job that hasn't failed, and stops at a claim that may be one. */
  async #runAgain(run: TestRun | undefined, step: Step): Promise<void> {
    if (run?.isKilled === false && run.jobs.every(({ state }) => state === 'failed')) {
      await this.#run(run, { ...step, lane: run.lane });
    }
  }

  async #run(run: TestRun, step: Step): Promise<void> {
    this.#isUnreadable = step.isUnreadable;
    const { head, own } = run;
    const readJob = async (id: string) => {
      const status = STATUSES[this.#find(id)?.state ?? 'unread'];
      if (status === undefined) {
        throw new GitHubError('HTTP 503');
      }
      return createTestJob({ id, status });
    };
    const series = { ...own, api: this.#api, readJob };
    const last = await findLastJob(head.sha, series).catch(() => undefined);
    const start = this.#commits.find(({ sha }) => sha === last?.sha);
    const end = last ? `since ${start && toNumber(start)}, last ${last.jobId}` : 'stops';
    this.log.push(`run ${own.runId} of ${own.fingerprint} on ${toNumber(head)}: ${end}`);
    if (last !== undefined) {
      const before = start === undefined ? undefined : getHistory(start);
      this.#check(head, step, own, before);
      const range = [...getHistory(head)].filter((commit) => before?.has(commit) !== true);
      await this.#act(run, last, range, step);
    }
  }

  /** Undefined if the service can't say. */
  #find(id: string | undefined): TestJob | undefined {
    return this.#isUnreadable ? undefined : this.#jobs.find((job) => job.id === id);
  }

  /** Does what a run does, in the order of `prepare-prompt.ts`. */
  async #act(run: TestRun, last: LastJob, range: readonly Commit[], step: Step) {
    const { head, lane, own } = run;
    const isNew = last.sha !== undefined && range.some(({ lanes }) => lanes.includes(lane));
    const isQuiet = !isNew;
    const found = step.skips && !isQuiet ? this.#findOpen(last.jobId) : 'closed';
    if (found === 'unknown') {
      this.log.push('  stops: the last job is unknown');
      return;
    }
    const reason = range.length === 0 ? 'no-commits' : 'no-match';
    const skip = last.sha === undefined ? 'first-run' : reason;
    await this.#mark(head, own, last, isQuiet ? skip : undefined);
    if (!isQuiet && found === 'closed') {
      await this.#start(run, range, step);
    }
  }

  async #mark(head: Commit, own: Own, last: LastJob, skip: MarkFacts['skip']) {
    const { sha, jobId, record, undone, distance } = last;
    const mark = decideMark({
      record,
      isHere: distance === 0,
      isFading: distance >= Math.floor(this.#sight / 10),
      skip,
      isOwed: undone.length > 0,
    });
    if (mark !== 'none') {
      const since = mark === 'start' ? sha : undefined;
      await this.#write(head, { ...own, state: 'mark', jobId, since });
      this.log.push(`  marks ${toNumber(head)} since ${since === undefined ? 'it' : 'before'}`);
    }
  }

  #findOpen(jobId: string | undefined): 'open' | 'closed' | 'unknown' {
    const job = this.#find(jobId);
    if (jobId !== undefined && (job === undefined || job.state === 'unread')) {
      return 'unknown';
    }
    const isOpen = job?.state === 'at-work' || (job?.state === 'ended' && job.hasOpenPull);
    return isOpen ? 'open' : 'closed';
  }

  async #start(run: TestRun, range: readonly Commit[], { end }: Step) {
    const { head, lane, own, jobs, nonce: after } = run;
    this.#claims += 1;
    run.nonce = toHex(this.#claims, 16);
    const attempt = jobs.length + 1;
    const claim = { ...own, nonce: run.nonce, after, attempt, scope: 'rerun' } as const;
    await this.#write(head, { ...claim, state: 'starting' });
    run.isKilled = end === 'killed';
    if (end !== 'killed') {
      const job = { id: `job_${this.#claims}`, lane, range, state: end, hasOpenPull: true };
      this.#jobs.push(job);
      jobs.push(job);
      await this.#write(head, { ...claim, state: 'job', jobId: job.id });
      this.log.push(`  starts ${job.id}: ${end}`);
    }
  }

  #write({ sha }: Commit, entry: Entry | Mark): Promise<void> {
    return writeEntry(this.#api, sha, entry, '', PAGE);
  }

  /** What a run leaves out is documented, unless it is the first one for its package. */
  #check(head: Commit, step: Step, own: Own, before = getHistory(head)): void {
    const { lane } = step;
    const { leftOut } = this.#getLane(step);
    if (!this.#isKnown(head, own)) {
      for (const commit of before) {
        leftOut.add(commit);
      }
    }
    const done = this.#jobs.filter((job) => job.state === 'ended' && job.lane === lane);
    for (const commit of before) {
      const isDone = done.some(({ range }) => range.includes(commit));
      if (commit.lanes.includes(lane) && !isDone && !leftOut.has(commit)) {
        this.problems.push(`${toNumber(commit)} is lost`);
      }
    }
  }

  /** True if a run can see a mark for its package, or a job that hasn't failed. */
  #isKnown(head: Commit, { paths, runId }: Own): boolean {
    const links = this.#list(head).flatMap(({ sha }) => this.#statuses.get(sha) ?? []);
    return links.some(({ target_url: link }) => {
      const entry = parseEntry(link);
      const isOfLane = entry?.paths?.[0] === paths?.[0] && entry?.runId !== runId;
      const job = this.#jobs.find(({ id }) => id === entry?.jobId);
      const isStart = entry?.state === 'mark' || (job !== undefined && job.state !== 'failed');
      return isOfLane && isStart;
    });
  }

  /** Returns a commit and what a run for it can see, in the order of `git log`. */
  #list(head: Commit): Commit[] {
    const listed = new Set<Commit>();
    const next = [head];
    for (let commit = next.pop(); commit !== undefined; commit = next.pop()) {
      listed.add(commit);
      next.push(...commit.parents.filter((parent) => !listed.has(parent)));
      next.sort((a, b) => a.date - b.date);
    }
    return [...listed].slice(0, this.#sight);
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
    query: answerHistory((oid) =>
      this.#list(this.#commits.find(({ sha }) => sha === oid) as Commit).map(({ sha }) => {
        // The newest status of each task, as GitHub shows one for each context.
        const links = (this.#statuses.get(sha) ?? []).map(({ target_url }) => target_url);
        const byTask = new Map(links.map((link) => [/fingerprint=(\w+)/.exec(link)?.[1], link]));
        return { sha, links: [...byTask.values()] };
      }),
    ),
  };
}

forAll(
  'no change is lost between jobs',
  [fc.array(step, { maxLength: 40, size: 'max' }), sights, fc.boolean()],
  async (steps, sight, isLine) => {
    const history = new History(sight, isLine);
    for (const each of steps) {
      await history.play(each);
    }
    expect(history.problems, history.log.join('\n')).toEqual([]);
  },
  12,
);
