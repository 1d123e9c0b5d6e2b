import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from './routes.ts';

/** A request and the decision about it. */
export interface ReceivedRequest {
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly method: string;
  /** The request target as sent, not decoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty until fully read, if it is too long, or if the request is not one of the three calls. */
  body: string;
  /** Absent if the request is not one of the three calls. */
  route?: Route;
  /** The job that was started, read, or followed up. */
  jobId?: string | undefined;
  /** Absent before the decision, and if nothing is sent. */
  status?: number | undefined;
  /** What stood in its way: a rule of the service, or a fault in the script of its project. */
  obstacle?: 'refusal' | 'fault' | undefined;
}

/** How many requests there were of each kind. */
export interface Counts {
  /** Create requests, polls, and follow-ups received, with any result. */
  readonly creates: number;
  readonly gets: number;
  readonly followUps: number;
  /** Jobs started by create requests, including requests that got a fault as response. */
  readonly jobs: number;
  readonly refused: number;
  readonly faults: number;
}

export function countRequests(requests: readonly ReceivedRequest[]): Counts {
  const count = (matches: (request: ReceivedRequest) => boolean): number =>
    requests.filter(matches).length;
  return {
    creates: count(({ route }) => route?.call === 'create'),
    gets: count(({ route }) => route?.call === 'get'),
    followUps: count(({ route }) => route?.call === 'follow-up'),
    jobs: count(({ route, jobId }) => route?.call === 'create' && jobId !== undefined),
    refused: count(({ obstacle }) => obstacle === 'refusal'),
    faults: count(({ obstacle }) => obstacle === 'fault'),
  };
}

/** Returns the counts as one line of text. */
export function formatCounts({ creates, gets, followUps, jobs, refused, faults }: Counts): string {
  const format = (count: number, noun: string): string =>
    `${count} ${noun}${count === 1 ? '' : 's'}`;
  const received = [
    `${format(creates, 'create request')} (${format(jobs, 'job')} started)`,
    format(gets, 'poll'),
    format(followUps, 'follow-up'),
    format(refused, 'refusal'),
    format(faults, 'scripted fault'),
  ];
  return received.join(', ');
}
