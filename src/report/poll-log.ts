import { isFinalStatus } from '../job/job.ts';
import type { PollEvent } from '../job/poll-job.ts';
import { formatDuration } from '../text/duration.ts';
import { quote } from '../text/sanitize.ts';

const HEARTBEAT_MS = 60_000;
const MAX_FAILURE_LINES = 9;
const DETAIL_LIMIT = 200;

export interface PollLogOptions {
  readonly now: () => number;
  /** Instant at which the run gives up. */
  readonly deadline: number;
  /** The status that is not worth a line; undefined if none was read yet. */
  readonly status: string | undefined;
  readonly log: (text: string) => void;
  readonly onUnknownStatus: (status: string) => void;
}

/** Returns a handler that makes few lines of many events: one for each change, failures up to a limit, a heartbeat a minute. */
export function createPollLog({ now, deadline, ...options }: PollLogOptions): (event: PollEvent) => void {
  let { status } = options;
  let failures = 0;
  let failureLines = 0;
  let hasUnknownStatus = false;
  let quietSince = now();

  function log(text: string): void {
    quietSince = now();
    options.log(text);
  }

  function logFailure(text: string): void {
    failures += 1;
    failureLines += 1;
    if (failureLines <= MAX_FAILURE_LINES) {
      log(text);
    } else {
      logHeartbeat();
    }
  }

  function logStatus(next: string): void {
    status = next;
    log(`status ${quote(next, DETAIL_LIMIT)}`);
    if (!hasUnknownStatus && next !== 'active' && !isFinalStatus(next)) {
      hasUnknownStatus = true;
      options.onUnknownStatus(next);
    }
  }

  function logHeartbeat(): void {
    if (now() - quietSince >= HEARTBEAT_MS) {
      const known = status === undefined ? 'no status yet' : `still ${quote(status, DETAIL_LIMIT)}`;
      const shown = failures === 0 ? known : `the last ${failures} polls failed`;
      log(`${shown}, ${formatDuration(deadline - now())} left`);
    }
  }

  return (event) => {
    switch (event.kind) {
      case 'read':
        failures = 0;
        return event.job.status === status ? logHeartbeat() : logStatus(event.job.status);
      case 'failed': {
        const detail = quote(event.detail, DETAIL_LIMIT);
        return logFailure(
          event.isLast ? `the last poll failed (${detail})` : `a poll failed (${detail}), retrying`,
        );
      }
      case 'paused': {
        const detail = quote(event.detail, DETAIL_LIMIT);
        return logFailure(
          `the service asked to wait (${detail}), next poll in ${formatDuration(event.delayMs)}`,
        );
      }
      case 'tick':
        return logHeartbeat();
    }
  };
}
