// actions/runner sends SIGTERM 7.5 s after SIGINT (ProcessInvoker.cs).
const GRACE_MS = 5_000;

/** Cancels at the runner's first signal, and by force at its second one or after five seconds. */
export function listenForCancel() {
  const cancel = new AbortController();
  const forceCancel = new AbortController();
  // On Windows, the runner sends SIGINT and SIGBREAK.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const) {
    process.on(signal, () => {
      const next = cancel.signal.aborted ? forceCancel : cancel;
      next.abort();
      // A response that has already arrived is still read, even after the process was suspended.
      setTimeout(() => setImmediate(() => forceCancel.abort()), GRACE_MS).unref();
    });
  }
  return {
    cancel: cancel.signal,
    forceCancel: forceCancel.signal,
    /** Aborts everything that is still running. */
    abortAll(): void {
      cancel.abort();
      forceCancel.abort();
    },
  };
}

/** Rejects with an uncaught error or rejection, or when the process would exit without a result. */
export function waitForUncaughtError(): Promise<never> {
  return new Promise((_, reject) => {
    process.on('uncaughtException', reject);
    process.on('unhandledRejection', reject);
    process.on('beforeExit', () => reject(new Error('the run stopped without a result')));
  });
}
