import type { Entry, RecordedEntry } from './wire-format.ts';

// The rule that decides which run starts a job. It writes nothing, and asks only whether a job has
// failed.

/**
 * A claim, put together from its statuses. `void`: something was in its way when it was written, so
 * its run doesn't start a job on it. For the other states, see `Entry`.
 */
export interface Claim extends Omit<RecordedEntry, 'state'> {
  readonly state: Entry['state'] | 'void';
  /** The id of its first status: its place in the list. */
  readonly id: number;
}

/** A claim whose job is on record. */
export type JobClaim = Claim & { readonly jobId: string };

/**
 * Returns the claims in a list of statuses, newest first. A claim stands if, at its place in the
 * list, no other claim for its task is open, and no job is on record beyond the one that it names
 * in `after`. Otherwise, it is void for good. What lies before a place never changes, so all runs
 * that read the list agree, whenever they read it.
 */
export function foldClaims(entries: readonly RecordedEntry[]): Claim[] {
  /** By task, then by nonce. A map keeps the order in which its keys were first set. */
  const tasks = new Map<string, Map<string, Claim>>();
  for (const entry of [...entries].sort((a, b) => a.id - b.id)) {
    const claims = tasks.get(entry.fingerprint) ?? new Map<string, Claim>();
    tasks.set(entry.fingerprint, claims);
    const claim = claims.get(entry.nonce);
    const next = claim === undefined ? placeClaim(entry, claims) : settleClaim(claim, entry);
    claims.set(entry.nonce, next);
  }
  const all = [...tasks.values()].flatMap((claims) => [...claims.values()]);
  return all.sort((a, b) => b.id - a.id);
}

/** The run that a claim or a decision belongs to. */
type ClaimOwner = Pick<Entry, 'fingerprint' | 'scope' | 'runId'>;

/** True if a claim is for the task of a run, and one of those that its `reuse` includes. */
export function concernsRun({ fingerprint, runId }: Claim, run: ClaimOwner): boolean {
  return fingerprint === run.fingerprint && (run.scope === 'release' || runId === run.runId);
}

/** Returns a claim from its first status. */
function placeClaim(entry: RecordedEntry, before: ReadonlyMap<string, Claim>): Claim {
  const known = before.get(entry.after ?? '');
  const isInTheWay = (other: Claim): boolean =>
    other.state === 'starting' || (other.state === 'job' && other.id > (known?.id ?? 0));
  const isRival = (other: Claim): boolean => isInTheWay(other) && concernsRun(other, entry);
  const isVoid = entry.state === 'starting' && [...before.values()].some(isRival);
  return isVoid ? { ...entry, state: 'void' } : entry;
}

/**
 * Changes the state of a claim, once: GitHub may apply a write twice, or after it has returned an
 * error, so a later status doesn't change what is settled. A void claim can still get a job: if a
 * list breaks the order, that is the last guard.
 */
function settleClaim(claim: Claim, { state, jobId }: Entry): Claim {
  const isOpen = claim.state === 'starting' || claim.state === 'void';
  return isOpen && state !== 'starting' ? { ...claim, state, jobId } : claim;
}

/**
 * What the claims on record mean for a run. `wait`: for this job. `busy`: another attempt may be
 * starting the job, or may have started it. `start`: its own claim stands, and nothing is in its
 * way. `claim`: nothing is in its way, but no claim of its own stands. `failed` is the newest job
 * that failed.
 */
export type Decision =
  | { readonly kind: 'wait'; readonly claim: JobClaim }
  | { readonly kind: 'busy'; readonly claim: Claim }
  | {
      readonly kind: 'start' | 'claim';
      readonly failed: JobClaim | undefined;
      readonly other: OtherClaim | undefined;
    };

/** The newest claim of another run for the same task, which doesn't count for this one. */
export interface OtherClaim {
  readonly claim: Claim;
  /** How long before the claim of this run it was written, if that is known. */
  readonly ageMs: number | undefined;
}

/** The run that decides. */
export interface Claimant extends ClaimOwner {
  /** The nonce of its own claim. */
  readonly nonce: string | undefined;
  /** When it began, by GitHub's clock, if that is known. */
  readonly startedAtMs: number | undefined;
  /** The nonces of the claims that it has waited for. */
  readonly awaited: ReadonlySet<string>;
  /** True only if the service says that the job has failed. */
  readonly hasFailed: (jobId: string) => Promise<boolean>;
}

/**
 * Decides what a run does about earlier jobs. The rules are the rows of the table "Re-runs" in
 * docs/changes.md, in its order: the first one that applies decides. `claims` are all claims of
 * the commit, newest first.
 */
export async function decide(claims: readonly Claim[], run: Claimant): Promise<Decision> {
  const rivals = claims.filter((claim) => claim.nonce !== run.nonce && concernsRun(claim, run));
  let failed: JobClaim | undefined;
  for (const claim of rivals.filter(hasJob)) {
    if (isShared(claim, run) || !(await run.hasFailed(claim.jobId))) {
      return { kind: 'wait', claim };
    }
    failed ??= claim;
  }
  const open = rivals.find(({ state }) => state === 'starting');
  if (open !== undefined) {
    return { kind: 'busy', claim: open };
  }
  const own = claims.find(({ nonce }) => nonce === run.nonce);
  const other = findOther(claims, run, own);
  return { kind: own?.state === 'starting' ? 'start' : 'claim', failed, other };
}

/** GitHub's times are whole seconds. */
const CLOCK_STEP_MS = 1_000;

/**
 * True for a claim that another run wrote since this one began, or that it has waited for. Its job
 * is also that of this run, failed or not: one event may start several runs.
 */
function isShared({ nonce, atMs, runId }: Claim, run: Claimant): boolean {
  const { startedAtMs, awaited } = run;
  const isTimed = atMs !== undefined && startedAtMs !== undefined;
  const isNewer = isTimed && runId !== run.runId && atMs > startedAtMs - CLOCK_STEP_MS;
  return isNewer || awaited.has(nonce);
}

/** A claim for a task of this run that has a job, or is open. */
function findOther(
  claims: readonly Claim[],
  { fingerprint, runId, scope }: Claimant,
  own: Claim | undefined,
): OtherClaim | undefined {
  const claim = claims.find(
    (one) => one.fingerprint === fingerprint && one.runId !== runId && isLive(one),
  );
  if (claim === undefined || scope === 'release') {
    return undefined;
  }
  const isKnown = own?.atMs !== undefined && claim.atMs !== undefined;
  return { claim, ageMs: isKnown ? own.atMs - claim.atMs : undefined };
}

/** True for a claim that is open, or whose job is on record. */
export function isLive(claim: Claim): boolean {
  return claim.state === 'starting' || hasJob(claim);
}

/** True if the job of a claim is on record. */
export function hasJob(claim: Claim): claim is JobClaim {
  return claim.jobId !== undefined;
}
