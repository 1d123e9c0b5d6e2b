import type { Skip } from '../changes/decide.ts';
import type { Mark } from '../record/wire-format.ts';
import type { LastJob } from './search.ts';

type Said = Pick<Mark, 'since' | 'guess'>;
type FoundStart = Pick<LastJob, 'record' | 'sha' | 'isGuess'>;

/** What decides whether a run leaves a mark, and where the changes of the next run begin then. */
export interface MarkFacts extends Pick<LastJob, 'record'> {
  /** True if the record is on the commit of the run. */
  readonly isHere: boolean;
  /** True if later runs may not see the record any more. */
  readonly isFading: boolean;
  /** Why the run starts no job. Undefined if it starts one. */
  readonly skip: Skip['reason'] | undefined;
  /** True if changes before this commit may come again: a newer job failed, or is at work. */
  readonly isOwed: boolean;
}

/**
 * Decides whether changes begin `here`, at the commit of the run, or at the `start` that it had.
 * The rules are the rows of the table "Marks" in docs/changes.md, in its order.
 */
export function decideMark(facts: MarkFacts): 'here' | 'start' | 'none' {
  const { record, isHere, isFading, skip, isOwed } = facts;
  if (skip === undefined) {
    // The claim has the start.
    return 'none';
  }
  const isWaiting = skip === 'job-at-work' || skip === 'pr-open';
  const done = isOwed || isWaiting ? 'start' : 'here';
  if (record !== 'own' || isFading) {
    return done;
  }
  // Without one, the range would outgrow what GitHub lists. A second mark would say the same.
  return skip === 'no-match' && !isHere ? done : 'none';
}

/** Commits after which a run marks the start again, so that 1,000 commits never hide it. */
const FAR = 100;

/** Returns whether later runs may not see a record any more, which GitHub keeps for so long. */
export function isFading(
  { distance, ageMs }: Pick<LastJob, 'distance' | 'ageMs'>,
  retentionMs = Number.POSITIVE_INFINITY,
  far = FAR,
): boolean {
  return distance >= far || ageMs > retentionMs / 2;
}

/** Returns what a mark on the commit of the run says. A guess that is written again stays one. */
export function describeMark(
  mark: 'here' | 'start',
  last: FoundStart,
  commit: string | undefined,
): Said {
  const ref = mark === 'start' ? last.sha : commit;
  const isGuess = last.record === 'none' || (last.isGuess && ref === last.sha);
  return { since: ref === commit ? undefined : ref, guess: isGuess ? 'yes' : undefined };
}

/** Returns where the changes of a run begin, for the claim of its job. */
export function describeStart({ record, sha, isGuess }: FoundStart): Said {
  const isFound = record === 'own' || record === 'other';
  return { since: sha, guess: isGuess && !isFound ? 'yes' : undefined };
}
