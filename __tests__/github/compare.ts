import type { FileChange, Repository, RepositoryCommit } from './repository.ts';

/** What the API lists without paging. */
const MAX_COMMITS = 250;
const MAX_FILES = 300;

/** Returns the commit of a branch, a tag, or a commit. Undefined if the repository has none. */
export function findCommit(
  { commits, tags, branches }: Repository,
  ref: string,
): RepositoryCommit | undefined {
  const sha = branches[ref] ?? tags.find(({ name }) => name === ref)?.sha ?? ref;
  return commits.find((commit) => commit.sha === sha);
}

/** Returns the comparison as the API does. Undefined if the commits share no ancestor. */
export function compare({ commits }: Repository, base: RepositoryCommit, head: RepositoryCommit) {
  const before = findAncestors(commits, base);
  const after = findAncestors(commits, head);
  if (!commits.some((commit) => before.has(commit) && after.has(commit))) {
    return undefined;
  }
  const ahead = commits.filter((commit) => after.has(commit) && !before.has(commit));
  const behind = commits.filter((commit) => before.has(commit) && !after.has(commit));
  return {
    status: getStatus(ahead.length, behind.length),
    behind_by: behind.length,
    ahead_by: ahead.length,
    total_commits: ahead.length,
    commits: ahead.slice(-MAX_COMMITS).map(toCommit),
    // Since the point where the two have left each other.
    files: sumChanges(ahead).slice(0, MAX_FILES).map(toDiffEntry),
  };
}

function getStatus(ahead: number, behind: number): string {
  if (ahead > 0) {
    return behind > 0 ? 'diverged' : 'ahead';
  }
  return behind > 0 ? 'behind' : 'identical';
}

/** Returns a commit and all that it contains, newest first. */
export function findAncestors(
  commits: readonly RepositoryCommit[],
  head: RepositoryCommit,
): Set<RepositoryCommit> {
  const wanted = new Set([head.sha]);
  const found = commits.toReversed().filter((commit) => {
    const isWanted = wanted.has(commit.sha);
    for (const parent of isWanted ? getParents(commits, commit) : []) {
      wanted.add(parent);
    }
    return isWanted;
  });
  return new Set(found);
}

export function getParents(
  commits: readonly RepositoryCommit[],
  commit: RepositoryCommit,
): readonly string[] {
  const previous = commits[commits.indexOf(commit) - 1];
  return commit.parents ?? (previous === undefined ? [] : [previous.sha]);
}

function toCommit({ sha, message, author }: RepositoryCommit) {
  const login = author.includes(' ') ? null : { login: author };
  return { sha, commit: { message, author: { name: author } }, author: login };
}

export function toDiffEntry({ path, ...others }: FileChange) {
  return { filename: path, ...others };
}

/** The sum of the changes of some commits, one entry per file, in order of their first change. */
function sumChanges(commits: readonly RepositoryCommit[]): FileChange[] {
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
