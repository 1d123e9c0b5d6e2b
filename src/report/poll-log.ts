import { isKnownStatus } from '../job/job.ts';
import type { PollEvent } from '../job/poll-job.ts';
import { formatDuration } from '../text/duration.ts';
import { quote } from '../text/sanitize.ts';

const HEARTBEAT_MS = 60_000;
const MAX_FAILURE_LINES = 9;
const MAX_STATUS_LINES = 40;
const DETAIL_LIMIT = 200;

export interface PollLogOptions {
  readonly now: () => number;
  /** Instant at which the run gives up. */
  readonly deadline: number;
  /** Status of the job as the create returned it. */
  readonly status: string | undefined;
  readonly log: (text: string) => void;
  readonly onUnknownStatus: (status: string) => void;
}

/** Returns a handler that makes few lines of many events: one for each change, failures up to a limit, a heartbeat a minute. */
export function createPollLog(options: PollLogOptions): (event: PollEvent) => void {
  const { now, deadline, onUnknownStatus } = options;
  let status = '';
  let statusLines = 0;
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
    statusLines += 1;
    if (statusLines <= MAX_STATUS_LINES) {
      log(`status ${quote(next, DETAIL_LIMIT)}`);
    }
    if (!hasUnknownStatus && !isKnownStatus(next)) {
      hasUnknownStatus = true;
      onUnknownStatus(next);
    }
  }

  function logHeartbeat(): void {
    if (now() - quietSince >= HEARTBEAT_MS) {
      const shown = status === '' ? 'no status yet' : `still ${quote(status, DETAIL_LIMIT)}`;
      log(`${shown}, ${formatDuration(deadline - now())} left`);
    }
  }

  if (options.status === 'active') {
    status = options.status;
  } else if (options.status !== undefined) {
    logStatus(options.status);
  }

  return (event) => {
    switch (event.kind) {
      case 'read':
        if (failures > 0 && failureLines <= MAX_FAILURE_LINES) {
          log(`polling recovered after ${failures} ${failures === 1 ? 'failure' : 'failures'}`);
        }
        failures = 0;
        if (event.job.status === status) {
          logHeartbeat();
        } else {
          logStatus(event.job.status);
        }
        return;
      case 'failed': {
        const detail = quote(event.detail, DETAIL_LIMIT);
        logFailure(event.isLast ? `the last poll failed (${detail})` : `a poll failed (${detail}), retrying`);
        return;
      }
      case 'paused':
        logFailure(
          `the service asked to wait (${quote(event.detail, DETAIL_LIMIT)}), next poll in ${formatDuration(event.delayMs)}`,
        );
        return;
      case 'tick':
        logHeartbeat();
        return;
    }
  };
}
