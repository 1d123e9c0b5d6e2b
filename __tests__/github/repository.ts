/** A repository of the stand-in for GitHub's REST API. Tests may change it while it is served. */
export interface Repository {
  /** One line of history, oldest first. */
  readonly commits: readonly RepositoryCommit[];
  readonly tags: readonly RepositoryTag[];
  /** Notes by tag. */
  readonly releases: Readonly<Record<string, string>>;
  /** The commits of branches by name. They may be missing from `commits`. */
  readonly branches: Readonly<Record<string, string>>;
  /** By commit, in any order. Clients add to it; tests may, too. */
  readonly statuses: Record<string, CommitStatus[]>;
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

/** A commit status. It can't be changed. */
export interface CommitStatus {
  /** Grows over all commits and repositories. */
  readonly id: number;
  /** Default: `success`. */
  readonly state?: 'error' | 'failure' | 'pending' | 'success';
  /** Default: `default`. */
  readonly context?: string;
  readonly description?: string | null;
  readonly targetUrl?: string | null;
  /** Login. Default: the login of a workflow's own token. */
  readonly creator?: string;
  /** ISO 8601, in whole seconds. */
  readonly createdAt?: string;
}

export interface Pull {
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly isDraft?: boolean;
  readonly isMerged?: boolean;
  readonly files: readonly FileChange[];
}

/** Returns a repository with only these contents. */
export function createRepository(parts: Partial<Repository> = {}): Repository {
  return { commits: [], tags: [], releases: {}, branches: {}, statuses: {}, pulls: {}, ...parts };
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
