import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getErrorText } from '../errors.ts';
import { ConnectError, type ConnectFailure, describeConnectTimeout, formatSeconds } from './connect-error.ts';
import { OneShotConnector, type ProxyServer } from './connection.ts';
import { getSingleValue, isEncoded } from './header-field.ts';
import { Client, request } from './undici.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** From the call to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  readonly proxy: ProxyServer | undefined;
  /** Gives the request up; the result still says whether it had been sent. */
  readonly signal: AbortSignal;
  /** Gives the request up as long as nothing of it has been sent. */
  readonly beforeSendSignal?: AbortSignal | undefined;
}

/** How one request ended; `detail` is for people and may hold untrusted text. */
export type HttpResult =
  | { readonly kind: 'not-sent'; readonly failure: ConnectFailure; readonly detail: string }
  | { readonly kind: 'no-response'; readonly detail: string }
  | { readonly kind: 'response'; readonly response: HttpResponse };

export interface HttpResponse {
  readonly httpStatus: number;
  /** The trimmed value of a header field; undefined when it is absent, or repeated with different values. */
  readonly header: (name: string) => string | undefined;
  /** The whole body, or undefined when it was larger than the limit or compressed. */
  readonly body: Buffer | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes one request on a connection of its own and closes it. Never throws for what the network or the
 * server does, follows no redirect and repeats nothing. Whether the request was sent is taken from undici's
 * `undici:client:sendHeaders`, published just before the first byte is written; error codes do not tell.
 */
export async function sendRequest(http: HttpRequest): Promise<HttpResult> {
  const connector = new OneShotConnector(http.proxy, Math.min(CONNECT_TIMEOUT_MS, http.timeoutMs));
  const client = new Client(http.url.origin, {
    connect: connector.connect,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let isSent = false;
  const onSend = (message: unknown): void => {
    isSent ||= isSendOn(message, connector);
  };
  let givenUp: string | undefined;
  const giveUp = (why: string): void => {
    givenUp ??= why;
    void connector.destroy(why);
    void client.destroy(new Error(why));
  };
  const onAbort = (): void => giveUp('given up');
  const onUnsentAbort = (): void => {
    if (!isSent) {
      giveUp('given up');
    }
  };
  const onTimeout = (): void =>
    giveUp(
      isSent
        ? `no complete response within ${formatSeconds(http.timeoutMs)}`
        : describeConnectTimeout(http.url, http.timeoutMs),
    );
  const timer = setTimeout(onTimeout, http.timeoutMs);
  http.signal.addEventListener('abort', onAbort);
  http.beforeSendSignal?.addEventListener('abort', onUnsentAbort);
  subscribe('undici:client:sendHeaders', onSend);
  try {
    if (http.signal.aborted || http.beforeSendSignal?.aborted === true) {
      return { kind: 'not-sent', failure: 'connect-timeout', detail: 'given up' };
    }
    const response = await readResponse(client, http);
    if (response.httpStatus >= 500) {
      connector.forgetAddresses();
    }
    return { kind: 'response', response };
  } catch (error) {
    connector.forgetAddresses();
    await connector.destroy();
    await client.destroy();
    if (isSent) {
      return { kind: 'no-response', detail: givenUp ?? getErrorText(error) };
    }
    if (error instanceof ConnectError) {
      return { kind: 'not-sent', failure: error.failure, detail: error.message };
    }
    const failure = givenUp === undefined ? 'unreachable' : 'connect-timeout';
    return { kind: 'not-sent', failure, detail: givenUp ?? getErrorText(error) };
  } finally {
    clearTimeout(timer);
    http.signal.removeEventListener('abort', onAbort);
    http.beforeSendSignal?.removeEventListener('abort', onUnsentAbort);
    unsubscribe('undici:client:sendHeaders', onSend);
    await connector.destroy();
    await client.destroy();
  }
}

function isSendOn(message: unknown, connector: OneShotConnector): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'socket' in message &&
    message.socket === connector.socket
  );
}

async function readResponse(client: InstanceType<typeof Client>, http: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body } = http;
  const response = await request.call(client, {
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  });
  response.body.on('error', () => {});
  return {
    httpStatus: response.statusCode,
    header: (name) => getSingleValue(response.headers[name.toLowerCase()]),
    body: isEncoded(response.headers['content-encoding'])
      ? undefined
      : await readBody(response.body, http.maxBodyBytes),
  };
}

/** The whole body, or undefined as soon as it passes the limit. */
async function readBody(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) {
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
