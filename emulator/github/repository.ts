/** A repository of the stand-in for GitHub's REST API. Tests may change it while it is served. */
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
  /** File in `.github/workflows/`. Default: `docs.yml`. */
  readonly file?: string;
  /** Default: `push`. */
  readonly event?: string;
  /**
   * Name of the branch or tag of the run, without `refs/`. Default: `main`. It is a tag after a push of the tag, a
   * `release` event, or a dispatch on the tag. After a dispatch on a branch, it is the branch. Null: GitHub lists the
   * run for any branch, and shows none.
   */
  readonly headBranch?: string | null;
  readonly headSha?: string;
  /** ISO 8601. Default: an hour before the stand-in was created. */
  readonly createdAt?: string;
  /** First line of the commit, name of the release, or `run-name`. */
  readonly title?: string;
  /** The first attempt first. The list of an attempt repeats jobs that it did not re-run, with the same id. */
  readonly attempts: readonly WorkflowAttempt[];
}

/** The workflow jobs of one attempt. */
export type WorkflowAttempt = readonly WorkflowJob[];

export interface WorkflowJob {
  /** Also the id of its check run. */
  readonly id: number;
  /** As displayed: `docs`, `docs (en)` in a matrix, `caller / called` in a reusable workflow. */
  readonly name: string;
  /** Default: `finished`. `killed`: it failed because its runner was lost. */
  readonly state?: 'queued' | 'running' | 'finished' | 'killed';
  /** Of a finished job. Default: `failure`. */
  readonly conclusion?: 'success' | 'failure' | 'skipped' | 'cancelled';
  /** ISO 8601. Default: ten minutes after the previous attempt. */
  readonly startedAt?: string;
  /** The annotations of its steps. GitHub keeps some of them, and shows those once the job has finished. */
  readonly annotations?: readonly Annotation[];
}

export interface Annotation {
  readonly title: string;
  readonly message: string;
  /** Default: `notice`. */
  readonly level?: 'notice' | 'warning' | 'failure';
  /** Number of the step that wrote it. Default: 1. */
  readonly step?: number;
}

export interface Pull {
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly isDraft?: boolean;
  readonly isMerged?: boolean;
  readonly files: readonly FileChange[];
}

/** The sum of the changes of some commits, one entry per file, in order of their first change. */
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
