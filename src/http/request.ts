import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { getErrorText, undefinedIfThrown } from '../errors.ts';
import { Client } from '../packages.ts';
import { formatDuration } from '../text/duration.ts';
import { createConnector } from './connect.ts';
import { type ConnectError, formatAuthority, toConnectError } from './connect-error.ts';
import { parseRetryAfter } from './retry-after.ts';

export interface HttpRequest {
  readonly url: URL;
  /** Sent as a bearer token. Undefined to send none. */
  readonly token: string | undefined;
  /** JSON to post. Undefined for a GET request. */
  readonly body: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** From the call to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** Aborts the request. The result still says whether it was sent. */
  readonly signal: AbortSignal;
  /** Aborts the request unless it was already sent. */
  readonly beforeSendSignal?: AbortSignal | undefined;
  /** Called just before the first byte is written. If it was not called, nothing was sent. */
  readonly onSend?: (() => void) | undefined;
}

/** How one request ended; `detail` is for people and may contain untrusted text. */
export type HttpResult =
  | NotSent
  /** `received` is the part of the body that arrived. */
  | { readonly kind: 'no-response'; readonly detail: string; readonly received: Buffer }
  | { readonly kind: 'response'; readonly response: HttpResponse };

/** The server has not seen a byte of the request. */
export interface NotSent extends Pick<ConnectError, 'code' | 'isTransient'> {
  readonly kind: 'not-sent';
  readonly detail: string;
}

export interface HttpResponse {
  readonly httpStatus: number;
  /** Returns the first value of a header field, trimmed, by its name in lower case. */
  header(name: string): string | undefined;
  /** How long the response asks to wait, in milliseconds: see `parseRetryAfter`. */
  readonly retryAfterMs: number | undefined;
  /** The whole body, or undefined if it was larger than the limit, or compressed. */
  readonly body: Buffer | undefined;
  /** The part of the body that was read. */
  readonly received: Buffer;
}

/** Returns the JSON in a body, or undefined without any. `fatal`: refuses invalid UTF-8. */
export function parseJson(body: Buffer | undefined, fatal: boolean): unknown {
  const decoder = new TextDecoder('utf-8', { fatal });
  return undefinedIfThrown(() => JSON.parse(decoder.decode(body)));
}

const CONNECT_TIMEOUT_MS = 10_000;
const STEP_ENDED = 'the step ended';
/** The request asks for a body that is not compressed. */
const NOT_ENCODED = /^(?:identity|[ \t,])*$/i;

interface Exchange {
  /** True as soon as the first byte of the request may have been written. */
  isSent: boolean;
  /** The part of the body that has arrived. Grows up to the largest body that is read. */
  readonly received: ArrayBuffer;
}

/**
 * Makes one request on a connection of its own, and closes it. Never rejects because of the network
 * or the server, and never follows redirects or retries.
 */
export async function sendRequest(http: HttpRequest): Promise<HttpResult> {
  const { url } = http;
  const received = new ArrayBuffer(0, { maxByteLength: http.maxBodyBytes });
  const exchange: Exchange = { isSent: false, received };
  const limits = startLimits(http, exchange);
  const connect = createConnector(url, limits.signal);
  const client = new Client(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
  // While undici connects, it ignores signals. Once destroyed, a client no longer sends anything.
  const stop = (): void => void client.destroy(limits.signal.reason);
  limits.signal.addEventListener('abort', stop);
  try {
    limits.signal.throwIfAborted();
    return { kind: 'response', response: await dispatch(client, http, exchange) };
  } catch (error) {
    const cause: unknown = limits.signal.aborted ? limits.signal.reason : error;
    if (exchange.isSent) {
      return { kind: 'no-response', detail: describe(cause), received: copyBytes(received) };
    }
    const { code, isTransient, message } = toConnectError(cause, url);
    return { kind: 'not-sent', code, isTransient, detail: message };
  } finally {
    await client.destroy();
    limits.end();
  }
}

/** Starts the time limits of a request. Its signal is aborted, with a reason, when one is over. */
function startLimits(http: HttpRequest, exchange: Exchange) {
  const { url, signal, beforeSendSignal } = http;
  const limitMs = Math.max(0, http.timeoutMs);
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, limitMs);
  const controller = new AbortController();
  const ended = new AbortController();
  const stop = (reason: string): void => controller.abort(new Error(reason));
  const stopUnlessSent = (reason: string): void => {
    if (!exchange.isSent) {
      stop(reason);
    }
  };
  const connectTimer = setTimeout(() => {
    stopUnlessSent(`no connection to ${formatAuthority(url)} within ${formatDuration(connectMs)}`);
  }, connectMs);
  // A response that has already arrived is still read, even after the process was suspended.
  const timer = setTimeout(() => {
    setImmediate(stop, `no complete response within ${formatDuration(limitMs)}`);
  }, limitMs);
  const untilEnd = { signal: ended.signal };
  signal.addEventListener('abort', () => stop(STEP_ENDED), untilEnd);
  beforeSendSignal?.addEventListener('abort', () => stopUnlessSent(STEP_ENDED), untilEnd);
  if (signal.aborted || beforeSendSignal?.aborted === true) {
    stop(STEP_ENDED);
  }
  return {
    signal: controller.signal,
    end(): void {
      clearTimeout(connectTimer);
      clearTimeout(timer);
      ended.abort();
    },
  };
}

