import type { Endpoint } from './endpoint.ts';
import { readPage, toPage } from './pages.ts';
import {
  type Range,
  toComparison,
  toDiffEntry,
  toRef,
  toRelease,
  toSha,
  toTagObject,
} from './payloads.ts';
import { toPull } from './pull-payload.ts';
import type { Repository } from './repository.ts';
import { createStatus, listStatuses } from './statuses.ts';

const MAX_UNPAGED_COMMITS = 250;
const MAX_PULL_FILES = 3_000;

export const endpoints: readonly Endpoint[] = [
  {
    operation: 'git/list-matching-refs',
    documentation: 'git/refs#list-matching-references',
    permission: 'contents',
    pattern: /^\/git\/matching-refs\/tags\/(.*)$/,
    // All of them at once: this endpoint has no pages.
    answer: ({ repository, addresses }, prefix = '') => ({
      body: repository.tags
        .filter(({ name }) => name.startsWith(prefix))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((tag) => toRef(addresses, tag)),
    }),
  },
  {
    operation: 'git/get-tag',
    documentation: 'git/tags#get-a-tag',
    permission: 'contents',
    pattern: /^\/git\/tags\/([0-9a-f]{40})$/,
    answer: ({ repository, addresses }, sha) => {
      const tag = repository.tags.find(
        ({ name, isAnnotated }) => isAnnotated && toSha(`tag ${name}`) === sha,
      );
      return tag && { body: toTagObject(addresses, tag) };
    },
  },
  {
    operation: 'repos/compare-commits-with-basehead',
    documentation: 'commits/commits#compare-two-commits',
    permission: 'contents',
    pattern: /^\/compare\/(.+?)\.\.\.(.+)$/,
    answer: (request, base = '', head = '') => {
      const { repository, addresses, query } = request;
      const range = toRange(repository, base, head);
      if (range === undefined) return undefined;
      const { ahead } = range;
      if (!query.has('page') && !query.has('per_page')) {
        return { body: toComparison(addresses, range, ahead.slice(-MAX_UNPAGED_COMMITS), true) };
      }
      const isFirstPage = readPage(request).page === 1;
      return { body: toComparison(addresses, range, toPage(ahead, request), isFirstPage) };
    },
  },
  {
    operation: 'repos/get-release-by-tag',
    documentation: 'releases/releases#get-a-release-by-tag-name',
    permission: 'contents',
    pattern: /^\/releases\/tags\/(.+)$/,
    answer: ({ repository, addresses }, tag = '') => {
      const notes = repository.releases[tag];
      return notes === undefined ? undefined : { body: toRelease(addresses, tag, notes) };
    },
  },
  {
    operation: 'repos/create-commit-status',
    documentation: 'commits/statuses#create-a-commit-status',
    permission: 'statuses',
    method: 'POST',
    pattern: /^\/statuses\/(.+)$/,
    answer: createStatus,
  },
  {
    operation: 'repos/list-commit-statuses-for-ref',
    documentation: 'commits/statuses#list-commit-statuses-for-a-reference',
    permission: 'statuses',
    pattern: /^\/commits\/(.+)\/statuses$/,
    answer: listStatuses,
  },
  {
    operation: 'pulls/get',
    documentation: 'pulls/pulls#get-a-pull-request',
    permission: 'pull-requests',
    pattern: /^\/pulls\/(\d+)$/,
    answer: ({ repository, addresses }, number) => {
      const pull = repository.pulls[Number(number)];
      return pull && { body: toPull(addresses, Number(number), pull) };
    },
  },
  {
    operation: 'pulls/list-files',
    documentation: 'pulls/pulls#list-pull-requests-files',
    permission: 'pull-requests',
    pattern: /^\/pulls\/(\d+)\/files$/,
    answer: (request, number) => {
      const { repository, addresses } = request;
      const files = repository.pulls[Number(number)]?.files.slice(0, MAX_PULL_FILES);
      const page = files && toPage(files, request).map((file) => toDiffEntry(addresses, file));
      return page && { body: page };
    },
  },
];

function toRange({ commits, tags }: Repository, base: string, head: string): Range | undefined {
  const find = (name: string): number => {
    const sha = tags.find((tag) => tag.name === name)?.sha ?? name;
    return commits.findIndex((commit) => commit.sha === sha);
  };
  const [start, end] = [find(base), find(head)];
  const [first, last] = [commits[start], commits[end]];
  return first && last
    ? {
        base: first,
        head: last,
        ahead: commits.slice(start + 1, end + 1),
        behindBy: Math.max(0, start - end),
      }
    : undefined;
}
