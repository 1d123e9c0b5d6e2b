import type { Skip } from '../changes/decide.ts';
import type { LastJob } from './search.ts';

/** What decides whether a run leaves a mark, and where the changes of the next run begin then. */
export interface MarkFacts extends Pick<LastJob, 'record'> {
  /** True if the record is on the commit of the run. */
  readonly isHere: boolean;
  /** True if later runs may not see the record any more. */
  readonly isFading: boolean;
  /** Why the run has nothing to do. Undefined if it starts a job, or waits for a pull request. */
  readonly skip: Skip['reason'] | undefined;
  /** True if changes before this commit may come again: a newer job failed, or is at work. */
  readonly isOwed: boolean;
}

/**
 * Decides where a mark says that changes begin: `here` at the commit of the run, or at the `start`
 * that it had. The rules are the rows of the table "Marks" in docs/changes.md, in its order.
 */
export function decideMark(facts: MarkFacts): 'here' | 'start' | 'none' {
  const { record, isHere, isFading, skip, isOwed } = facts;
  if (record === 'none') {
    // Without a mark, a first run would always be the first.
    return 'here';
  }
  const isFallback = record === 'other';
  if (skip === undefined) {
    return isFallback || isFading ? 'start' : 'none';
  }
  // Without one, the range would outgrow what GitHub lists. A second mark would say the same.
  const isQuiet = skip === 'no-match' && !isHere;
  const done = isOwed ? 'start' : 'here';
  return isFallback || isQuiet ? done : 'none';
}
