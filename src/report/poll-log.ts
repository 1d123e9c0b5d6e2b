import { isFinalStatus } from '../service/job.ts';
import type { PollEvent } from '../service/poll-job.ts';
import { formatDuration } from '../text/duration.ts';
import { quote } from '../text/sanitize.ts';

const HEARTBEAT_MS = 60_000;
const MAX_FAILURE_LINES = 9;
const DETAIL_LIMIT = 200;

interface PollLogOptions {
  /** Returns the milliseconds until the run gives up. */
  readonly getRemainingMs: () => number;
  /** Last status logged; undefined before the first one. */
  readonly status: string | undefined;
  readonly log: (text: string) => void;
  readonly onUnknownStatus: (status: string) => void;
}

/** Returns a handler that logs status changes, the first failures, and a heartbeat every minute. */
export function createPollLog({ getRemainingMs, ...options }: PollLogOptions): (event: PollEvent) => void {
  let { status } = options;
  /** Failures since the last successful poll. */
  let failures = 0;
  let failureLines = 0;
  let hasUnknownStatus = false;
  let remainingMsAtLine = getRemainingMs();

  function log(text: string): void {
    remainingMsAtLine = getRemainingMs();
    options.log(text);
  }

  function logFailure(what: string, detail: string, then: string): void {
    failures += 1;
    failureLines += 1;
    if (failureLines <= MAX_FAILURE_LINES) {
      log(`${what} (${quote(detail, DETAIL_LIMIT)})${then}`);
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
    if (remainingMsAtLine - getRemainingMs() >= HEARTBEAT_MS) {
      const known = status === undefined ? 'no status yet' : `still ${quote(status, DETAIL_LIMIT)}`;
      const shown = failures === 0 ? known : `the last ${failures} polls failed`;
      log(`${shown}, ${formatDuration(getRemainingMs())} left`);
    }
  }

  return (event) => {
    switch (event.kind) {
      case 'read':
        failures = 0;
        return event.job.status === status ? logHeartbeat() : logStatus(event.job.status);
      case 'failed':
        return event.isLast
          ? logFailure('the last poll failed', event.detail, '')
          : logFailure('a poll failed', event.detail, ', retrying');
      case 'paused':
        return logFailure('pausing', event.detail, `, next poll in ${formatDuration(event.delayMs)}`);
      case 'tick':
        return logHeartbeat();
    }
  };
}
