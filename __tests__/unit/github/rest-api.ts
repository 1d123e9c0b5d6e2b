import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { readGitHubContext } from '../../../src/github/context.ts';
import { listen } from '../../helpers/sockets.ts';
import { TOKEN } from '../fixtures.ts';

/** An answer of the API. A body that is not text is sent as JSON. */
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

/** Starts an API with the answers of a function of the path and the number of earlier requests for it. */
export async function startRestApi(
  answer: (path: string, count: number) => Answer | undefined,
  env: Readonly<Record<string, string>> = {},
) {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const path = decodeURIComponent(request.url ?? '');
    const count = requests.filter((earlier) => earlier.path === path).length;
    requests.push({ method: request.method, path, headers: request.headers, body: sent });
    const { status = 200, headers = {}, body = {} } = answer(path, count) ?? { status: 404 };
    const reply = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(reply);
  });
  const { port } = await listen(server);
  const apiUrl = `http://127.0.0.1:${port}`;
  const variables = { GITHUB_API_URL: apiUrl, GITHUB_REPOSITORY: 'acme/app', GITHUB_RUN_ID: '7', ...env };
  return { context: readGitHubContext(variables, TOKEN), requests };
}
