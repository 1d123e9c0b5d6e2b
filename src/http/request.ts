import type { Dispatcher } from 'undici';
import { getErrorText } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import { type Destination, type EarlyConnection, handOver, openConnection } from './connect.ts';
import { type ConnectError, formatAuthority, toConnectError } from './connect-error.ts';
import { Client } from './undici.ts';

export interface HttpRequest extends Destination {
  /** Sent as a bearer token. */
  readonly token: string;
  /** JSON to post. Undefined for a GET request. */
  readonly body: string | undefined;
  /** From the call to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** Aborts the request. The result still says whether it was sent. */
  readonly signal: AbortSignal;
  /** Aborts the request unless it was already sent. */
  readonly beforeSendSignal?: AbortSignal | undefined;
  /**
   * Called just before the first byte of the request is written. If it was not called, nothing was
   * sent.
   */
  readonly onSend?: (() => void) | undefined;
  /** Used instead of a new connection. */
  readonly early?: EarlyConnection | undefined;
}

/** How one request ended; `detail` is for people and may contain untrusted text. */
export type HttpResult =
  | ({ readonly kind: 'not-sent'; readonly detail: string } & Pick<
      ConnectError,
      'code' | 'isTransient'
    >)
  /** `received` is the part of the body that arrived. */
  | { readonly kind: 'no-response'; readonly detail: string; readonly received: Buffer }
  | { readonly kind: 'response'; readonly response: HttpResponse };

export type HttpResponse = Readonly<Awaited<ReturnType<typeof readResponse>>>;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes one request on its own connection, and closes it. Never rejects because of the network or
 * the server, and never follows redirects or retries. Opens the connection first: once the first
 * byte is written, the request was sent.
 */
export async function sendRequest(http: HttpRequest): Promise<HttpResult> {
  const { url, token, body, timeoutMs, signal, beforeSendSignal } = http;
  const stop = new AbortController();
  const giveUp = (): void => stop.abort('given up');
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const noConnection = `no connection to ${formatAuthority(url)} within ${formatDuration(connectMs)}`;
  const noResponse = `no complete response within ${formatDuration(timeoutMs)}`;
  const connectTimer = setTimeout(() => stop.abort(noConnection), connectMs);
  // Data that has already arrived is still read.
  const timer = setTimeout(() => setImmediate(() => stop.abort(noResponse)), timeoutMs);
  signal.addEventListener('abort', giveUp, { signal: stop.signal });
  beforeSendSignal?.addEventListener('abort', giveUp, { signal: stop.signal });
  if (signal.aborted || beforeSendSignal?.aborted === true) {
    giveUp();
  }
  let client: Client | undefined;
  let isSent = false;
  const chunks: Buffer[] = [];
  try {
    const socket = await (http.early?.(stop.signal) ?? openConnection(http, stop.signal));
    clearTimeout(connectTimer);
    beforeSendSignal?.removeEventListener('abort', giveUp);
    const connect = handOver(socket, () => {
      isSent = true;
      http.onSend?.();
    });
    client = new Client(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
    const response = await client.request({
      method: body === undefined ? 'GET' : 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization: `Bearer ${token}`,
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body ?? null,
    });
    return { kind: 'response', response: await readResponse(response, http.maxBodyBytes, chunks) };
  } catch (error) {
    const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
    if (isSent) {
      return { kind: 'no-response', detail: getErrorText(cause), received: Buffer.concat(chunks) };
    }
    const { code, isTransient, message } = toConnectError(cause, url);
    return { kind: 'not-sent', code, isTransient, detail: message };
  } finally {
    await client?.destroy();
    clearTimeout(connectTimer);
    clearTimeout(timer);
    stop.abort();
  }
}

/** Reads the body into `chunks`, up to its end or as far as it is usable. */
async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
  chunks: Buffer[],
) {
  body.on('error', () => {});
  const isEncoded = !/^(?:identity|[ \t,])*$/i.test(String(headers['content-encoding'] ?? ''));
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (isEncoded || size > maxBytes) {
      break;
    }
    chunks.push(chunk);
  }
  const received = Buffer.concat(chunks);
  return {
    httpStatus: statusCode,
    /**
     * Returns the trimmed value of a header field; undefined if it is absent, or repeated with
     * different values.
     */
    header(name: string): string | undefined {
      const bytes = [headers[name.toLowerCase()] ?? []]
        .flat()
        .map((line) => Buffer.from(line, 'latin1'));
      const lines = bytes.map((line) => line.toString().trim());
      return lines.every((line) => line === lines[0]) ? lines[0] : undefined;
    },
    /** The whole body, or undefined if it was cut, larger than the limit, or compressed. */
    body: received.length === size ? received : undefined,
    /** The part of the body that was read. */
    received,
  };
}
