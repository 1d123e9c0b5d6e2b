import { createHash } from 'node:crypto';
import type { components } from '@octokit/openapi-types';
import {
  type FileChange,
  type RepositoryCommit,
  type RepositoryTag,
  sumChanges,
} from './repository.ts';

export type Schemas = components['schemas'];

/** The addresses of one repository, in the API and on the pages. */
export interface Addresses {
  /** Of the API, without a slash at its end. */
  readonly root: string;
  /** Of the repository in the API. */
  readonly api: string;
  /** Of the repository's page. */
  readonly page: string;
  readonly owner: string;
  readonly name: string;
}

/** The default time of every event. */
export const epoch = '2026-11-20T12:00:00Z';

/** A time in the form of the API, in whole seconds. */
export function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A stable stand-in for an object id: 40 hexadecimal digits that depend on the text. */
export function toSha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** A stable stand-in for an id that the API assigns, such as a repository's id. */
export function toId(text: string): number {
  return Number.parseInt(toSha(text).slice(0, 7), 16);
}

export function toRef(
  { api }: Addresses,
  { name, sha, isAnnotated }: RepositoryTag,
): Schemas['git-ref'] {
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
    verification: {
      verified: false,
      reason: 'unsigned',
      signature: null,
      payload: null,
      verified_at: null,
    },
  };
}

export function toUser({ root }: Addresses, login: string): Schemas['simple-user'] {
  const url = `${root}/users/${encodeURIComponent(login)}`;
  const id = toId(login);
  const [, app] = /^(.+)\[bot\]$/.exec(login) ?? [];
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `https://github.com/${app === undefined ? login : `apps/${app}`}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: app === undefined ? 'User' : 'Bot',
    site_admin: false,
  };
}

/** The fields of a repository in every payload. */
export function toMinimalRepository(addresses: Addresses) {
  const { api, page, owner, name } = addresses;
  const id = toId(`${owner}/${name}`);
  return {
    id,
    node_id: `R_${id}`,
    name,
    full_name: `${owner}/${name}`,
    private: true,
    owner: toUser(addresses, owner),
    html_url: page,
    description: null,
    fork: false,
    url: api,
    forks_url: `${api}/forks`,
    keys_url: `${api}/keys{/key_id}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    teams_url: `${api}/teams`,
    hooks_url: `${api}/hooks`,
    issue_events_url: `${api}/issues/events{/number}`,
    events_url: `${api}/events`,
    assignees_url: `${api}/assignees{/user}`,
    branches_url: `${api}/branches{/branch}`,
    tags_url: `${api}/tags`,
    blobs_url: `${api}/git/blobs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    trees_url: `${api}/git/trees{/sha}`,
    statuses_url: `${api}/statuses/{sha}`,
    languages_url: `${api}/languages`,
    stargazers_url: `${api}/stargazers`,
    contributors_url: `${api}/contributors`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    commits_url: `${api}/commits{/sha}`,
    git_commits_url: `${api}/git/commits{/sha}`,
    comments_url: `${api}/comments{/number}`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    contents_url: `${api}/contents/{+path}`,
    compare_url: `${api}/compare/{base}...{head}`,
    merges_url: `${api}/merges`,
    archive_url: `${api}/{archive_format}{/ref}`,
    downloads_url: `${api}/downloads`,
    issues_url: `${api}/issues{/number}`,
    pulls_url: `${api}/pulls{/number}`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    labels_url: `${api}/labels{/name}`,
    releases_url: `${api}/releases{/id}`,
    deployments_url: `${api}/deployments`,
  } satisfies Schemas['minimal-repository'];
}

function toCommit(
  addresses: Addresses,
  { sha, message, author }: RepositoryCommit,
): Schemas['commit'] {
  const { api, page } = addresses;
  const person = { name: author, email: 'someone@example.com', date: epoch };
  const user = author.includes(' ') ? null : toUser(addresses, author);
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
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: toSha(`blob ${path}`),
    filename: path,
    status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${page}/blob/${toSha('head')}/${encoded}`,
    raw_url: `${page}/raw/${toSha('head')}/${encoded}`,
    contents_url: `${api}/contents/${encoded}?ref=${toSha('head')}`,
    patch: '@@ -1 +1 @@\n-before\n+after',
    ...(previousPath !== undefined && { previous_filename: previousPath }),
  };
}

/** The difference between two commits of one line of history. */
export interface Range {
  readonly base: RepositoryCommit;
  readonly head: RepositoryCommit;
  /** Oldest first; empty unless the head is after the base. */
  readonly ahead: readonly RepositoryCommit[];
  /** The number of commits that the head is behind the base. */
  readonly behindBy: number;
}

/** A comparison with one page of its commits, and with or without its files (300 at most). */
export function toComparison(
  addresses: Addresses,
  { base, head, ahead, behindBy }: Range,
  commits: readonly RepositoryCommit[],
  hasFiles: boolean,
): Schemas['commit-comparison'] {
  const { api, page } = addresses;
  const name = `compare/${base.sha}...${head.sha}`;
  const files = sumChanges(ahead).slice(0, 300);
  return {
    url: `${api}/${name}`,
    html_url: `${page}/${name}`,
    permalink_url: `${page}/${name}`,
    diff_url: `${page}/${name}.diff`,
    patch_url: `${page}/${name}.patch`,
    base_commit: toCommit(addresses, base),
    merge_base_commit: toCommit(addresses, behindBy > 0 ? head : base),
    status: behindBy > 0 ? 'behind' : ahead.length > 0 ? 'ahead' : 'identical',
    ahead_by: ahead.length,
    behind_by: behindBy,
    total_commits: ahead.length,
    commits: commits.map((commit) => toCommit(addresses, commit)),
    ...(hasFiles && { files: files.map((file) => toDiffEntry(addresses, file)) }),
  };
}

export function toRelease(addresses: Addresses, tag: string, body: string): Schemas['release'] {
  const { root, api, page, owner, name } = addresses;
  const id = toId(`release ${tag}`);
  const encoded = encodeURIComponent(tag);
  return {
    url: `${api}/releases/${id}`,
    html_url: `${page}/releases/tag/${encoded}`,
    assets_url: `${api}/releases/${id}/assets`,
    upload_url: `${root}/repos/${owner}/${name}/releases/${id}/assets{?name,label}`,
    tarball_url: `${api}/tarball/${encoded}`,
    zipball_url: `${api}/zipball/${encoded}`,
    id,
    node_id: `RE_${id}`,
    tag_name: tag,
    target_commitish: 'main',
    name: tag,
    body,
    draft: false,
    prerelease: false,
    created_at: epoch,
    published_at: epoch,
    author: toUser(addresses, owner),
    assets: [],
  };
}
