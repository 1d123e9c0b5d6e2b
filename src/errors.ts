import type { Message } from './text/message.ts';

/** The stable values of the output `error-code`, as the README lists them. */
export const ERROR_CODES = [
  'invalid-input',
  'unwritable-output',
  'connect-failed',
  'tls-failed',
  'proxy-refused',
  'bad-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'redirected',
  'start-unknown',
  'reuse-unknown',
  'job-lost',
  'job-failed',
  'timed-out',
  'cancelled',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The codes of a create or follow-up that surely had no effect. */
export type NotStartedCode = Exclude<
  ErrorCode,
  'invalid-input' | 'start-unknown' | 'reuse-unknown' | 'job-lost' | 'job-failed' | 'timed-out' | 'cancelled'
>;

/** A failure before anything was sent. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly code: NotStartedCode;

  constructor(code: NotStartedCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Everything that is wrong with the inputs, as sentences that name the input and the remedy. */
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
  try {
    return String(error);
  } catch {
    return 'unknown error';
  }
}
