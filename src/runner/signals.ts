import type { RunContext } from '../clock.ts';

/** The two stages of a canceled step: the first signal, then the second one, or five seconds later. */
export interface Cancellation extends Pick<RunContext, 'cancel' | 'forceCancel'> {
  /** Ends everything that still runs. Later signals have no effect. */
  dispose(): void;
}

// actions/runner sends SIGTERM 7.5 s after SIGINT (ProcessInvoker.cs).
const GRACE_MS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const;

/** Listens for the signals with which a runner cancels a step; on Windows these are SIGINT and SIGBREAK. */
export function listenForCancel(): Cancellation {
  const cancel = new AbortController();
  const forceCancel = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (): void => {
    if (cancel.signal.aborted) {
      forceCancel.abort();
      return;
    }
    cancel.abort();
    timer = setTimeout(() => forceCancel.abort(), GRACE_MS);
  };
  for (const signal of SIGNALS) {
    process.on(signal, onSignal);
  }
  return {
    cancel: cancel.signal,
    forceCancel: forceCancel.signal,
    dispose() {
      clearTimeout(timer);
      cancel.abort();
      forceCancel.abort();
    },
  };
}

/** Rejects with an error that nothing handled, or if the process is about to exit without a result. */
export function waitForUncaughtError(): Promise<never> {
  return new Promise((_, reject) => {
    process.on('uncaughtException', reject);
    process.on('unhandledRejection', reject);
    process.on('beforeExit', () => reject(new Error('the run stopped without a result')));
  });
}
