/** A repository as the stand-in of GitHub's REST API knows it. Tests may change what it holds while it is served. */
export interface Repository {
  /** One line of history, oldest first. */
  readonly commits: readonly RepositoryCommit[];
  readonly tags: readonly RepositoryTag[];
  /** Notes by tag. */
  readonly releases: Readonly<Record<string, string>>;
  /** Workflow runs by id. */
  readonly runs: Readonly<Record<string, WorkflowRun>>;
  readonly pulls: Readonly<Record<number, Pull>>;
}

export interface RepositoryCommit {
  readonly sha: string;
  readonly message: string;
  /** Login, or a name with a space for someone without an account. */
  readonly author: string;
  readonly files: readonly FileChange[];
}

export interface RepositoryTag {
  readonly name: string;
  /** Of a commit. */
  readonly sha: string;
  readonly isAnnotated?: boolean;
}

export interface FileChange {
  readonly path: string;
  readonly previousPath?: string;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
}

export interface WorkflowRun {
  /** File in `.github/workflows/`; `docs.yml` unless given. */
  readonly file?: string;
  /** `push` unless given. */
  readonly event?: string;
  /**
   * Name of the branch or tag of the run, without `refs/`; `main` unless given. A tag stands here after a push of
   * the tag, after a `release` event, and after a dispatch on the tag. A dispatch on a branch shows the branch. Null:
   * GitHub lists the run for any branch, and does not show one.
   */
  readonly headBranch?: string | null;
  readonly headSha?: string;
  /** ISO 8601; an hour before the stand-in was made unless given. */
  readonly createdAt?: string;
  /** First line of the commit, name of the release, or `run-name`. */
  readonly title?: string;
  /** The first attempt first. A job that an attempt did not repeat stands in its list again, with the same id. */
  readonly attempts: readonly WorkflowAttempt[];
}

/** The workflow jobs of one attempt. */
export type WorkflowAttempt = readonly WorkflowJob[];

export interface WorkflowJob {
  /** Also the id of its check run. */
  readonly id: number;
  /** As displayed: `docs`, `docs (en)` in a matrix, `caller / called` in a reusable workflow. */
  readonly name: string;
  /** `finished` unless given. `killed`: it failed because its runner went away. */
  readonly state?: 'queued' | 'running' | 'finished' | 'killed';
  /** Of a finished job; `failure` unless given. */
  readonly conclusion?: 'success' | 'failure' | 'skipped' | 'cancelled';
  /** ISO 8601; ten minutes after the attempt before unless given. */
  readonly startedAt?: string;
  /** What its steps wrote; GitHub keeps some of it, and shows that once the job has finished. */
  readonly annotations?: readonly Annotation[];
}

export interface Annotation {
  readonly title: string;
  readonly message: string;
  /** `notice` unless given. */
  readonly level?: 'notice' | 'warning' | 'failure';
  /** Number of the step that wrote it; 1 unless given. */
  readonly step?: number;
}

export interface Pull {
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly isDraft?: boolean;
  readonly isMerged?: boolean;
  readonly files: readonly FileChange[];
}

/** The sum of the changes of some commits, one entry a file, in order of their first change. */
export function sumChanges(commits: readonly RepositoryCommit[]): FileChange[] {
  const sums = new Map<string, FileChange>();
  for (const file of commits.flatMap(({ files }) => files)) {
    const sum = sums.get(file.path);
    sums.set(file.path, {
      ...(sum ?? file),
      additions: file.additions + (sum?.additions ?? 0),
      deletions: file.deletions + (sum?.deletions ?? 0),
    });
  }
  return [...sums.values()];
}
