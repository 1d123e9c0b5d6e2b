import { GitHubError } from '../github/errors.ts';
import type { Claim } from '../record/rule.ts';
import type { Mark } from '../record/wire-format.ts';

// The rules that say where changes begin, given what is on record. They read nothing.

/** The commits of a history that a run can see, newest first. */
export type History = ReadonlyMap<string, { readonly parents: readonly string[] }>;

/** What a record says about where changes begin. */
export interface Start {
  /** The commit where they begin. */
  readonly sha: string;
  /** The place of the commit that has the record. */
  readonly place: number;
  /** When the newest status of the record was written, in milliseconds since 1970. */
  readonly atMs: number;
  /**
   * `done`: all before it is. `kept`: a run has begun there, and its changes may still be to be
   * done. `guess`: the same, without a record. `step`: it is done since the guess `from`.
   */
  readonly kind: 'done' | 'kept' | 'guess' | 'step';
  readonly from?: string | undefined;
}
interface Recorded extends Pick<Claim | Mark, 'state' | 'since' | 'guess'> {
  readonly atMs?: number | undefined;
}

/** Returns what a mark or a claim says by itself. Without its time, it may be new. */
export function toStart(
  { state, since, guess, atMs }: Recorded,
  { sha, place }: Pick<Start, 'sha' | 'place'>,
  nowMs: number,
): Start | undefined {
  if (state !== 'mark' && since === undefined) {
    return undefined;
  }
  const kind = since === undefined ? 'done' : 'kept';
  return { kind: guess ? 'guess' : kind, sha: since ?? sha, place, atMs: atMs ?? nowMs };
}

/**
 * Returns the start that the last run had, or a guess before it. A job that began there without a
 * record has done what is before its commit. `origin`: where the first of such jobs began.
 */
export function findUnproved(starts: readonly Start[], history: History) {
  const [kept] = starts.filter(({ kind }) => kind === 'kept');
  const isLast = ({ kind, place }: Start): boolean => kind === 'kept' && place === kept?.place;
  const guesses = starts.filter(({ kind }) => kind === 'guess');
  const first = findFirst([...starts.filter(isLast), ...guesses], history);
  let found = first;
  for (let step = first; step !== undefined; step = findStep(step, starts, history)) {
    found = step;
  }
  return first && found && { ...found, origin: first.sha };
}

/** Only to a later commit, so that no force push makes a circle. */
function findStep({ sha }: Start, starts: readonly Start[], history: History): Start | undefined {
  return starts.find(
    (one) => one.kind === 'step' && one.from === sha && isBefore(sha, one.sha, history),
  );
}

/**
 * Returns the first of some starts, or one before it. Throws a `GitHubError` if that can't be told,
 * because several of them are out of sight: with a later one, changes would be lost.
 */
export function findFirst<T extends Pick<Start, 'sha'>>(
  starts: readonly T[],
  history: History,
): T | undefined {
  const hidden = starts.filter(({ sha }) => !history.has(sha));
  if (new Set(hidden.map(({ sha }) => sha)).size > 1) {
    throw new GitHubError('several tasks have waited for over 1,000 commits', { kind: 'gone' });
  }
  const [first, ...others] = starts;
  return others.reduce(
    (found, one) => (found !== undefined && isBefore(one.sha, found.sha, history) ? one : found),
    first,
  );
}

/** True for an ancestor. What is out of sight is before all others. */
function isBefore(sha: string, later: string, history: History): boolean {
  if (!history.has(sha) || !history.has(later)) {
    return history.has(later);
  }
  const after = new Set([later]);
  const next = [later];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    const parents = (history.get(one)?.parents ?? []).filter((parent) => !after.has(parent));
    for (const parent of parents) {
      after.add(parent);
      next.push(parent);
    }
  }
  return sha !== later && after.has(sha);
}

/** Returns the oldest first, by the order of the history. */
export function sortByAge<T extends Pick<Start, 'sha'>>(
  starts: readonly T[],
  history: History,
): T[] {
  const order = [...history.keys()].reverse();
  return starts.toSorted((one, other) => order.indexOf(one.sha) - order.indexOf(other.sha));
}
