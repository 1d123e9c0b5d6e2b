import type { Entry, RecordedEntry } from './status.ts';

/**
 * A claim, put together from its statuses. `void`: something was in its way when it was written, so
 * its run doesn't start a job on it. For the other states, see `Entry`.
 */
export interface Claim extends Omit<Entry, 'state'> {
  readonly state: Entry['state'] | 'void';
  /** Its place in the list: the id of its first status. */
  readonly order: number;
}

/**
 * Returns the claims in a list of statuses, newest first. A claim stands if, at its place in the
 * list, no claim that stands is open, none says that a job may have been started, and no job is on
 * record beyond the one that it names in `after`. Otherwise, it is void for good. What lies before
 * a place never changes, so all runs that read the list agree, whenever they read it.
 */
export function foldClaims(entries: readonly RecordedEntry[]): Claim[] {
  const claims = new Map<string, Claim>();
  for (const { id, ...entry } of [...entries].sort((a, b) => a.id - b.id)) {
    const key = getKey(entry.fingerprint, entry.nonce);
    const claim = claims.get(key);
    claims.set(key, claim === undefined ? placeClaim(entry, id, claims) : settle(claim, entry));
  }
  // A map keeps the order in which its keys were first set.
  return [...claims.values()].reverse();
}

/** The run that a claim or a decision belongs to. */
export type ClaimingRun = Pick<Entry, 'fingerprint' | 'scope' | 'runId' | 'attempt'>;

/** True if a claim is for the job of a run, and one of those that its `reuse` includes. */
export function concernsRun({ fingerprint, runId }: Claim, run: ClaimingRun): boolean {
  return fingerprint === run.fingerprint && (run.scope === 'release' || runId === run.runId);
}

/** True if an earlier attempt of a run has written the claim. That attempt has ended. */
export function isEarlierAttempt({ runId, attempt }: Claim, run: ClaimingRun): boolean {
  return runId === run.runId && attempt < run.attempt;
}

function getKey(fingerprint: string, nonce: string): string {
  return `${fingerprint} ${nonce}`;
}

/** Returns a claim from its first status. */
function placeClaim(entry: Entry, order: number, before: ReadonlyMap<string, Claim>): Claim {
  if (entry.state !== 'starting') {
    return { ...entry, order };
  }
  const { fingerprint, after } = entry;
  const known = after === undefined ? undefined : before.get(getKey(fingerprint, after));
  const isBlocked = [...before.values()].some((other) =>
    isInTheWay(other, entry, known?.order ?? 0),
  );
  return { ...entry, order, state: isBlocked ? 'void' : 'starting' };
}

function isInTheWay(other: Claim, own: Entry, knownOrder: number): boolean {
  if (!concernsRun(other, own)) {
    return false;
  }
  switch (other.state) {
    case 'job':
      return other.order > knownOrder;
    case 'starting':
    case 'unknown':
      return !isEarlierAttempt(other, own);
    case 'void':
    case 'released':
      return false;
  }
}

/**
 * Changes the state of a claim, once: GitHub may apply a write twice, or after it has returned an
 * error, so a later status doesn't change what is settled or void.
 */
function settle(claim: Claim, { state, jobId }: Entry): Claim {
  const isOpen = claim.state === 'starting' || claim.state === 'void';
  return isOpen && state !== 'starting' ? { ...claim, state, jobId } : claim;
}
