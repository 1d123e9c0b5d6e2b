import type { ApiRequest } from './endpoint.ts';

const MAX_PAGE = 100;
const MAX_GITEA_PAGE = 50;

/** By the rules of the API: 30 items per page by default, and at most 100, or 50 in Gitea. */
export function readPage({ query, dialect }: PageRequest): {
  readonly page: number;
  readonly size: number;
} {
  const read = (name: string): number => Math.max(0, Math.trunc(Number(query.get(name) ?? 0))) || 0;
  const isGitea = dialect === 'gitea';
  const size = read(isGitea ? 'limit' : 'per_page') || 30;
  return { page: read('page') || 1, size: Math.min(isGitea ? MAX_GITEA_PAGE : MAX_PAGE, size) };
}

export function toPage<T>(items: readonly T[], request: PageRequest): T[] {
  const { page, size } = readPage(request);
  return items.slice((page - 1) * size, page * size);
}

type PageRequest = Pick<ApiRequest, 'query' | 'dialect'>;
