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
  /** Empty until fully read, or if the request is not one of the three calls. */
  body: string;
  /** Absent if the request is not one of the three calls. */
  route?: Route;
  /** The job that was started, read, or followed up. */
  jobId?: string | undefined;
  /** Absent before the decision, and if nothing is sent. */
  status?: number | undefined;
}

/** How many requests there were of each kind, with any result. */
export interface Counts {
  readonly creates: number;
  readonly gets: number;
  readonly followUps: number;
  /** Jobs started by create requests, including requests that got a fault as response. */
  readonly jobs: number;
}

export function countRequests(requests: readonly ReceivedRequest[]): Counts {
  const count = (call: string): number =>
    requests.filter(({ route }) => route?.call === call).length;
  return {
    creates: count('create'),
    gets: count('get'),
    followUps: count('follow-up'),
    jobs: requests.filter(({ route, jobId }) => route?.call === 'create' && jobId).length,
  };
}

/** Returns the counts as one line of text. */
export function formatCounts({ creates, gets, followUps, jobs }: Counts): string {
  const format = (count: number, noun: string): string =>
    `${count} ${noun}${count === 1 ? '' : 's'}`;
  const started = `${format(creates, 'create request')} (${format(jobs, 'job')} started)`;
  return [started, format(gets, 'poll'), format(followUps, 'follow-up')].join(', ');
}
