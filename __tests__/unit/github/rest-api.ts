import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GitHubContext } from '../../../src/github/context.ts';
import { listen } from '../../helpers/sockets.ts';
import { createGitHubContext } from '../fixtures.ts';

/** A response from the API. A body that is not text is sent as JSON. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SeenRequest {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Starts an API. A function of the path and the number of earlier requests for it returns the
 * responses.
 */
export async function startRestApi(
  answer: (path: string, count: number) => Answer | undefined,
  changes: Partial<GitHubContext> = {},
) {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const path = decodeURIComponent(request.url ?? '');
    const count = requests.filter((earlier) => earlier.path === path).length;
    requests.push({ method: request.method, path, headers: request.headers, body: sent });
    const { status = 200, headers = {}, body = {} } = answer(path, count) ?? { status: 404 };
    const reply = typeof body === 'string' ? body : JSON.stringify(body);
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
      .end(reply);
  });
  const { port } = await listen(server);
  const apiUrl = new URL(`http://127.0.0.1:${port}`);
  return { context: createGitHubContext({ apiUrl, ...changes }), requests };
}
