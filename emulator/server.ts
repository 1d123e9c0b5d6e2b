import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type JobRecord, Refusal, type Reply, toJsonError } from './behavior.ts';
import type { Job } from './jobs.ts';
import { type Counts, countRequests, type ReceivedRequest } from './ledger.ts';
import { close, listen } from './listen.ts';
import { toRoute } from './routes.ts';
import { createService, type Decision } from './service.ts';

const requestsKept = 10_000;

export interface EmulatorOptions {
  /**
   * How many times faster than real time jobs run. Default: 1. Limits and delays are not scaled.
   */
  readonly speed?: number;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: 8 MiB. */
  readonly maxBodyBytes?: number;
  /** Called just before a request is answered. */
  readonly onDecision?: (request: Readonly<ReceivedRequest>) => void;
}

export interface Emulator {
  /** Starts, by default on a free port of the loopback interface. Resolves to the base URL. */
  listen(port?: number, host?: string): Promise<string>;
  /** Stops listening and drops all connections. */
  close(): Promise<void>;
  /** The emulator without its server, for use in another server. */
  readonly handler: RequestListener;
  /** The last 10,000 requests in order of arrival. */
  readonly requests: readonly Readonly<ReceivedRequest>[];
  /** Every job, oldest first. */
  readonly jobs: readonly Readonly<Job>[];
  /** The counts of these requests. */
  counts(): Counts;
  /** Starts a job without a create request. Throws a `Refusal` if the project is unknown. */
  addJob(projectId: string, jobId?: string): Readonly<Job>;
}

/**
 * Returns an emulator that does not listen yet; throws a `RangeError` unless `speed` is above 0.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { speed = 1, now = Date.now, maxBodyBytes = 8 * 1024 * 1024, onDecision } = options;
  if (!(speed > 0 && Number.isFinite(speed))) {
    throw new RangeError('speed must be a number above 0');
  }
  const service = createService({ speed, now });
  const requests: ReceivedRequest[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const received: ReceivedRequest = { receivedAtMs: now(), method, path, headers, body: '' };
    requests.push(received);
    if (requests.length > requestsKept) {
      requests.shift();
    }
    const { reply, refused, job, record } = await decide(request, received);
    received.jobId = job?.id;
    received.status = 'status' in reply ? reply.status : undefined;
    if (refused || reply.kind !== 'proper') {
      received.obstacle = refused ? 'refusal' : 'fault';
    }
    onDecision?.(received);
    writeReply(response, reply, record);
  }

  async function decide(request: IncomingMessage, received: ReceivedRequest): Promise<Decision> {
    try {
      const route = toRoute(received.method, received.path);
      received.route = route;
      const body = await readBody(request, maxBodyBytes);
      received.body = body.toString();
      return service.answer(route, received.headers, body);
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      return { reply: toJsonError(error.status, error.message, error.headers), refused: true };
    }
  }

  const handler: RequestListener = (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const isAborted = !request.complete;
      if (!isAborted) {
        throw error;
      }
    });
  };
  const server = createServer(handler);

  return {
    listen: (port, host) => listen(server, port, host),
    close: () => close(server),
    handler,
    requests,
    jobs: service.jobs,
    counts: () => countRequests(requests),
    addJob: service.addJob,
  };
}

/** Answers a request with the reply. `record` is the record of the service, if any. */
function writeReply(response: ServerResponse, reply: Reply, record: JobRecord | undefined): void {
  switch (reply.kind) {
    case 'proper':
      response
        .writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(record));
      break;
    case 'written':
      response.writeHead(reply.status, reply.headers).end(reply.body);
      break;
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) {
      chunks.push(chunk);
    }
  }
  if (size > maxBytes) {
    throw new Refusal(413, `Request body is larger than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
