import type { getOctokit } from '@actions/github';
import { toErrorText } from '../errors.ts';
import { type ApiAnswer, type ApiLimits, openApi, USER_AGENT } from './client.ts';
import type { GitHubContext } from './context.ts';

export type Octokit = ReturnType<typeof getOctokit>;

/**
 * A client of the REST API of the workflow's host, which only reads. The toolkit is loaded here, when it is
 * first needed: it takes longer to load than everything before the create together. Throws as `openApi` does.
 */
export async function loadOctokit(context: GitHubContext, limits: ApiLimits): Promise<Octokit> {
  const { root, token, get } = openApi(context, limits);
  const toolkit = await import('@actions/github');
  const silence = (): void => {};
  return toolkit.getOctokit(token, {
    baseUrl: root,
    userAgent: USER_AGENT,
    log: { debug: silence, info: silence, warn: silence, error: silence },
    request: {
      fetch: async (address: string, { headers }: { headers: Record<string, string> }) =>
        toResponse(await get(address, headers)),
    },
  });
}

function toResponse({ httpStatus, header, body }: ApiAnswer): Response {
  const headers = new Headers();
  for (const name of ['content-type', 'link']) {
    headers.set(name, header(name) ?? '');
  }
  return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}

/** Why a request failed, in a few words; holds text of the API, so it is sanitized before it is shown. */
export function describeApiError(error: unknown): string {
  const status = readHttpStatus(error);
  const text = toErrorText(error).replace(/ - https?:\S+$/, '');
  return status === undefined ? text : `HTTP ${status}: ${text}`;
}

/** True where the API answered that there is no such thing, or none that the token may see. */
export function isNotFound(error: unknown): boolean {
  return readHttpStatus(error) === 404;
}

/** The status that the API answered; Octokit's errors have one also where it did not answer. */
function readHttpStatus(error: unknown): number | undefined {
  const response = error instanceof Error && 'response' in error ? error.response : undefined;
  const isAnswer = typeof response === 'object' && response !== null && 'status' in response;
  return isAnswer && typeof response.status === 'number' ? response.status : undefined;
}
