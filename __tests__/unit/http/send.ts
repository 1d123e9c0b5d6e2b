import { type HttpRequest, type HttpResult, sendRequest } from '../../../src/http/request.ts';

/** Sends a GET request with generous limits, unless the options change them. */
export function send(url: string, change: Partial<HttpRequest> = {}): Promise<HttpResult> {
  return sendRequest({
    url: new URL(url),
    token: '',
    body: undefined,
    timeoutMs: 20_000,
    maxBodyBytes: 1_048_576,
    signal: new AbortController().signal,
    ...change,
  });
}
