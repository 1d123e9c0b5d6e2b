import { compare, findCommit, toDiffEntry } from './compare.ts';
import { type Answer, toApiError } from './faults.ts';
import { type Repository, type RepositoryTag, toSha } from './repository.ts';
import { createStatus, listStatuses } from './statuses.ts';

/** The responses have only the fields that the action reads. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Below the repository, as in GitHub's API description. */
  readonly path: string;
  /** True if only Gitea has it, so that no description of GitHub's says what it returns. */
  readonly isOfGitea?: boolean;
  /** Receives the values of the path's parameters. */
  readonly answer: (request: ApiRequest, ...values: string[]) => Answer;
}

export interface ApiRequest {
  readonly repository: Repository;
  readonly query: URLSearchParams;
  readonly body: string;
}

export const endpoints: readonly Endpoint[] = [
  // All of them at once: this endpoint has no pages.
  read('/git/matching-refs/{ref}', ({ repository }, prefix = '') =>
    found(repository.tags.map(toRef).filter(({ ref }) => ref.startsWith(`refs/${prefix}`))),
  ),
  read('/git/tags/{tag_sha}', ({ repository }, sha = '') => {
    const tag = repository.tags.find((one) => one.isAnnotated && getTagSha(one) === sha);
    return found(tag && { tag: tag.name, sha, object: { type: 'commit', sha: tag.sha } });
  }),
  {
    // The commit also of an annotated tag (go-gitea/gitea, services/convert/git_commit.go).
    ...read('/tags/{tag}', ({ repository }, name = '') => {
      const tag = repository.tags.find((one) => one.name === name);
      return found(tag && { name, id: toRef(tag).object.sha, commit: { sha: tag.sha } });
    }),
    isOfGitea: true,
  },
  read('/compare/{basehead}', ({ repository }, basehead = '') => {
    const [base, head] = basehead.split('...').map((ref) => findCommit(repository, ref));
    if (base === undefined || head === undefined) {
      return found(undefined);
    }
    const comparison = compare(repository, base, head);
    const problem = `No common ancestor between ${basehead.replace('...', ' and ')}.`;
    return comparison === undefined ? toApiError(404, problem) : found(comparison);
  }),
  read('/releases/tags/{tag}', ({ repository }, tag = '') => {
    const notes = repository.releases[tag];
    return found(notes === undefined ? undefined : { tag_name: tag, body: notes });
  }),
  read('/commits/{ref}/statuses', listStatuses),
  read('/commits/{ref}', ({ repository }, ref = '') => {
    const commit = findCommit(repository, ref);
    const problem = `No commit found for SHA: ${ref}`;
    return commit === undefined ? toApiError(422, problem) : found({ sha: commit.sha });
  }),
  { method: 'POST', path: '/statuses/{sha}', answer: createStatus },
  read('/pulls/{pull_number}', ({ repository }, number) => {
    const pull = repository.pulls[Number(number)];
    if (pull === undefined) {
      return found(undefined);
    }
    const { title, state, merged = false, draft = false, created_at, files } = pull;
    const head = { ref: 'docs-agent/update' };
    const additions = files.reduce((sum, file) => sum + file.additions, 0);
    const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
    const size = { additions, deletions, changed_files: files.length };
    return found({ title, state, merged, draft, created_at, head, ...size });
  }),
  read('/pulls/{pull_number}/files', ({ repository, query }, number) => {
    const files = repository.pulls[Number(number)]?.files;
    return found(files?.slice(0, Number(query.get('per_page') ?? 30)).map(toDiffEntry));
  }),
];

function read(path: string, answer: Endpoint['answer']): Endpoint {
  return { method: 'GET', path, answer };
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
