import { getRemainingMs, type RunContext } from '../clock.ts';
import { InputError } from '../errors.ts';
import { getGitHubError, isRefusal, NoAccessError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { CANCELLED, Stop } from '../outcome.ts';
import type { AgentApi } from '../service/agent-client.ts';
import type { RecordedAttempt } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, link, type Message, message } from '../text/message.ts';
import { type JobRecord, newClaim, type RecordDependencies } from './record.ts';
import type { Claim } from './status.ts';

export interface ClaimDependencies extends RecordDependencies {
  readonly agent: AgentApi;
  readonly reporter: ClaimReporter;
}

/** Logs the decision about an earlier job. */
export interface ClaimReporter {
  onNote(note: Message): void;
  /** The run starts a job although an earlier one may exist. */
  onSecondJob(warning: Message): void;
}

const FIRST_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 20_000;
const RIVAL_TIMEOUT_MS = 120_000;
const RIVAL_PAUSE_MS = 3_000;
const ASK_TIMEOUT_MS = 10_000;
const GONE_AFTER_MS = 60_000;
const GONE_PAUSE_MS = 10_000;
/** A canceled run must end within a second. The status is written later if the run goes on. */
const RELEASE_TIMEOUT_MS = 1_000;

/** Why a run starts a job. The warning says that it may be a second one. */
interface StartReason {
  readonly text: Message;
  readonly warning?: Message;
}

/** What the newest claim means for this run. `busy`: its run may be starting the job. */
type Decision =
  | { readonly kind: 'start'; readonly reason: StartReason | undefined }
  | { readonly kind: 'wait' | 'busy' | 'unknown'; readonly claim: Claim };

/**
 * Decides whether a run starts its job or waits for the job of an earlier attempt, or of another run: the claim is written
 * before the create request. Among claims for the same job the first one wins, and the others wait for its job.
 */
export class JobClaim {
  readonly #inputs: Pick<Inputs, 'reuse' | 'dryRun'>;
  readonly #record: JobRecord;
  readonly #dependencies: ClaimDependencies;
  readonly #context: RunContext;
  readonly #answers = new Map<string, 'usable' | 'failed' | 'gone'>();
  #rivalDeadline: number | undefined;

  constructor(
    inputs: Pick<Inputs, 'reuse' | 'dryRun'>,
    record: JobRecord,
    dependencies: ClaimDependencies,
    context: RunContext,
  ) {
    this.#inputs = inputs;
    this.#record = record;
    this.#dependencies = dependencies;
    this.#context = context;
  }

  /**
   * Returns the id of an earlier job to wait for, or undefined if there is none. The first attempt of a run leaves the
   * look to `take`. Throws a `Stop` if nothing must be sent.
   */
  async look(): Promise<string | undefined> {
    return this.#isFirst && !this.#inputs.dryRun ? undefined : this.#find();
  }

