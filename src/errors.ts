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
  'job-lost',
  'job-failed',
  'timed-out',
  'cancelled',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The codes of a run that surely started nothing. */
export type StartFailureCode = Exclude<
  ErrorCode,
  'start-unknown' | 'job-lost' | 'job-failed' | 'timed-out' | 'cancelled'
>;

/** A failure before anything was sent, reported once by main. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly code: StartFailureCode;

  constructor(code: StartFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The text of anything that was thrown; never throws itself. */
export function toErrorText(error: unknown): string {
  if (error instanceof Error) {
    return error.message || error.name;
  }
  try {
    return String(error);
  } catch {
    return 'unknown error';
  }
}
