import type { Socket } from 'node:net';
import { DEFAULT_MIN_VERSION } from 'node:tls';
import type { buildConnector as undiciConnector } from 'undici';
import {
  ConnectError,
  createLostError,
  describeConnectTimeout,
  formatAuthority,
  toConnectError,
} from './connect-error.ts';
import { createLookup, forgetAddresses } from './lookup.ts';
import { skipInterimResponses } from './response-head.ts';
import { buildConnector, Client, connect } from './undici.ts';

export type { ConnectFailure } from './connect-error.ts';

/** A proxy that reaches `https` origins through CONNECT. */
export interface ProxyServer {
  readonly origin: string;
  /** The value of `Proxy-Authorization`, where the proxy's URL holds credentials. */
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
  /** The host that was looked up: the proxy's, where there is one. */
  #hostname: string | undefined;
  /** Every socket on the way, from the moment it begins to connect. */
  readonly #sockets: Socket[] = [];
  readonly #destroyed = new AbortController();
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
      (error: unknown) => callback(toConnectError(error, options), null),
    );
  };

  /** Closes whatever is open or on its way: after this, nothing more is sent. */
  async destroy(why = 'given up'): Promise<void> {
    this.#destroyed.abort();
    this.#giveUp?.(new ConnectError('connect-timeout', why));
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await this.#tunnel?.destroy();
  }

  /** Makes the next connection look up its host again. */
  forgetAddresses(): void {
    if (this.#hostname !== undefined) {
      forgetAddresses(this.#hostname);
    }
  }

  async #open(options: undiciConnector.Options): Promise<Socket> {
    const why = describeConnectTimeout(options, this.#timeoutMs);
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
    if (this.#destroyed.signal.aborted) {
      httpSocket?.destroy();
      throw new ConnectError('connect-timeout', 'given up');
    }
    this.#socket = await this.#openSocket(httpSocket === undefined ? options : { ...options, httpSocket });
    return this.#socket;
  }

  /** Opens one socket, whose certificate is verified whatever the environment says. */
  #openSocket(options: undiciConnector.Options): Promise<Socket> {
    this.#hostname ??= options.hostname;
    // Node would print a warning that nothing is verified.
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    const open = buildConnector({
      timeout: 0,
      rejectUnauthorized: true,
      minVersion: DEFAULT_MIN_VERSION === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2',
      lookup: createLookup(this.#destroyed.signal),
    });
    return new Promise((resolve, reject) => {
      // undici's connector returns the socket while it is connecting, though its type does not say so.
      const socket = open(options, (...[error]) => {
        if (error === null) {
          skipInterimResponses(socket);
          resolve(socket);
        } else {
          reject(toConnectError(error, options, socket));
        }
      }) as unknown as Socket;
      this.#sockets.push(socket);
    });
  }

  async #openTunnel(proxy: ProxyServer, target: undiciConnector.Options): Promise<Socket> {
    if (!/^https?:/.test(proxy.origin)) {
      throw new ConnectError('proxy-invalid', 'HTTPS_PROXY is not an http:// or https:// address');
    }
    const authority = formatAuthority(target);
    const headers = {
      host: authority,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    };
    this.#tunnel = new Client(proxy.origin, { connect: this.#createTunnelConnector() });
    const { statusCode, socket } = await connect
      .call(this.#tunnel, { origin: proxy.origin, path: authority, headers })
      .catch((error: unknown) => {
        const { failure, message } = toConnectError(error, new URL(proxy.origin));
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

  /** A direct connector that opens one connection; undici's own client would go on to a second and a third. */
  #createTunnelConnector(): undiciConnector.connector {
    let isUsed = false;
    return (options, callback) => {
      if (isUsed) {
        callback(createLostError(), null);
        return;
      }
      isUsed = true;
      this.#openSocket(options).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(toConnectError(error, options), null),
      );
    };
  }
}