/** Writes the request, and reads the response up to its end, or as far as it is usable. */
function dispatch(
  client: Client,
  { url, token, body, headers, onSend }: HttpRequest,
  exchange: Exchange,
): Promise<HttpResponse> {
  const options: Dispatcher.DispatchOptions = {
    method: body === undefined ? 'GET' : 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'docs-agent-action',
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body ?? null,
  };
  return new Promise((resolve, reject) => {
    let head: ReturnType<typeof readHead> | undefined;
    let isEncoded = false;
    const end = (isWhole: boolean): void => {
      const received = copyBytes(exchange.received);
      if (head === undefined) {
        reject(new Error('the response has no head'));
      } else {
        resolve({ ...head, body: isWhole ? received : undefined, received });
      }
    };
    client.dispatch(options, {
      // undici calls this before it writes the first byte. If it throws, nothing is written.
      onRequestStart() {
        if (exchange.isSent) {
          throw new Error('the request was already sent');
        }
        exchange.isSent = true;
        onSend?.();
      },
      onResponseStart(_controller, httpStatus, headers) {
        // Interim responses, such as 103, come before the real one.
        if (httpStatus >= 200) {
          head = readHead(httpStatus, headers);
          isEncoded = !NOT_ENCODED.test(String(headers['content-encoding'] ?? ''));
        }
      },
      onResponseData(controller, chunk) {
        const isRead = !isEncoded && appendChunk(exchange.received, chunk);
        if (!isRead) {
          end(false);
          controller.abort(new Error('the rest of the body is not read'));
        }
      },
      onResponseEnd: () => end(true),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

/**
 * Copies a chunk to the end of a body: a chunk of one byte would keep the whole packet that it came
 * with. Returns false, and adds nothing, if the body would be too large.
 */
function appendChunk(body: ArrayBuffer, chunk: Buffer): boolean {
  const start = body.byteLength;
  if (start + chunk.length > body.maxByteLength) {
    return false;
  }
  body.resize(start + chunk.length);
  new Uint8Array(body, start).set(chunk);
  return true;
}

function copyBytes(body: ArrayBuffer): Buffer {
  return Buffer.from(new Uint8Array(body));
}

function readHead(httpStatus: number, headers: IncomingHttpHeaders) {
  const header = (name: string): string | undefined => getFields(headers, name)[0];
  const retryAfter = getFields(headers, 'retry-after');
  const retryAfterMs = parseRetryAfter(retryAfter, header('date'), Date.now());
  return { httpStatus, header, retryAfterMs };
}

/** Returns the trimmed values of a header field, which undici has read as Latin-1. */
function getFields(headers: IncomingHttpHeaders, name: string): string[] {
  const lines = [headers[name] ?? []].flat();
  return lines.map((line) => Buffer.from(line, 'latin1').toString().trim());
}

/** Codes of a connection that ended too early. */
const CLOSED: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

function describe(error: unknown): string {
  const { code }: Record<string, unknown> = Object(error);
  const isClosed = CLOSED.includes(code);
  return isClosed ? 'the connection closed before a complete response' : getErrorText(error);
}
