import { isFinalStatus, type Job } from '../service/job.ts';
import type { PollEvent } from '../service/poll-job.ts';
import { formatDuration } from '../text/duration.ts';
import { type Message, message } from '../text/message.ts';

const HEARTBEAT_MS = 60_000;
/** Keeps the log short if the status or the health of the service keeps changing. */
const MAX_LINES = 20;

interface PollLogOptions {
  readonly getRemainingMs: () => number;
  readonly log: (line: Message) => void;
  /** The job that the log has already named, if the run has just created it. */
  readonly job: Job | undefined;
}

/**
 * Logs what changes during the wait: a new status, a new failure, each pause, and the first read
 * after a failure. After a minute without a line, logs a heartbeat.
 */
export class PollLog {
  readonly #options: PollLogOptions;
  #status: string | undefined;
  /** The latest failure since the last successful poll. */
  #failure: string | undefined;
  /** The number of failures since then. */
  #failures = 0;
  #lines = 0;
  /** The time that was left when the last line was logged. */
  #remainingMsAtLine: number;

  constructor(options: PollLogOptions) {
    const { job } = options;
    this.#options = options;
    this.#remainingMsAtLine = options.getRemainingMs();
    if (job !== undefined) {
      // A new job is active, so only another status is news.
      this.#status = 'active';
      this.onEvent({ kind: 'read', job });
    }
  }

  onEvent(event: PollEvent): void {
    const line = this.#describe(event);
    if (line !== undefined) {
      this.#lines += 1;
    }
    if (line !== undefined && this.#lines <= MAX_LINES) {
      this.#log(line);
    } else if (this.#getSilentMs() >= HEARTBEAT_MS) {
      this.#log(this.#describeWait());
    }
  }

  /** Returns the time since the last line. */
  #getSilentMs(): number {
    return this.#remainingMsAtLine - this.#options.getRemainingMs();
  }

  #log(line: Message): void {
    this.#remainingMsAtLine = this.#options.getRemainingMs();
    this.#options.log(line);
  }

  /** Returns the line for an event, or undefined if there is nothing to log. */
  #describe(event: PollEvent): Message | undefined {
    switch (event.kind) {
      case 'tick':
        return undefined;
      case 'read':
        return this.#describeRead(event.job);
      case 'paused':
        this.#countFailure(event.detail);
        return message`pausing (${event.detail}), next poll in ${formatDuration(event.delayMs)}`;
      case 'failed': {
        const isRepeated = event.detail === this.#failure;
        this.#countFailure(event.detail);
        if (event.isLast) {
          return message`the last poll failed (${event.detail})`;
        }
        return isRepeated ? undefined : message`a poll failed (${event.detail}), retrying`;
      }
    }
  }

  #describeRead({ status }: Job): Message | undefined {
    const isNews = status !== this.#status || this.#failure !== undefined;
    this.#status = status;
    this.#failure = undefined;
    this.#failures = 0;
    if (!isNews) {
      return undefined;
    }
    const isKnown = status === 'active' || isFinalStatus(status);
    return isKnown
      ? message`status ${status}`
      : message`status ${status}, which this version doesn't recognize; still waiting`;
  }

  #countFailure(detail: string): void {
    this.#failure = detail;
    this.#failures += 1;
  }

  #describeWait(): Message {
    const left = formatDuration(this.#options.getRemainingMs());
    if (this.#failures === 1) {
      return message`the last poll failed, ${left} left`;
    }
    if (this.#failures > 1) {
      return message`the last ${String(this.#failures)} polls failed, ${left} left`;
    }
    return this.#status === undefined
      ? message`no status yet, ${left} left`
      : message`still ${this.#status}, ${left} left`;
  }
}
