import type { Socket } from 'node:net';
import type { buildConnector as undiciConnector } from 'undici';
import { buildConnector, Client, connect } from './undici.ts';

/** Why no request was written to a connection. */
export type ConnectFailure =
  | 'unreachable'
  | 'connect-timeout'
  | 'tls'
  | 'proxy-unavailable'
  | 'proxy-refused'
  | 'proxy-invalid';

/** A connection that was never made ready for a request, so nothing was sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.failure = failure;
  }
}

/** A proxy that reaches `https` origins through CONNECT. */
export interface ProxyServer {
  readonly origin: string;
  /** The value of `ProxyServer-Authorization`, where the proxy's URL holds credentials. */
  readonly authorization: string | undefined;
}

/**
 * A connector for one undici client that opens one connection, directly or through the proxy's CONNECT, and
 * refuses to open another. So a client can never write a request twice, and a proxy that hangs up on
 * CONNECT is asked once (undici would go on without end: its client reconnects on `UND_ERR_SOCKET`). Every
 * failure reaches the request as a `ConnectError`.
 */
export class OneShotConnector {
  #socket: Socket | undefined;
  #tunnel: InstanceType<typeof Client> | undefined;
  #giveUp: ((error: ConnectError) => void) | undefined;
  #isUsed = false;
  #isDestroyed = false;
  readonly #proxy: ProxyServer | undefined;
  readonly #timeoutMs: number;

  /** `timeoutMs` bounds the way to a connection that is ready for the request, TLS and proxy included. */
  constructor(proxy: ProxyServer | undefined, timeoutMs: number) {
    this.#proxy = proxy;
    this.#timeoutMs = timeoutMs;
  }

  /** The connection that the request is written to, once there is one. */
  get socket(): Socket | undefined {
    return this.#socket;
  }

  readonly connect: undiciConnector.connector = (options, callback) => {
    if (this.#isUsed) {
      callback(createLostError(), null);
      return;
    }
    this.#isUsed = true;
    this.#open(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(toConnectError(error), null),
    );
  };

  /** Closes whatever is open or on its way: after this, nothing more is sent. */
  async destroy(why = 'given up'): Promise<void> {
    this.#isDestroyed = true;
    this.#giveUp?.(new ConnectError('connect-timeout', why));
    this.#socket?.destroy();
    await this.#tunnel?.destroy();
  }

  async #open(options: undiciConnector.Options): Promise<Socket> {
    const why = `no connection within ${this.#timeoutMs / 1000} s`;
    const timer = setTimeout(() => void this.destroy(why), this.#timeoutMs);
    const givenUp = new Promise<never>((_, reject) => {
      this.#giveUp = reject;
    });
    try {
      return await Promise.race([this.#openUnbounded(options), givenUp]);
    } finally {
      clearTimeout(timer);
      this.#giveUp = undefined;
    }
  }

  async #openUnbounded(options: undiciConnector.Options): Promise<Socket> {
    const httpSocket = this.#proxy === undefined ? undefined : await this.#openTunnel(this.#proxy, options);
    if (this.#isDestroyed) {
      httpSocket?.destroy();
      throw new ConnectError('connect-timeout', 'given up');
    }
    return new Promise((resolve, reject) => {
      const open = buildConnector({ timeout: 0 });
      const target = httpSocket === undefined ? options : { ...options, httpSocket };
      // undici's connector returns the socket while it is connecting, though its type does not say so.
      this.#socket = open(target, (error, socket) => {
        if (error !== null) {
          reject(error);
        } else {
          resolve(socket);
        }
      }) as unknown as Socket;
    });
  }

  async #openTunnel(
    proxy: ProxyServer,
    { hostname, port, protocol }: undiciConnector.Options,
  ): Promise<Socket> {
    if (!/^https?:/.test(proxy.origin)) {
      throw new ConnectError('proxy-invalid', 'HTTPS_PROXY is no valid http:// or https:// URL');
    }
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const authority = `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const headers = {
      host: authority,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    };
    this.#tunnel = new Client(proxy.origin, { connect: createOnceConnector() });
    const { statusCode, socket } = await connect
      .call(this.#tunnel, { origin: proxy.origin, path: authority, headers })
      .catch((error: unknown) => {
        const { failure, message } = toConnectError(error);
        throw new ConnectError(failure === 'tls' ? 'tls' : 'proxy-unavailable', `proxy: ${message}`);
      });
    if (statusCode >= 200 && statusCode < 300) {
      return socket as Socket;
    }
    socket.on('error', () => {}).destroy();
    const isTransient = statusCode === 502 || statusCode === 503 || statusCode === 504;
    throw new ConnectError(
      isTransient ? 'proxy-unavailable' : 'proxy-refused',
      `the proxy answered ${statusCode} to CONNECT`,
    );
  }
}

/** A direct connector that opens one connection; undici's own client would go on to a second and a third. */
function createOnceConnector(): undiciConnector.connector {
  const open = buildConnector({ timeout: 0 });
  let isUsed = false;
  return (options, callback) => {
    if (isUsed) {
      callback(createLostError(), null);
      return;
    }
    isUsed = true;
    open(options, callback);
  };
}

function createLostError(): ConnectError {
  return new ConnectError('unreachable', 'the connection was closed before the request was sent');
}

const TLS_CODE =
  /^ERR_(?:SSL|TLS)_|^EPROTO$|CERT|SIGNATURE|ISSUER|SELF_SIGNED|CRL|HOSTNAME_MISMATCH|INVALID_CA/;

function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  const { code, message } = toNodeError(error);
  return new ConnectError(TLS_CODE.test(code) ? 'tls' : 'unreachable', code || message, { cause: error });
}

/** The `code` and message that node, OpenSSL and undici put on their errors; both may be empty. */
function toNodeError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) {
    return { code: '', message: String(error) };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message };
}
