import { afterEach, describe, expect, it, vi } from 'vitest';
import { listenForCancel } from '../../../src/runner/signals.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const;
type Signal = (typeof signals)[number];
const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
/** The listeners that `listenForCancel` added. */
const getAdded = (signal: Signal) =>
  process.listeners(signal).filter((listener) => !before.get(signal)?.includes(listener));

afterEach(() => {
  vi.useRealTimers();
  for (const signal of signals) {
    for (const listener of getAdded(signal)) process.removeListener(signal, listener);
  }
});

function raise(signal: Signal): void {
  for (const listener of getAdded(signal)) listener(signal);
}

function show({ cancel, forceCancel }: ReturnType<typeof listenForCancel>): [boolean, boolean] {
  return [cancel.aborted, forceCancel.aborted];
}

describe('listenForCancel', () => {
  it.each(signals)('cancels at the first %s, and by force at the second signal', (signal) => {
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
    vi.runOnlyPendingTimers();
    expect(show(cancellation)).toEqual([true, true]);
  });

  it('cancels by force on disposal', () => {
    vi.useFakeTimers();
    const cancellation = listenForCancel();
    raise('SIGINT');
    cancellation.dispose();
    expect(show(cancellation)).toEqual([true, true]);
    raise('SIGINT');
    expect(show(cancellation)).toEqual([true, true]);
  });
});
