import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyPair } from '../harness/certificates.ts';
import { showOnFailure } from '../harness/failure-report.ts';
import type { Fault } from './faults.ts';
import { jobRecord } from './job-record.ts';
import { listen } from './sockets.ts';

export type Call = 'create' | 'get' | 'follow-up' | 'other';

/** The response to one request. By default, 201 (create request) or 200 with the active job. */
export interface Step {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Text or bytes, or a value to send as JSON. */
  body?: unknown;
  /** The time before the response or fault. Default: none. */
  delayMs?: number;
  /** Delays the response or fault until this settles. */
  until?: Promise<void>;
  /** Replaces the response: bytes on the wire, a reset, a close, silence. */
  fault?: Fault;
  /** Whether a create request started a job. Default: if the status is below 300. */
  madeJob?: boolean;
}

/** The responses to each call, in order. The last response repeats. */
export type Script = Readonly<Partial<Record<Call, readonly Step[]>>>;

interface SeenRequest {
  call: Call;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** When the request was complete, on the clock of `performance.now()`. */
  atMs: number;
}

export interface ServiceOptions {
  /** Makes it a server over TLS. */
  tls?: KeyPair;
}

/**
 * Starts an HTTP service that follows a script and records its requests. It knows only the three
 * documented paths. Other requests count as `other`, and get 404 by default.
 */
export async function scriptedService(script: Script = {}, { tls }: ServiceOptions = {}) {
  const requests: SeenRequest[] = [];
  const connections: Socket[] = [];
  let jobs = 0;
  const seen = (call: Call): SeenRequest[] => requests.filter((request) => request.call === call);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    const { method = '', url: path = '', headers, socket } = request;
    const call = toCall(method, path);
    requests.push({ call, method, path, headers, body, atMs: performance.now() });
    const steps = script[call] ?? (call === 'other' ? [notFound] : []);
    const step = steps[seen(call).length - 1] ?? steps.at(-1) ?? {};
    const { madeJob = (step.status ?? 201) < 300 } = step;
    jobs += call === 'create' && madeJob ? 1 : 0;
    await sleep(step.delayMs ?? 0, undefined, { ref: false });
    await step.until;
    if (step.fault) {
      const tcp = connections.find(({ remotePort }) => remotePort === socket.remotePort);
      await step.fault(socket, tcp);
    } else {
      writeAnswer(response, call, { body: toRecord(path), ...step });
    }
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => request.socket.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.on('connection', (socket: Socket) => connections.push(socket));
  const port = await listen(server);
  showOnFailure(`requests at the service on port ${port}`, () =>
    requests.map(({ atMs, method, path, body }) => `${Math.round(atMs)} ${method} ${path} ${body}`),
  );
  return {
    port,
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    requests,
    seen,
    /** The number of create requests. */
    get creates() {
      return seen('create').length;
    },
    /** The number of jobs started. */
    get jobs() {
      return jobs;
    },
    get connections() {
      return connections.length;
    },
  };
}

const notFound: Step = { status: 404, body: { error: 'not found' } };
const job = '/v2/agent/[^/?]+/job';
const calls: readonly (readonly [Call, RegExp])[] = [
  ['create', new RegExp(`^POST \\S*${job}$`)],
  ['get', new RegExp(`^GET \\S*${job}/[^/?]+$`)],
  ['follow-up', new RegExp(`^POST \\S*${job}/[^/?]+/message$`)],
];

function toCall(method: string, path: string): Call {
  return calls.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0] ?? 'other';
}

/** Returns an active job with the id in the path. */
function toRecord(path: string): object {
  const [, id] = /\/job\/([^/?]+)/.exec(path) ?? [];
  return jobRecord(id === undefined ? {} : { id: decodeURIComponent(id) });
}

function writeAnswer(response: ServerResponse, call: Call, { status, headers, body }: Step): void {
  response.statusCode = status ?? (call === 'create' ? 201 : 200);
  const fields = { 'content-type': 'application/json', ...headers };
  response.setHeaders(new Map(Object.entries(fields)));
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  // With bytes, Node writes the header fields as they are.
  response.end(Buffer.isBuffer(body) ? body : Buffer.from(text));
}
