import { type Answer, toApiError } from './faults.ts';
import {
  type FileChange,
  type Repository,
  type RepositoryCommit,
  type RepositoryTag,
  toSha,
} from './repository.ts';
import type { StatusEndpoints } from './statuses.ts';

/** What a token may read and write. */
export type Permission = 'contents' | 'pull-requests' | 'statuses';

/** The responses have only the fields that the action reads. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Below the repository, as in GitHub's API description. */
  readonly path: string;
  readonly permission: Permission;
  /** Receives the values of the path's parameters. */
  readonly answer: (request: ApiRequest, ...values: string[]) => Answer;
}

export interface ApiRequest {
  readonly repository: Repository;
  readonly query: URLSearchParams;
  readonly body: string;
}

export function createEndpoints(statuses: StatusEndpoints): readonly Endpoint[] {
  return [
    // All of them at once: this endpoint has no pages.
    read('/git/matching-refs/{ref}', 'contents', ({ repository }, prefix = '') =>
      found(repository.tags.map(toRef).filter(({ ref }) => ref.startsWith(`refs/${prefix}`))),
    ),
    read('/git/tags/{tag_sha}', 'contents', ({ repository }, sha = '') => {
      const tag = repository.tags.find((one) => one.isAnnotated && getTagSha(one) === sha);
      return found(tag && { tag: tag.name, sha, object: { type: 'commit', sha: tag.sha } });
    }),
    read('/compare/{basehead}', 'contents', ({ repository: { commits } }, basehead = '') => {
      const [start = -1, end = -1] = basehead
        .split('...')
        .map((sha) => commits.findIndex((commit) => commit.sha === sha));
      return found(start < 0 || end < 0 ? undefined : compare(commits, start, end));
    }),
    read('/releases/tags/{tag}', 'contents', ({ repository }, tag = '') => {
      const notes = repository.releases[tag];
      return found(notes === undefined ? undefined : { tag_name: tag, body: notes });
    }),
    read('/commits/{ref}/statuses', 'statuses', statuses.list),
    { method: 'POST', path: '/statuses/{sha}', permission: 'statuses', answer: statuses.create },
    read('/pulls/{pull_number}', 'pull-requests', ({ repository }, number) => {
      const pull = repository.pulls[Number(number)];
      if (pull === undefined) {
        return found(undefined);
      }
      const { title, state, files } = pull;
      const additions = files.reduce((sum, file) => sum + file.additions, 0);
      const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
      return found({ title, state, additions, deletions, changed_files: files.length });
    }),
    read('/pulls/{pull_number}/files', 'pull-requests', ({ repository, query }, number) => {
      const files = repository.pulls[Number(number)]?.files;
      return found(files?.slice(0, Number(query.get('per_page') ?? 30)).map(toDiffEntry));
    }),
  ];
}

function read(path: string, permission: Permission, answer: Endpoint['answer']): Endpoint {
  return { method: 'GET', path, permission, answer };
}

function found(body: unknown): Answer {
  return body === undefined ? toApiError(404, 'Not Found') : { status: 200, body };
}

/** An annotated tag is an object of its own. */
function getTagSha({ name }: RepositoryTag): string {
  return toSha(`tag ${name}`);
}

function toRef(tag: RepositoryTag) {
  const { name, sha, isAnnotated } = tag;
  const object = isAnnotated ? { type: 'tag', sha: getTagSha(tag) } : { type: 'commit', sha };
  return { ref: `refs/tags/${name}`, object };
}

function compare(commits: readonly RepositoryCommit[], start: number, end: number) {
  const ahead = commits.slice(start + 1, end + 1);
  return {
    behind_by: Math.max(0, start - end),
    ahead_by: ahead.length,
    total_commits: ahead.length,
    commits: ahead.map(toCommit),
    files: sumChanges(ahead).map(toDiffEntry),
  };
}

function toCommit({ sha, message, author }: RepositoryCommit) {
  const login = author.includes(' ') ? null : { login: author };
  return { sha, commit: { message, author: { name: author } }, author: login };
}

function toDiffEntry({ path, ...others }: FileChange) {
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
