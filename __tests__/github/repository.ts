import { createHash } from 'node:crypto';

/** A repository of the stand-in for GitHub's API. Tests may change it while it is served. */
export interface Repository {
  /** Oldest first. Without `parents`, the parent of a commit is the one before it. */
  readonly commits: readonly RepositoryCommit[];
  readonly tags: readonly RepositoryTag[];
  /** Notes by tag. */
  readonly releases: Readonly<Record<string, string>>;
  /** The commits of branches by name. They may be missing from `commits`. */
  readonly branches: Readonly<Record<string, string>>;
  /** By commit, oldest first. Clients add to it. */
  readonly statuses: Record<string, CommitStatus[]>;
  readonly pulls: Readonly<Record<number, Pull>>;
  /** When the files of workflows were written, such as `2026-11-01T00:00:00Z`, by their paths. */
  readonly workflows: Readonly<Record<string, string>>;
  /** The commit that added those files. */
  readonly workflowsAddedBy?: string;
}

export interface RepositoryCommit {
  readonly sha: string;
  readonly parents?: readonly string[];
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
  readonly status: 'added' | 'modified';
  readonly additions: number;
  readonly deletions: number;
}

/** A commit status. It can't be changed. */
export interface CommitStatus {
  readonly id: number;
  readonly state: string;
  readonly context: string;
  readonly description: string | null;
  readonly target_url: string | null;
  readonly created_at: string;
}

export interface Pull {
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly merged?: boolean;
  readonly draft?: boolean;
  readonly created_at?: string;
  readonly files: readonly FileChange[];
}

/** Returns a repository with only these contents. */
export function createRepository(parts: Partial<Repository> = {}): Repository {
  const empty = {
    commits: [],
    tags: [],
    releases: {},
    branches: {},
    statuses: {},
    pulls: {},
    workflows: {},
  };
  return { ...empty, ...parts };
}

/** A stable stand-in for an object id: 40 hexadecimal digits that depend on the text. */
export function toSha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
