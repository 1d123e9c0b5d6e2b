import fc from 'fast-check';
import { expect } from 'vitest';
import type { GitHubApi } from '../../src/github/api.ts';
import { GitHubError } from '../../src/github/errors.ts';
import {
  decideMark,
  describeMark,
  describeStart,
  isFading,
  type MarkFacts,
} from '../../src/last-job/decide-mark.ts';
import { findRecord } from '../../src/last-job/first-run.ts';
import type { LastJob } from '../../src/last-job/search.ts';
import { type Entry, type Mark, parseEntry, writeEntry } from '../../src/record/wire-format.ts';
import { answerHistory, createFakeGitHub, createTestJob } from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';

// Random histories of commits and runs of two packages. No change may be lost: what lies before the
// start of a run is in a job for its package that ended without failing, or lies before the start of
// the first run for the package. GitHub deletes statuses, some of them late, and hides all of them in
// an answer here and there. What a run then leaves out by mistake, a later one has to find.

const SERIES = 'a'.repeat(32);
const PAGE = 'https://github.com/acme/app/actions/runs/1/attempts/1';
const KINDS = 'commit commit branch merge drop edit run run run pair rerun rerun settle rest'.split(
  ' ',
);
/** What the service says of a job. For `unread`, it never says. */
const STATUSES = { ended: 'completed', failed: 'failed', 'at-work': 'active', unread: undefined };
type JobState = keyof typeof STATUSES;
const ENDS = ['ended', 'ended', 'failed', 'at-work', 'unread', 'killed', 'refused'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
const RESTS = [3, 7, 30, 91, 365];
const WORKFLOW = '.github/workflows/docs.yml';

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
  event: fc.constantFrom('schedule', 'push'),
  /** The number of the query that GitHub answers as if there were no status and no file. */
  hidden: fc.constantFrom(0, 0, 0, 0, 1, 2, 3),
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
  readonly before: string | undefined;
  attempts: number;
  /** The claim of its last attempt. */
  nonce?: string;
  isKilled: boolean;
}

/** How many commits a run can see: so that few steps play what takes 1,000 commits. */
const sights = fc.constantFrom(5, 10, 1_000);

