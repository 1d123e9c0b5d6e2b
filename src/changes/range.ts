import type { GitHubError, GitHubFailure } from '../github/errors.ts';

/** The value of `changes-since` for the commit where the last job ended. */
export const LAST_JOB = 'last job';

/** Where the changes begin and end. */
export interface Range {
  /** The tag of the version. The inputs may name another one on its commit, such as `v1`. */
  readonly tag?: string | undefined;
  readonly start: Start;
  /** Undefined if it can't be read. */
  readonly commit?: string | undefined;
}

/** Where the changes begin. All texts except `cause` are untrusted. */
export type Start =
  | {
      readonly kind: 'known';
      /** A tag, a branch, or a commit. */
      readonly ref: string;
      /** The commit of a tag that the action has found. */
      readonly tagCommit?: string;
    }
  /** There is nothing to compare with. */
  | { readonly kind: 'none'; readonly reason: string }
  /** No job has ended that the changes could begin at. */
  | { readonly kind: 'first-run' }
  | ({ readonly kind: 'unknown' } & UnknownStart);

/**
 * Why it is unknown where the changes begin. `gone`: the commit is out of sight, or has no common
 * ancestor with the run. `no-record`: no earlier job is on record, and GitHub may have
 * deleted it. Otherwise, see `GitHubFailure`.
 */
export interface UnknownStart {
  readonly cause: 'no-record' | GitHubFailure['kind'];
  readonly detail: string;
}

/** Returns that the start is unknown, because of an error of GitHub's. */
export function toUnknownStart({ message: detail, failure }: GitHubError) {
  return { kind: 'unknown', cause: failure.kind, detail } as const;
}
