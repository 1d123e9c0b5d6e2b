import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Cancellation, listenForCancel } from '../../../src/runner/signals.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const;
const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));

afterEach(() => {
  vi.useRealTimers();
  for (const signal of signals) {
    for (const listener of process
      .listeners(signal)
      .filter((added) => !before.get(signal)?.includes(added))) {
      process.removeListener(signal, listener);
    }
  }
});

/** Calls the listeners that `listenForCancel` added, as a signal would. */
function raise(signal: (typeof signals)[number]): void {
  for (const listener of process.listeners(signal).filter((added) => !before.get(signal)?.includes(added))) {
    listener(signal);
  }
}

function show({ cancel, forceCancel }: Cancellation): [boolean, boolean] {
  return [cancel.aborted, forceCancel.aborted];
}

describe('listenForCancel', () => {
  it.each(signals)('cancels at the first %s, and by force at the second', (signal) => {
    const cancellation = listenForCancel();
    expect(show(cancellation)).toEqual([false, false]);
    raise(signal);
    expect(show(cancellation)).toEqual([true, false]);
    raise('SIGTERM');
    expect(show(cancellation)).toEqual([true, true]);
    cancellation.dispose();
  });

  it('cancels by force five seconds after the first signal', () => {
    vi.useFakeTimers();
    const cancellation = listenForCancel();
    raise('SIGINT');
    vi.advanceTimersByTime(4_999);
    expect(show(cancellation)).toEqual([true, false]);
    vi.advanceTimersByTime(1);
    expect(show(cancellation)).toEqual([true, true]);
  });

  it('ends everything when it is disposed of, and leaves no timer', () => {
    vi.useFakeTimers();
    const cancellation = listenForCancel();
    raise('SIGINT');
    cancellation.dispose();
    expect(show(cancellation)).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
    raise('SIGINT');
    expect(show(cancellation)).toEqual([true, true]);
  });
});
