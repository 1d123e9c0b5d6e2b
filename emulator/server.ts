import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { Job } from './jobs.ts';
import { type Counts, countRequests, type ReceivedRequest } from './ledger.ts';
import { close, listen } from './listen.ts';
import { Refusal, toJson } from './replies.ts';
import { callNames, toRoute } from './routes.ts';
import { createService, type Decision } from './service.ts';

export interface EmulatorOptions {
  /** How many times faster than real time jobs run. Default: 1. */
  readonly speed?: number;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** Called just before a request is answered. */
  readonly onDecision?: (request: Readonly<ReceivedRequest>) => void;
}

export interface Emulator {
  /** Starts, by default on a free port of the loopback interface. Resolves to the base URL. */
  listen(port?: number): Promise<string>;
  /** Stops listening and drops all connections. */
  close(): Promise<void>;
  /** The emulator without its server, for use in another server. */
  readonly handler: RequestListener;
  /** In order of arrival. */
  readonly requests: readonly Readonly<ReceivedRequest>[];
  /** Every job, oldest first. */
  readonly jobs: readonly Readonly<Job>[];
  /** The counts of these requests. */
  counts(): Counts;
  /** Starts a job without a create request. Throws a `Refusal` if the project is unknown. */
  addJob(projectId: string, jobId?: string): Readonly<Job>;
}

/** Returns an emulator that does not listen yet. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { speed = 1, now = Date.now, onDecision } = options;
  const service = createService({ speed, now });
  const requests: ReceivedRequest[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const received: ReceivedRequest = { receivedAtMs: now(), method, path, headers, body: '' };
    requests.push(received);
    const body = Buffer.concat(await request.toArray());
    const { reply, job } = decide(received, body);
    received.jobId = job?.id;
    received.status = reply.kind === 'written' ? reply.status : undefined;
    onDecision?.(received);
    if (reply.kind === 'written') {
      response.writeHead(reply.status, reply.headers).end(reply.body);
    } else {
      response.socket?.resetAndDestroy();
    }
  }

  function decide(received: ReceivedRequest, body: Buffer): Decision {
    if (received.method === 'GET' && received.path === '/') {
      return { reply: toJson(200, { calls: callNames }) };
    }
    try {
      const route = toRoute(received.method, received.path);
      Object.assign(received, { route, body: body.toString() });
      return service.answer(route, received.headers, body);
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      return { reply: toJson(error.status, { error: error.message }) };
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
    listen: (port) => listen(server, port),
    close: () => close(server),
    handler,
    requests,
    jobs: service.jobs,
    counts: () => countRequests(requests),
    addJob: service.addJob,
  };
}
