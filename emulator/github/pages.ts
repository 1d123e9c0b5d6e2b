import type { ApiRequest } from './endpoint.ts';

const MAX_PAGE = 100;
const MAX_GITEA_PAGE = 50;

/** By the rules of the API: 30 items per page by default, and at most 100, or 50 in Gitea. */
export function readPage({ query, dialect }: PageRequest): { readonly page: number; readonly size: number } {
  const read = (name: string): number => Math.max(0, Math.trunc(Number(query.get(name) ?? 0))) || 0;
  const isGitea = dialect === 'gitea';
  const size = read(isGitea ? 'limit' : 'per_page') || 30;
  return { page: read('page') || 1, size: Math.min(isGitea ? MAX_GITEA_PAGE : MAX_PAGE, size) };
}

export function toPage<T>(items: readonly T[], request: PageRequest): T[] {
  const { page, size } = readPage(request);
  return items.slice((page - 1) * size, page * size);
}

/** Returns the `link` header of a page of the list at this address, or nothing if it is the only page. */
export function toLink(address: string, count: number, request: PageRequest): { link?: string } {
  const { page, size } = readPage(request);
  const last = Math.ceil(count / size);
  const pages = {
    ...(page > 1 && { prev: page - 1 }),
    ...(page < last && { next: page + 1, last }),
    ...(page > 1 && { first: 1 }),
  };
  const links = Object.entries(pages).map(([name, number]) => {
    const query = new URLSearchParams(request.query);
    query.set('page', `${number}`);
    return `<${address}?${query}>; rel="${name}"`;
  });
  return links.length === 0 ? {} : { link: links.join(', ') };
}

type PageRequest = Pick<ApiRequest, 'query' | 'dialect'>;
