import {
  type Addresses,
  epoch,
  type Schemas,
  toId,
  toMinimalRepository,
  toSha,
  toUser,
} from './payloads.ts';
import type { Pull } from './repository.ts';

const AUTHOR = 'docs-agent';

/** What no pull request here has. */
const NONE = {
  locked: false,
  body: null,
  labels: [],
  milestone: null,
  assignee: null,
  assignees: [],
  requested_reviewers: [],
  requested_teams: [],
  auto_merge: null,
  comments: 0,
  review_comments: 0,
  maintainer_can_modify: false,
};

/** A pull request from a branch of the same repository. */
export function toPull(addresses: Addresses, number: number, pull: Pull): Schemas['pull-request'] {
  const { api, owner } = addresses;
  const { files, isDraft = false, isMerged = false } = pull;
  const sum = (key: 'additions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[key], 0);
  const repo = toRepository(addresses);
  const [own, issue] = [`${api}/pulls/${number}`, `${api}/issues/${number}`];
  const [base, head, merge] = ['base', 'head', 'merge'].map((end) => toSha(`${end} of ${own}`));
  const id = toId(own);
  const page = `${addresses.page}/pull/${number}`;
  const links = {
    ...toLinks(api, own, issue),
    html: { href: page },
    statuses: { href: `${api}/statuses/${head}` },
  };
  const user = toUser(addresses, AUTHOR);
  return {
    ...NONE,
    url: own,
    id,
    node_id: `PR_${id}`,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    commits_url: links.commits.href,
    review_comments_url: links.review_comments.href,
    review_comment_url: links.review_comment.href,
    comments_url: links.comments.href,
    statuses_url: links.statuses.href,
    number,
    state: pull.state,
    title: pull.title,
    user,
    created_at: epoch,
    updated_at: epoch,
    closed_at: pull.state === 'closed' ? epoch : null,
    merged_at: isMerged ? epoch : null,
    merge_commit_sha: merge ?? null,
    head: {
      label: `${owner}:docs-update`,
      ref: 'docs-update',
      sha: head ?? '',
      user: repo.owner,
      repo,
    },
    base: { label: `${owner}:main`, ref: 'main', sha: base ?? '', user: repo.owner, repo },
    _links: links,
    author_association: 'CONTRIBUTOR',
    draft: isDraft,
    merged: isMerged,
    mergeable: pull.state === 'open' ? true : null,
    rebaseable: pull.state === 'open' ? true : null,
    mergeable_state: pull.state === 'closed' ? 'unknown' : isDraft ? 'draft' : 'clean',
    merged_by: isMerged ? user : null,
    commits: 1,
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: files.length,
  };
}

function toLinks(api: string, own: string, issue: string) {
  return {
    self: { href: own },
    issue: { href: issue },
    comments: { href: `${issue}/comments` },
    review_comments: { href: `${own}/comments` },
    review_comment: { href: `${api}/pulls/comments{/number}` },
    commits: { href: `${own}/commits` },
  };
}

/** A repository in full. A pull request contains it twice. */
function toRepository(addresses: Addresses): Schemas['repository'] {
  const { owner, name, page } = addresses;
  return {
    ...toMinimalRepository(addresses),
    private: true,
    clone_url: `${page}.git`,
    git_url: `git://github.com/${owner}/${name}.git`,
    ssh_url: `git@github.com:${owner}/${name}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    forks: 0,
    forks_count: 0,
    open_issues: 1,
    open_issues_count: 1,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    size: 108,
    default_branch: 'main',
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_downloads: true,
    archived: false,
    disabled: false,
    visibility: 'private',
    pushed_at: epoch,
    created_at: epoch,
    updated_at: epoch,
  };
}
