import { createHash } from 'node:crypto';
import type { components } from '@octokit/openapi-types';
import {
  type Annotation,
  type FileChange,
  type Pull,
  type RepositoryCommit,
  type RepositoryTag,
  sumChanges,
  type WorkflowJob,
} from './github-repository.ts';

type Schemas = components['schemas'];

const epoch = '2026-11-20T12:00:00Z';

/** The fields of a pull request that do not repeat whole repositories. */
export type PullPayload = Pick<
  Schemas['pull-request'],
  | 'url'
  | 'id'
  | 'node_id'
  | 'html_url'
  | 'number'
  | 'state'
  | 'title'
  | 'user'
  | 'body'
  | 'draft'
  | 'merged'
  | 'commits'
  | 'additions'
  | 'deletions'
  | 'changed_files'
>;

/** A stable stand-in for an object id: 40 hexadecimal digits that depend on the text. */
export function toSha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** Addresses of one repository, in the API and on the pages. */
export interface Addresses {
  readonly api: string;
  readonly page: string;
}

export function toRef({ api }: Addresses, { name, sha, isAnnotated }: RepositoryTag): Schemas['git-ref'] {
  const object = isAnnotated ? { type: 'tag', sha: toSha(`tag ${name}`) } : { type: 'commit', sha };
  return {
    ref: `refs/tags/${name}`,
    node_id: `REF_${toSha(name)}`,
    url: `${api}/git/refs/tags/${name}`,
    object: { ...object, url: `${api}/git/${object.type}s/${object.sha}` },
  };
}

export function toTagObject({ api }: Addresses, { name, sha }: RepositoryTag): Schemas['git-tag'] {
  const own = toSha(`tag ${name}`);
  return {
    node_id: `TA_${own}`,
    tag: name,
    sha: own,
    url: `${api}/git/tags/${own}`,
    message: `Release ${name}\n`,
    tagger: { name: 'octocat', email: 'octocat@example.com', date: epoch },
    object: { type: 'commit', sha, url: `${api}/git/commits/${sha}` },
  };
}

function toUser(login: string): Schemas['simple-user'] {
  const url = `https://api.github.com/users/${login}`;
  return {
    login,
    id: 1,
    node_id: 'MDQ6VXNlcjE=',
    avatar_url: `https://avatars.example.com/${login}`,
    gravatar_id: '',
    url,
    html_url: `https://github.com/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: 'User',
    site_admin: false,
  };
}

function toCommit({ api, page }: Addresses, { sha, message, author }: RepositoryCommit): Schemas['commit'] {
  const person = { name: author, email: 'someone@example.com', date: epoch };
  const user = author.includes(' ') ? null : toUser(author);
  return {
    url: `${api}/commits/${sha}`,
    sha,
    node_id: `C_${sha}`,
    html_url: `${page}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    commit: {
      url: `${api}/git/commits/${sha}`,
      author: person,
      committer: person,
      message,
      tree: { sha: toSha(`tree ${sha}`), url: `${api}/git/trees/${toSha(`tree ${sha}`)}` },
      comment_count: 0,
    },
    author: user,
    committer: user,
    parents: [],
  };
}

export function toDiffEntry({ api, page }: Addresses, file: FileChange): Schemas['diff-entry'] {
  const { path, previousPath, status, additions, deletions } = file;
  return {
    sha: toSha(`blob ${path}`),
    filename: path,
    status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${page}/blob/main/${path}`,
    raw_url: `${page}/raw/main/${path}`,
    contents_url: `${api}/contents/${path}`,
    patch: '@@ -1 +1 @@\n-before\n+after',
    ...(previousPath !== undefined && { previous_filename: previousPath }),
  };
}

/** One page of a comparison: the files, 300 at most, are on the first page only. */
export function toComparison(
  addresses: Addresses,
  base: RepositoryCommit,
  range: readonly RepositoryCommit[],
  commits: readonly RepositoryCommit[],
  isFirstPage: boolean,
): Schemas['commit-comparison'] {
  const { api, page } = addresses;
  const head = range.at(-1) ?? base;
  const name = `compare/${base.sha}...${head.sha}`;
  return {
    url: `${api}/${name}`,
    html_url: `${page}/${name}`,
    permalink_url: `${page}/${name}`,
    diff_url: `${page}/${name}.diff`,
    patch_url: `${page}/${name}.patch`,
    base_commit: toCommit(addresses, base),
    merge_base_commit: toCommit(addresses, base),
    status: range.length > 0 ? 'ahead' : 'identical',
    ahead_by: range.length,
    behind_by: 0,
    total_commits: range.length,
    commits: commits.map((commit) => toCommit(addresses, commit)),
    ...(isFirstPage && {
      files: sumChanges(range)
        .slice(0, 300)
        .map((file) => toDiffEntry(addresses, file)),
    }),
  };
}

export function toRelease({ api, page }: Addresses, tag: string, body: string): Schemas['release'] {
  return {
    url: `${api}/releases/1`,
    html_url: `${page}/releases/tag/${tag}`,
    assets_url: `${api}/releases/1/assets`,
    upload_url: `${api}/releases/1/assets{?name,label}`,
    tarball_url: null,
    zipball_url: null,
    id: 1,
    node_id: 'RE_1',
    tag_name: tag,
    target_commitish: 'main',
    name: tag,
    body,
    draft: false,
    prerelease: false,
    created_at: epoch,
    published_at: epoch,
    author: toUser('octocat'),
    assets: [],
  };
}

/** A workflow job of one attempt of a run. */
export function toWorkflowJob(
  { api, page }: Addresses,
  runId: string,
  attempt: number,
  { id, name, conclusion = 'failure', startedAt = epoch }: WorkflowJob,
): Schemas['job'] {
  return {
    id,
    run_id: Number(runId),
    run_url: `${api}/actions/runs/${runId}`,
    run_attempt: attempt,
    node_id: `CR_${id}`,
    head_sha: toSha('head'),
    url: `${api}/actions/jobs/${id}`,
    html_url: `${page}/actions/runs/${runId}/job/${id}`,
    status: 'completed',
    conclusion,
    created_at: startedAt,
    started_at: startedAt,
    completed_at: startedAt,
    name,
    check_run_url: `${api}/check-runs/${id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'GitHub Actions 1',
    runner_group_id: 0,
    runner_group_name: 'GitHub Actions',
    workflow_name: 'Documentation',
    head_branch: 'main',
  };
}

/** As the API shows what a step wrote with `::notice title=…::…`: a line of the log in a file `.github`. */
export function toAnnotation(
  { page }: Addresses,
  { title, message, level = 'notice' }: Annotation,
): Schemas['check-annotation'] {
  return {
    path: '.github',
    start_line: 12,
    end_line: 12,
    start_column: null,
    end_column: null,
    annotation_level: level,
    title,
    message,
    raw_details: null,
    blob_href: `${page}/blob/${toSha('head')}/.github`,
  };
}

export function toPull({ api, page }: Addresses, number: number, pull: Pull): PullPayload {
  const sum = (key: 'additions' | 'deletions'): number =>
    pull.files.reduce((total, file) => total + file[key], 0);
  return {
    url: `${api}/pulls/${number}`,
    id: number,
    node_id: `PR_${number}`,
    html_url: `${page}/pull/${number}`,
    number,
    state: pull.state,
    title: pull.title,
    user: toUser('docs-agent'),
    body: null,
    draft: pull.isDraft ?? false,
    merged: pull.isMerged ?? false,
    commits: 1,
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: pull.files.length,
  };
}
