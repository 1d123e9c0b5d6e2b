import type { Message } from './text/message.ts';

/** Lists all problems with the inputs, each as a sentence that names the input and the remedy. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly problems: readonly Message[];

  constructor(problems: readonly Message[]) {
    super('invalid inputs');
    this.problems = problems;
  }
}

/** Returns the text of anything that was thrown; never throws itself. */
export function getErrorText(error: unknown): string {
  if (error instanceof Error) {
    return error.message || error.name;
  }
  return undefinedIfThrown(() => String(error)) ?? 'unknown error';
}

/** Returns what a function returns, or undefined if it throws. */
export function undefinedIfThrown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
