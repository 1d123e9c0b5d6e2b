import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type Project, toJsonError } from './behavior.ts';
import type { Job } from './jobs.ts';
import { type Counts, createLedger, type ReceivedRequest } from './ledger.ts';
import { close, listen } from './listen.ts';
import { standardProjects } from './projects.ts';
import { Refusal } from './refusal.ts';
import { writeReply } from './replies.ts';
import { toRoute } from './routes.ts';
import { createService, type Decision } from './service.ts';

export interface EmulatorOptions {
  /** Default: the standard projects. */
  readonly projects?: readonly Project[];
  /**
   * How many times faster than real time jobs run. Default: 1. Limits and delays are not scaled.
   */
  readonly speed?: number;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** Create requests and follow-ups that a project allows in an hour, at least 1. Default: 100. */
  readonly usesPerHour?: number;
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
  /** A copy of the counts of one project, or of all requests. */
  counts(projectId?: string): Counts;
  /** Adds or replaces a project. Its jobs and its uses remain. */
  setProject(project: Project): void;
  /** Starts a job without a create request. Throws a `Refusal` if the project is unknown. */
  addJob(projectId: string, jobId?: string): Readonly<Job>;
}

/**
 * Returns an emulator that does not listen yet; throws a `RangeError` unless `speed` is above 0.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { projects = standardProjects, speed = 1, now = Date.now, usesPerHour = 100 } = options;
  const { maxBodyBytes = 8 * 1024 * 1024, onDecision } = options;
  if (!(speed > 0 && Number.isFinite(speed))) {
    throw new RangeError('speed must be a number above 0');
  }
  const service = createService({ projects, speed, now, usesPerHour });
  const ledger = createLedger();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const received: ReceivedRequest = { receivedAtMs: now(), method, path, headers, body: '' };
    ledger.receive(received);
    const decision = await decide(request, received);
    ledger.decide(received, decision);
    onDecision?.(received);
    writeReply(response, decision.reply, decision.record);
  }

  async function decide(request: IncomingMessage, received: ReceivedRequest): Promise<Decision> {
    try {
      const route = toRoute(received.method, received.path);
      ledger.recognizeCall(received, route);
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
    requests: ledger.requests,
    jobs: service.jobs,
    counts: ledger.counts,
    setProject: service.setProject,
    addJob: service.addJob,
  };
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
