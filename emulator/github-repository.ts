/** A repository as the stand-in of GitHub's REST API knows it. */
export interface Repository {
  /** One line of history, oldest first. */
  readonly commits: readonly RepositoryCommit[];
  readonly tags: readonly RepositoryTag[];
  /** Notes by tag. */
  readonly releases: Readonly<Record<string, string>>;
  /** Attempts of each workflow run by its id, the first attempt first. */
  readonly runs: Readonly<Record<string, readonly WorkflowAttempt[]>>;
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

/** The workflow jobs of one attempt. */
export type WorkflowAttempt = readonly WorkflowJob[];

export interface WorkflowJob {
  readonly id: number;
  readonly name: string;
  readonly conclusion?: 'success' | 'failure' | 'skipped' | 'cancelled';
  /** ISO 8601. */
  readonly startedAt?: string;
  readonly annotations: readonly Annotation[];
}

export interface Annotation {
  readonly title: string;
  readonly message: string;
  /** `notice` unless given. */
  readonly level?: 'notice' | 'warning' | 'failure';
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
