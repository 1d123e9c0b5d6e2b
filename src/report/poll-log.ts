import { isFinalStatus } from '../service/job.ts';
import type { PollEvent } from '../service/poll-job.ts';
import { formatDuration } from '../text/duration.ts';
import { code, type Message, message } from '../text/message.ts';

const HEARTBEAT_MS = 60_000;
/** Keeps the log short if the status or the health of the service keeps changing. */
const MAX_LINES = 20;

export type OnPollEvent = (event: PollEvent) => void;

/**
 * Returns a handler that logs status changes and failures, and a heartbeat after a minute without a
 * line.
 */
export function createPollLog(
  getRemainingMs: () => number,
  log: (line: Message) => void,
  warn: (title: string, text: Message) => void,
  loggedStatus: string | undefined,
): OnPollEvent {
  let status = loggedStatus;
  /** Failures since the last successful poll. */
  let failures = 0;
  let lines = 0;
  let hasUnknownStatus = false;
  let remainingMsAtLine = getRemainingMs();

  /** Returns the line for an event, or undefined if there is nothing to log. */
  function describe(event: PollEvent): Message | undefined {
    if (event.kind === 'tick') {
      return undefined;
    }
    if (event.kind === 'read') {
      const isNew = event.job.status !== status;
      failures = 0;
      status = event.job.status;
      return isNew ? message`status ${status}` : undefined;
    }
    failures += 1;
    if (event.kind === 'paused') {
      return message`pausing (${event.detail}), next poll in ${formatDuration(event.delayMs)}`;
    }
    return event.isLast
      ? message`the last poll failed (${event.detail})`
      : message`a poll failed (${event.detail}), retrying`;
  }

  function describeWait(): Message {
    const known = status === undefined ? message`no status yet` : message`still ${status}`;
    const shown = failures === 0 ? known : message`the last ${String(failures)} polls failed`;
    return message`${shown}, ${formatDuration(getRemainingMs())} left`;
  }

  return (event: PollEvent): void => {
    const line = describe(event);
    lines += line === undefined ? 0 : 1;
    const isShown = line !== undefined && lines <= MAX_LINES;
    if (isShown || remainingMsAtLine - getRemainingMs() >= HEARTBEAT_MS) {
      remainingMsAtLine = getRemainingMs();
      log(isShown ? line : describeWait());
    }
    if (
      status !== undefined &&
      status !== 'active' &&
      !isFinalStatus(status) &&
      !hasUnknownStatus
    ) {
      hasUnknownStatus = true;
      const text = message`The service returned the status ${status}, which this version of the
        action does not know. It still waits for ${code('completed')}, ${code('archived')}, or
        ${code('failed')}.`;
      warn('Documentation job has an unknown status', text);
    }
  };
}