  /** Writes the claim. Returns undefined if this run is to start the job, or the id of the job to wait for. */
  async take(): Promise<string | undefined> {
    for (;;) {
      const { kind } = this.#dependencies.tracker.state.record;
      if (kind === 'refused' || kind === 'no-access') {
        return undefined;
      }
      const claim = newClaim();
      const decision = await this.#useGitHub(async (timeoutMs) =>
        this.#judge(await this.#record.announce(claim, timeoutMs), claim),
      );
      if (decision === undefined) {
        return undefined;
      }
      if (decision.kind === 'start') {
        this.#onStart(decision.reason);
        return undefined;
      }
      await this.#record.settle('released', RELEASE_TIMEOUT_MS);
      const jobId = await this.#find(decision);
      if (jobId !== undefined) {
        return jobId;
      }
    }
  }

  get #isFirst(): boolean {
    return this.#inputs.reuse === 'rerun' && this.#dependencies.github.runAttempt === 1;
  }

  /** Reads the claims, unless a decision is given, until no claim is busy. */
  async #find(known?: Decision): Promise<string | undefined> {
    const { clock, cancel } = this.#context;
    for (let first = known; ; first = undefined) {
      const decision =
        first ??
        (await this.#useGitHub(async (timeoutMs) => this.#judge(await this.#record.read(timeoutMs))));
      switch (decision?.kind) {
        case undefined:
          return undefined;
        case 'start':
          // Otherwise, `take` judges once more.
          if (this.#inputs.dryRun) {
            this.#onStart(decision.reason);
          }
          return undefined;
        case 'wait':
          return this.#waitFor(decision.claim);
        case 'busy':
        case 'unknown': {
          const attempt = this.#describe(decision.claim);
          if (decision.kind === 'busy' && this.#inputs.dryRun) {
            this.#onStart({
              text: message`${nameAttempt(attempt)} may be starting it: a real run would wait`,
            });
            return undefined;
          }
          if (decision.kind === 'busy') {
            this.#rivalDeadline ??= this.#onRival(attempt);
          }
          if (clock.now() >= (this.#rivalDeadline ?? 0)) {
            throw new Stop({ outcome: 'start-unknown', code: 'start-unknown', attempt });
          }
          await clock.sleep(RIVAL_PAUSE_MS, cancel);
        }
      }
    }
  }

  /**
   * Judges the claims of other attempts: waits for the newest job that is usable. If there is none, a claim without a job
   * decides, or the newest one. A claim behind that of this run waits for this run, unless it has already started a job.
   */
  async #judge(claims: readonly Claim[], ownClaim?: string): Promise<Decision> {
    const own = claims.find(({ claim }) => claim === ownClaim);
    const { runId, runAttempt } = this.#dependencies.github;
    const others = claims.filter(
      (other) =>
        other.state !== 'released' &&
        other !== own &&
        (other.runId === runId || this.#inputs.reuse === 'release') &&
        (other.state !== 'starting' || own === undefined || other.order < own.order),
    );
    for (const claim of others) {
      if (claim.jobId !== undefined && (await this.#ask(claim.jobId)) === 'usable') {
        return { kind: 'wait', claim };
      }
    }
    // A later attempt of a run settles what an earlier attempt of it left open.
    const open = others.filter(
      (other) =>
        other.jobId === undefined &&
        !others.some((later) => later.runId === other.runId && later.attempt > other.attempt),
    );
    const isOwn = (other: Claim): boolean => other.runId === runId && other.attempt < runAttempt;
    const claim = open.find((other) => !isOwn(other)) ?? open[0] ?? others[0];
    if (claim === undefined) {
      return {
        kind: 'start',
        reason: this.#isFirst ? undefined : { text: message`no earlier job is on record` },
      };
    }
    const attempt = this.#describe(claim);
    const name = nameAttempt(attempt);
    if (claim.jobId !== undefined) {
      const job = message`job ${claim.jobId}, which ${name} started,`;
      if ((await this.#ask(claim.jobId)) === 'failed') {
        return { kind: 'start', reason: { text: message`${job} failed` } };
      }
      const warning = message`The service does not find ${job} anymore. If that job exists, this is a second one.`;
      return { kind: 'start', reason: { text: message`${job} is gone`, warning } };
    }
    if (!isOwn(claim)) {
      return { kind: claim.state === 'unknown' ? 'unknown' : 'busy', claim };
    }
    const text = message`${name} may have started a job, but its id is not on record`;
    const warning = message`Attempt ${String(attempt.attempt)} may have started a job, but its id is not on record. This attempt does not wait for that job.`;
    return { kind: 'start', reason: { text, warning } };
  }

  /**
   * Asks the service about a recorded job, once in a run. Only the service's own word makes it unusable: that it failed, or,
   * for a minute, that there is no such job. Never pay twice on a guess.
   */
  async #ask(jobId: string): Promise<'usable' | 'failed' | 'gone'> {
    const { clock, cancel } = this.#context;
    const goneAt = clock.now() + GONE_AFTER_MS;
    const until = Math.min(goneAt, clock.now() + getRemainingMs(this.#context) / 2);
    for (;;) {
      const known = this.#answers.get(jobId);
      if (known !== undefined) {
        return known;
      }
      const timeoutMs = Math.ceil(Math.max(1, Math.min(ASK_TIMEOUT_MS, getRemainingMs(this.#context))));
      const result = await this.#dependencies.agent.getJob(jobId, { timeoutMs, signal: cancel });
      const response = result.kind === 'response' ? result : undefined;
      const isMissing =
        (response?.httpStatus === 404 || response?.httpStatus === 410) && response.hasErrorBody;
      if (!isMissing) {
        this.#answers.set(jobId, response?.job?.status === 'failed' ? 'failed' : 'usable');
      } else if (clock.now() >= until || cancel.aborted) {
        this.#answers.set(jobId, clock.now() >= goneAt ? 'gone' : 'usable');
      } else {
        await clock.sleep(Math.min(GONE_PAUSE_MS, until - clock.now()), cancel);
      }
    }
  }

  /** Returns undefined if GitHub can't be used and the run may go on without it. Otherwise, throws a `Stop`. */
  async #useGitHub<T>(use: (timeoutMs: number) => Promise<T>): Promise<T | undefined> {
    const { tracker } = this.#dependencies;
    try {
      const timeoutMs = this.#isFirst ? FIRST_TIMEOUT_MS : TIMEOUT_MS;
      return await use(Math.min(timeoutMs, getRemainingMs(this.#context) / 2));
    } catch (error) {
      if (error instanceof Stop || error instanceof InputError) {
        throw error;
      }
      if (this.#context.cancel.aborted) {
        throw new Stop(CANCELLED);
      }
      const failure = getGitHubError(error);
      const isRefused = isRefusal(failure);
      const detail = failure.message;
      const problem = failure instanceof NoAccessError ? 'no-access' : isRefused ? 'refused' : 'unavailable';
      tracker.setRecord({ kind: problem, detail });
      const mayStart = (problem !== 'unavailable' || this.#isFirst) && this.#rivalDeadline === undefined;
      if (this.#inputs.reuse !== 'rerun' || !mayStart) {
        await this.#record.settle('released', RELEASE_TIMEOUT_MS);
        throw new Stop({ outcome: 'not-started', code: 'reuse-unknown', isRefused, detail });
      }
      const remedy = isRefused ? message`: give the workflow job ${code('statuses: write')}` : [];
      const rerun = problem === 'unavailable' ? [] : message`, so a re-run starts another job${remedy}`;
      const text = message`the record of the job can't be read or written (${detail})${rerun}`;
      const warning = message`An earlier attempt may have started a job, but its record can't be read (${detail}).`;
      this.#onStart(this.#isFirst ? { text } : { text, warning });
      return undefined;
    }
  }

  #onStart(reason: StartReason | undefined): void {
    const { tracker, reporter } = this.#dependencies;
    if (reason === undefined) {
      return;
    }
    const { text, warning } = reason;
    tracker.setEarlierJob({ kind: 'none', reason: text, mayBeSecond: warning !== undefined });
    const starting = this.#inputs.dryRun
      ? message`a real run would start a new job`
      : message`starting a new job`;
    reporter.onNote(message`${starting}: ${text}`);
    if (warning !== undefined && !this.#inputs.dryRun) {
      reporter.onSecondJob(warning);
    }
  }

  #waitFor(claim: Claim): string {
    const { tracker, reporter } = this.#dependencies;
    const attempt = this.#describe(claim);
    const jobId = claim.jobId ?? '';
    this.#record.follow(claim);
    tracker.setEarlierJob({ kind: 'found', jobId, attempt });
    const found = message`job ${jobId}, which ${nameAttempt(attempt)} started`;
    reporter.onNote(
      this.#inputs.dryRun ? message`a real run would wait for ${found}` : message`found ${found}`,
    );
    return jobId;
  }

  /** Returns the instant at which this run gives up waiting for the job of another one. */
  #onRival(attempt: RecordedAttempt): number {
    const waitMs = Math.min(RIVAL_TIMEOUT_MS, getRemainingMs(this.#context) / 2);
    const limit = formatDuration(waitMs);
    this.#dependencies.reporter.onNote(
      message`${nameAttempt(attempt)} is starting the job; waiting for its id, ${limit} at most`,
    );
    return this.#context.clock.now() + waitMs;
  }

  #describe({ runId, attempt }: Claim): RecordedAttempt {
    const { github } = this.#dependencies;
    const page = getAttemptPage(github, runId, attempt);
    return { runId, attempt, page, isOtherRun: runId !== github.runId };
  }
}

function nameAttempt({ attempt, page, isOtherRun }: RecordedAttempt): Message {
  const name = message`attempt ${String(attempt)}`;
  return isOtherRun ? message`${name} of another run (${link(page)})` : name;
}
