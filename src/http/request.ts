import type { Dispatcher } from 'undici';
import { getErrorText } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import { type Destination, type EarlyConnection, openConnection, SocketConnector } from './connect.ts';
import { type ConnectFailure, formatAuthority, toConnectError } from './connect-error.ts';
import { Client, request } from './undici.ts';

export interface HttpRequest extends Destination {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** From the call to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** Aborts the request. The result still says whether it was sent. */
  readonly signal: AbortSignal;
  /** Aborts the request unless it was sent already. */
  readonly beforeSendSignal?: AbortSignal | undefined;
  /** Called just before the first byte of the request is written. Without it, nothing was sent. */
  readonly onSend?: (() => void) | undefined;
  /** Used instead of a new connection, if it is still open. */
  readonly early?: EarlyConnection | undefined;
}

/** How one request ended; `detail` is for people and may hold untrusted text. */
export type HttpResult =
  | { readonly kind: 'not-sent'; readonly failure: ConnectFailure; readonly detail: string }
  /** `cut` is the part of the response that arrived, if its head did. */
  | { readonly kind: 'no-response'; readonly detail: string; readonly cut?: HttpResponse | undefined }
  | { readonly kind: 'response'; readonly response: HttpResponse };

export interface HttpResponse {
  readonly httpStatus: number;
  /** The trimmed value of a header field; undefined if it is absent, or repeated with different values. */
  readonly header: (name: string) => string | undefined;
  /** The whole body, or undefined if it was cut, larger than the limit, or compressed. */
  readonly body: Buffer | undefined;
  /** As much of the body as was read. */
  readonly received: Buffer;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes one request on its own connection, and closes it. Never throws because of the network or the server, follows no
 * redirect, and repeats nothing. The connection is opened first. From its first write, the request counts as sent.
 */
export async function sendRequest(http: HttpRequest): Promise<HttpResult> {
  const { url, timeoutMs, signal, beforeSendSignal } = http;
  const stop = new AbortController();
  const stopAfter = (ms: number, why: string) => setTimeout(() => setImmediate(() => stop.abort(why)), ms);
  const giveUp = (): void => stop.abort('given up');
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const noConnection = `no connection to ${formatAuthority(url)} within ${formatDuration(connectMs)}`;
  const connectTimer = stopAfter(connectMs, noConnection);
  const timer = stopAfter(timeoutMs, `no complete response within ${formatDuration(timeoutMs)}`);
  for (const source of [signal, beforeSendSignal]) {
    source?.addEventListener('abort', giveUp);
    if (source?.aborted === true) {
      giveUp();
    }
  }
  try {
    const early = await http.early?.take(stop.signal);
    const socket = early ?? (await openConnection(http, stop.signal));
    const connector = new SocketConnector(socket, http.onSend);
    clearTimeout(connectTimer);
    beforeSendSignal?.removeEventListener('abort', giveUp);
    return await exchange(http, connector, stop.signal);
  } catch (error) {
    const { failure, message } = toConnectError(error, url);
    return { kind: 'not-sent', failure, detail: message };
  } finally {
    clearTimeout(connectTimer);
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    beforeSendSignal?.removeEventListener('abort', giveUp);
    stop.abort();
  }
}

/** Rejects only if the request was not sent. */
async function exchange(
  { method, url, headers, body, maxBodyBytes }: HttpRequest,
  connector: SocketConnector,
  stop: AbortSignal,
): Promise<HttpResult> {
  const client = new Client(url.origin, { connect: connector.connect, headersTimeout: 0, bodyTimeout: 0 });
  const describe = (error: unknown): string => getErrorText(stop.aborted ? stop.reason : error);
  try {
    const response = await request.call(client, {
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'docs-agent-action' },
      body: body ?? null,
    });
    return await readResponse(response, maxBodyBytes, describe);
  } catch (error) {
    if (!connector.isSent) {
      throw error;
    }
    return { kind: 'no-response', detail: describe(error) };
  } finally {
    await client.destroy();
  }
}

/** Reads the body to its end, or as far as it comes. */
async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
  describe: (error: unknown) => string,
): Promise<HttpResult> {
  body.on('error', () => {});
  const header = (name: string): string | undefined => {
    const lines = [headers[name.toLowerCase()] ?? []].flat().map((line) => line.trim());
    return lines.every((line) => line === lines[0]) ? lines[0] : undefined;
  };
  const isEncoded = !/^(?:identity|[ \t,])*$/i.test(String(headers['content-encoding'] ?? ''));
  const chunks: Buffer[] = [];
  let size = 0;
  const toResponse = (isWhole: boolean): HttpResponse => {
    const received = Buffer.concat(chunks);
    return { httpStatus: statusCode, header, body: isWhole ? received : undefined, received };
  };
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (isEncoded || size > maxBytes) {
        return { kind: 'response', response: toResponse(false) };
      }
      chunks.push(chunk);
    }
  } catch (error) {
    return { kind: 'no-response', detail: describe(error), cut: toResponse(false) };
  }
  return { kind: 'response', response: toResponse(true) };
}
