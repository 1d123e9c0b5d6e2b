import type { Message } from './text/message.ts';

/**
 * What has to change. `secret`: a secret or variable, which a re-run reads again. `no-secrets`: the
 * event, because such runs get none. `workflow`: anything else.
 */
export type InputErrorKind = 'workflow' | 'secret' | 'no-secrets';

/** Lists all problems with the inputs, each as a sentence that names the input and the remedy. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly problems: readonly Message[];
  readonly kind: InputErrorKind;

  constructor(problems: readonly Message[], kind: InputErrorKind = 'workflow') {
    super('invalid inputs');
    this.problems = problems;
    this.kind = kind;
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
