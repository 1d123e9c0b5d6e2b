import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from './behavior.ts';
import type { Route } from './routes.ts';
import type { Decision } from './service.ts';

const requestsKept = 10_000;

/** A request and the decision about it. */
export interface ReceivedRequest {
  /** Milliseconds since the epoch. */
  receivedAtMs: number;
  method: string;
  /** The request target as sent, not decoded. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Empty until fully read, if it is too long, or if the request is not one of the three calls. */
  body: string;
  /** Absent if the request is not one of the three calls. */
  route?: Route;
  /** The job that was started, read, or followed up. */
  jobId?: string;
  /** Absent before the decision, and if nothing is sent. */
  status?: number;
}

/** The requests and jobs so far. */
export interface Counts {
  /** Create requests, polls, and follow-ups received, with any result. */
  creates: number;
  gets: number;
  followUps: number;
  /** Jobs started by create requests, including requests that got a fault as response. */
  jobs: number;
  /** Requests that the service's rules refused. */
  refused: number;
  /** Requests that got a fault because of their project's script. */
  faults: number;
}

export interface Ledger {
  /** The last 10,000, in order of arrival. */
  readonly requests: ReceivedRequest[];
  counts(projectId?: string): Counts;
  receive(request: ReceivedRequest): void;
  recognizeCall(request: ReceivedRequest, route: Route): void;
  decide(request: ReceivedRequest, decision: Decision): void;
}

const countOf: Readonly<Record<Call, keyof Counts>> = {
  create: 'creates',
  get: 'gets',
  'follow-up': 'followUps',
};

/** Returns an empty record of requests, with counts for all requests and for each project. */
export function createLedger(): Ledger {
  const requests: ReceivedRequest[] = [];
  const total = toZeroCounts();
  const perProject = new Map<string, Counts>();

  function count({ route }: ReceivedRequest, name: keyof Counts): void {
    total[name] += 1;
    if (!route) {
      return;
    }
    const counts = perProject.get(route.projectId) ?? toZeroCounts();
    counts[name] += 1;
    perProject.set(route.projectId, counts);
  }

  return {
    requests,
    counts(projectId) {
      return {
        ...(projectId === undefined ? total : (perProject.get(projectId) ?? toZeroCounts())),
      };
    },
    receive(request) {
      requests.push(request);
      if (requests.length > requestsKept) {
        requests.shift();
      }
    },
    recognizeCall(request, route) {
      request.route = route;
      count(request, countOf[route.call]);
    },
    decide(request, { reply, job, refused }) {
      if (job) {
        request.jobId = job.id;
      }
      if ('status' in reply) {
        request.status = reply.status;
      }
      if (job && request.route?.call === 'create') {
        count(request, 'jobs');
      }
      if (refused) {
        count(request, 'refused');
      } else if (reply.kind !== 'proper') {
        count(request, 'faults');
      }
    },
  };
}

/** Returns the counts as one line of text. */
export function formatCounts({ creates, gets, followUps, jobs, refused, faults }: Counts): string {
  const received = [
    `${formatCount(creates, 'create request')} (${formatCount(jobs, 'job')} started)`,
    formatCount(gets, 'poll'),
    formatCount(followUps, 'follow-up'),
    formatCount(refused, 'refusal'),
    formatCount(faults, 'scripted fault'),
  ];
  return received.join(', ');
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function toZeroCounts(): Counts {
  return { creates: 0, gets: 0, followUps: 0, jobs: 0, refused: 0, faults: 0 };
}