/** How long statuses last, and how old the workflow's file is at first, in days. */
const times = fc.record({
  retention: fc.constantFrom(undefined, 1, 3, 7, 90, 400),
  fileAge: fc.constantFrom(0, 1_000),
});
type Times = typeof times extends fc.Arbitrary<infer T> ? T : never;

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
  readonly #statuses = new Map<string, { id: number; target_url: string; atMs: number }[]>();
  readonly #lanes = [new Lane(), new Lane()];
  readonly #sight: number;
  /** Without branches. Where packages ran on different ones, no start is right for new `paths`. */
  readonly #isLine: boolean;
  readonly #heads: Commit[];
  readonly #runs: TestRun[] = [];
  readonly #retentionMs: number | undefined;
  readonly #fileMs: number;
  #nowMs = Date.parse('2026-01-01');
  #claims = 0;
  #statusId = 0;
  #isUnreadable = false;
  /** The runs that could renew what they found. */
  readonly #seen: (Pick<TestRun, 'head' | 'own'> & { readonly atMs: number })[] = [];
  /** How many more queries are answered before one hides everything. */
  #hidden = 0;

  constructor(sight: number, isLine: boolean, { retention, fileAge }: Times) {
    this.#sight = sight;
    this.#retentionMs = retention === undefined ? undefined : retention * DAY_MS;
    this.#fileMs = this.#nowMs - fileAge * DAY_MS;
    this.#isLine = isLine;
    this.#heads = [this.#commit([], { date: 0, lanes: [] })];
  }

  async play(step: Step): Promise<void> {
    const { kind, pick } = step;
    this.#nowMs += DAY_MS / 3;
    if (kind === 'run') {
      await (await this.#run(this.#createRun(step), step))();
    } else if (kind === 'pair') {
      // Two at the same moment.
      const runs = [step, { ...step, pick: pick + 1, end: 'ended' } as const];
      const acts = [];
      for (const one of runs) {
        acts.push(await this.#run(this.#createRun(one), one));
      }
      for (const act of acts) {
        await act();
      }
    } else if (kind === 'rest') {
      this.#nowMs += (RESTS[pick % RESTS.length] ?? 0) * DAY_MS;
      this.log.push(`rests until ${new Date(this.#nowMs).toISOString()}`);
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
    if (job !== undefined && end !== 'killed' && end !== 'refused') {
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
    const before = step.event === 'push' ? (head.parents[0]?.sha ?? toHex(0, 40)) : undefined;
    const run = { head, lane, own, jobs: [], before, attempts: 0, isKilled: false };
    this.#runs.push(run);
    return run;
  }

  /** A re-run waits for a job that hasn't failed, and stops at a claim that may be one. */
  async #runAgain(run: TestRun | undefined, step: Step): Promise<void> {
    if (run?.isKilled === false && run.jobs.every(({ state }) => state === 'failed')) {
      await (await this.#run(run, { ...step, lane: run.lane }))();
    }
  }

  /** Finds where the changes of a run begin. Returns what it does then. */
  async #run(run: TestRun, step: Step): Promise<() => Promise<void>> {
    this.#isUnreadable = step.isUnreadable;
    // The record that such a run misses must stay in sight until the next one.
    const hides = this.#sight >= 1_000 ? step.hidden : 0;
    this.#hidden = hides;
    run.attempts += 1;
    const { head, own, before, attempts: runAttempt } = run;
    const readJob = async (id: string) => {
      const status = STATUSES[this.#find(id)?.state ?? 'unread'];
      if (status === undefined) {
        throw new GitHubError('HTTP 503');
      }
      return createTestJob({ id, status });
    };
    const series = { ...own, api: this.#api, readJob };
    const facts = { retentionMs: this.#retentionMs, workflowPath: WORKFLOW, before, runAttempt };
    const found = await findRecord(head.sha, series, facts, async () => {}).catch(() => undefined);
    const { start: from, last } = found ?? {};
    const start = this.#commits.find(({ sha }) => sha === last?.sha);
    const end = last ? `${last.record} ${start && toNumber(start)}, ${from?.kind}` : 'stops';
    const name = `run ${own.runId} of ${own.fingerprint} on ${toNumber(head)}`;
    this.log.push(`${name} (${step.event}, ${runAttempt}, hides ${hides}): ${end}`);
    if (last === undefined || from === undefined || from.kind === 'unknown') {
      if (from?.kind === 'unknown' && hides === 0 && this.#hasRun(head, own)) {
        this.problems.push(`the record for ${toNumber(head)} is gone`);
      }
      return async () => {};
    }
    const done = start === undefined ? undefined : getHistory(start);
    this.#check(run, last, hides > 0, done);
    const range = [...getHistory(head)].filter((commit) => done?.has(commit) !== true);
    return async () => {
      await this.#act(run, last, range, step);
      if (hides === 0) {
        this.#seen.push({ head, own, atMs: this.#nowMs });
      }
    };
  }

  /** Undefined if the service can't say. */
  #find(id: string | undefined): TestJob | undefined {
    return this.#isUnreadable ? undefined : this.#jobs.find((job) => job.id === id);
  }

  /** Does what a run does, in the order of `plan.ts`. */
  async #act(run: TestRun, last: LastJob, range: readonly Commit[], step: Step) {
    const { lane } = run;
    const isNew = last.sha !== undefined && range.some(({ lanes }) => lanes.includes(lane));
    const isQuiet = !isNew;
    const found = step.skips && !isQuiet ? this.#findOpen(last.jobId) : 'closed';
    if (found === 'unknown') {
      this.log.push('  stops: the last job is unknown');
      return;
    }
    const reason = range.length === 0 ? 'no-commits' : 'no-match';
    const skip = last.sha === undefined ? 'first-run' : reason;
    const waits = found === 'open' ? 'pr-open' : undefined;
    await this.#mark(run, last, isQuiet ? skip : waits);
    if (!isQuiet && found === 'closed') {
      await this.#start(run, last, range, step);
    }
  }

  async #mark({ head, own }: TestRun, last: LastJob, skip: MarkFacts['skip']) {
    const { jobId, record, undone, distance } = last;
    const mark = decideMark({
      record,
      isHere: distance === 0,
      isFading: isFading(last, this.#retentionMs, this.#far),
      skip,
      isOwed: undone.length > 0,
    });
    if (mark !== 'none') {
      const start = describeMark(mark, last, head.sha);
      await this.#write(head, { ...own, state: 'mark', jobId, ...start });
      this.log.push(`  marks ${toNumber(head)}: ${JSON.stringify(start)}`);
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

  async #start(run: TestRun, last: LastJob, range: readonly Commit[], { end }: Step) {
    const { head, lane, own, jobs, nonce: after } = run;
    this.#claims += 1;
    run.nonce = toHex(this.#claims, 16);
    const attempt = jobs.length + 1;
    const task = { ...own, nonce: run.nonce, after, attempt, scope: 'rerun' } as const;
    const claim = { ...task, ...describeStart(last) };
    await this.#write(head, { ...claim, state: 'starting' });
    run.isKilled = end === 'killed';
    if (end === 'refused') {
      await this.#write(head, { ...claim, state: 'released' });
    } else if (end !== 'killed') {
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

  /**
   * What a run leaves out is documented, unless it is the first one for its package. What one leaves
   * out by mistake, because GitHub hides the record, isn't lost yet.
   */
  #check(run: TestRun, last: LastJob, isHidden: boolean, before = getHistory(run.head)): void {
    const { lane } = run;
    const { leftOut } = this.#lanes[lane] as Lane;
    this.#leaveOut(run, before);
    if (last.record === 'none' && isHidden) {
      return;
    }
    const done = this.#jobs.filter((job) => job.state === 'ended' && job.lane === lane);
    for (const commit of before) {
      const isDone = done.some(({ range }) => range.includes(commit));
      if (commit.lanes.includes(lane) && !isDone && !leftOut.has(commit)) {
        this.problems.push(`${toNumber(commit)} is lost`);
      }
    }
  }

  /** Notes what a first run leaves out, and what a push leaves to the one before it. */
  #leaveOut({ head, lane, own, attempts, before: pushed }: TestRun, before: Set<Commit>): void {
    // What was deleted is still known, unless a person says that this is the first run, or a push.
    const isBelieved = this.#isOld && (pushed !== undefined || attempts > 1);
    if (this.#isKnown(head, own, isBelieved) || this.#hasRun(head, own)) {
      return;
    }
    const base = this.#isOld ? this.#commits.find(({ sha }) => sha === pushed) : undefined;
    for (const commit of base === undefined ? before : getHistory(base)) {
      this.#lanes[lane]?.leftOut.add(commit);
    }
  }

  /** Commits after which a start is marked again. */
  get #far(): number {
    return Math.floor(this.#sight / 10);
  }

  /** True if a run has renewed the record so late that it must still be there. */
  #hasRun(head: Commit, { paths }: Own): boolean {
    const near = this.#list(head).slice(0, this.#sight - this.#far - 1);
    const halfMs = (this.#retentionMs ?? Number.POSITIVE_INFINITY) / 2;
    return this.#seen.some(
      (one) =>
        one.own.paths === paths && near.includes(one.head) && this.#nowMs - one.atMs <= halfMs,
    );
  }

  /** True once GitHub may have deleted a record of the workflow. */
  get #isOld(): boolean {
    return this.#nowMs - this.#fileMs > (this.#retentionMs ?? Number.POSITIVE_INFINITY) / 2;
  }

  /** True if a run can see a record for its package. */
  #isKnown(head: Commit, { paths, runId }: Own, isAlive: boolean): boolean {
    const statuses = this.#list(head).flatMap((one) => this.#getStatuses(one, isAlive));
    return statuses.some(({ target_url: link }) => {
      const entry = parseEntry(link);
      const isOfOther = entry?.runId !== runId || entry?.since !== undefined;
      return entry?.paths?.[0] === paths?.[0] && isOfOther;
    });
  }

  /** GitHub deletes every third one late. */
  #getStatuses({ sha }: Pick<Commit, 'sha'>, isAlive = true) {
    const longestMs = this.#retentionMs ?? Number.POSITIVE_INFINITY;
    const isLeft = ({ id, atMs }: { readonly id: number; readonly atMs: number }): boolean =>
      this.#nowMs - atMs <= longestMs * (id % 3 === 0 ? 2 : 1);
    return (this.#statuses.get(sha) ?? []).filter((one) => !isAlive || isLeft(one));
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
      const all = this.#getStatuses({ sha }).map(({ atMs, ...status }) => {
        return { ...status, created_at: new Date(atMs).toISOString() };
      });
      return path.endsWith('&page=1') ? all.reverse() : [];
    }),
    now: () => this.#nowMs,
    write: async (path, body) => {
      const sha = path.replace('/statuses/', '');
      const { target_url } = body as { target_url: string };
      this.#statusId += 1;
      const status = { id: this.#statusId, target_url, atMs: this.#nowMs };
      this.#statuses.set(sha, [...(this.#statuses.get(sha) ?? []), status]);
    },
    query: async (text, getVariables, parse) => {
      this.#hidden -= 1;
      const { oid, path, until } = getVariables(0);
      return path === undefined
        ? this.#answerHistory(text, getVariables, parse)
        : this.#answerAge(`${oid}`, `${until}`, parse);
    },
  };

  readonly #answerHistory = answerHistory((oid) => {
    const listed = this.#list(this.#commits.find(({ sha }) => sha === oid) as Commit);
    return listed.map((commit) => {
      // The newest status of each task, as GitHub shows one for each context.
      const links = this.#getStatuses(commit).map(({ target_url }) => target_url);
      const byTask = new Map(links.map((link) => [/fingerprint=(\w+)/.exec(link)?.[1], link]));
      // What is out of sight isn't missed.
      const parents = commit.parents.filter((parent) => listed.includes(parent));
      return {
        sha: commit.sha,
        parents: parents.map(({ sha }) => sha),
        links: this.#hidden === 0 ? [] : [...byTask.values()],
      };
    });
  });

  #answerAge<T>(oid: string, until: string, parse: (data: unknown) => T | GitHubError): T {
    const pageInfo = { hasNextPage: false };
    const all = { nodes: this.#hidden === 0 ? [] : [{ oid }], pageInfo };
    const old = new Date(this.#fileMs).toISOString() > until ? { nodes: [] } : all;
    const answer = parse({ repository: { object: { all, old } } });
    if (answer instanceof GitHubError) {
      throw answer;
    }
    return answer;
  }
}

forAll(
  'no change is lost between jobs',
  [fc.array(step, { maxLength: 40, size: 'max' }), sights, fc.boolean(), times],
  async (steps, sight, isLine, given) => {
    const history = new History(sight, isLine, given);
    for (const each of steps) {
      await history.play(each);
    }
    expect(history.problems, history.log.join('\n')).toEqual([]);
  },
  12,
);
