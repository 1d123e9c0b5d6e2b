import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { KeyPair } from '../../harness/certificates.ts';
import { showOnFailure } from '../../harness/failure-report.ts';
import type { Fault } from './faults.ts';
import { jobRecord } from './job-record.ts';
import { type ListenOptions, listen, sleepWhileOpen } from './sockets.ts';

export type Call = 'create' | 'get' | 'follow-up' | 'other';

/** The response to one request. By default, 201 (create request) or 200 with an active job. */
export interface Step {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Text or bytes, or a value to send as JSON. */
  body?: unknown;
  /** The time before the response or fault. */
  delayMs?: number;
  /** Delays the response or fault until this settles. */
  until?: Promise<void>;
  /** Replaces the response: bytes on the wire, a reset, a close, silence. */
  fault?: Fault;
  /** Whether a create request started a job. Default: if the status is below 300. */
  madeJob?: boolean;
}

/** The responses to each call, in order. The last response repeats. */
export interface Script {
  create?: Step[];
  get?: Step[];
  followUp?: Step[];
  other?: Step[];
}

interface SeenRequest {
  call: Call;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** When the request was complete, on the clock of `performance.now()`. */
  atMs: number;
}

export interface ServiceOptions extends ListenOptions {
  /** Makes it a server over TLS. */
  tls?: KeyPair;
}

/**
 * Starts an HTTP service that follows a script and records its requests. It knows only the three
 * documented paths. Other requests count as `other`, and get 404 by default.
 */
export async function scriptedService(script: Script = {}, options: ServiceOptions = {}) {
  const requests: SeenRequest[] = [];
  const connections: Socket[] = [];
  let jobs = 0;
  const seen = (call: Call): SeenRequest[] => requests.filter((request) => request.call === call);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    const { method = '', url: path = '', headers, socket } = request;
    const call = toCall(method, path);
    requests.push({ call, method, path, headers, body, atMs: performance.now() });
    const step = pickStep(script, call, seen(call).length);
    if (startsJob(call, step)) {
      jobs += 1;
    }
    const tcp = connections.find(({ remotePort }) => remotePort === socket.remotePort);
    await takeStep(response, call, step, tcp);
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => request.socket.destroy());
  };
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.on('connection', (socket: Socket) => connections.push(socket));
  const { port, close } = await listen(server, options);
  showOnFailure(`requests at the service on port ${port}`, () =>
    requests.map(({ atMs, method, path, body }) => `${Math.round(atMs)} ${method} ${path} ${body}`),
  );
  return {
    port,
    close,
    url: options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
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

function startsJob(call: Call, { madeJob, status = 201 }: Step): boolean {
  return call === 'create' && (madeJob ?? status < 300);
}

/** Answers, or shows the fault. `tcp` is the socket below a TLS socket. */
async function takeStep(
  response: ServerResponse,
  call: Call,
  { delayMs, until, fault, ...answer }: Step,
  tcp: Socket | undefined,
): Promise<void> {
  const { socket } = response;
  if (socket === null) {
    return;
  }
  if (delayMs) {
    await sleepWhileOpen(socket, delayMs);
  }
  await until;
  if (socket.destroyed) {
    return;
  }
  if (fault) {
    await fault(socket, tcp);
  } else {
    writeAnswer(response, call, answer);
  }
}

function toCall(method: string, path: string): Call {
  const match = /^[^?]*\/v2\/agent\/[^/?]+\/job(\/[^/?]+)?(\/message)?$/.exec(path);
  if (!match) {
    return 'other';
  }
  const [, id, message] = match;
  if (method === 'POST' && !id && !message) {
    return 'create';
  }
  if (method === 'POST' && id && message) {
    return 'follow-up';
  }
  return method === 'GET' && id && !message ? 'get' : 'other';
}

function pickStep(script: Script, call: Call, count: number): Step {
  const steps = call === 'follow-up' ? script.followUp : script[call];
  if (call === 'other' && !steps) {
    return { status: 404, body: { error: 'not found' } };
  }
  return steps?.[count - 1] ?? steps?.at(-1) ?? {};
}

function writeAnswer(response: ServerResponse, call: Call, step: Step): void {
  const status = step.status ?? (call === 'create' ? 201 : 200);
  const body = encodeBody('body' in step ? step.body : jobRecord());
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(isEmpty ? {} : { 'content-length': body.length }),
    ...step.headers,
  });
  response.end(isEmpty ? undefined : body);
}

function encodeBody(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) {
    return body;
  }
  return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
}
