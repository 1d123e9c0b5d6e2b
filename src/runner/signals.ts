/** The two stages of a cancelled step, as abort signals. */
export interface Cancellation {
  /** The first signal: nothing new is begun, and every sleep and get ends. */
  readonly cancel: AbortSignal;
  /** The second signal, or five seconds after the first: a create under way is given up, too. */
  readonly abandon: AbortSignal;
  /** Ends whatever still goes on; a signal that comes later changes nothing. */
  abort(): void;
}

// Of the 7.5 s that actions/runner leaves between SIGINT and SIGTERM (ProcessInvoker.cs).
const GRACE_MS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const;

/** Listens for the signals with which a runner cancels a step; on Windows these are SIGINT and SIGBREAK. */
export function listenForCancel(): Cancellation {
  const cancel = new AbortController();
  const abandon = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (): void => {
    if (cancel.signal.aborted) {
      abandon.abort();
      return;
    }
    cancel.abort();
    timer = setTimeout(() => abandon.abort(), GRACE_MS);
  };
  for (const signal of SIGNALS) {
    process.on(signal, onSignal);
  }
  return {
    cancel: cancel.signal,
    abandon: abandon.signal,
    abort() {
      clearTimeout(timer);
      cancel.abort();
      abandon.abort();
    },
  };
}
