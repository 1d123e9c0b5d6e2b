/**
 * A fault of a request to the stand-in. A request takes effect only if its response is late or lost.
 */
export type Fault =
  /** An error in the shape of the API, without a sign of a rate limit. */
  | { readonly kind: 'error'; readonly status: number; readonly message?: string }
  /** A limit of writes, which lasts for some seconds. */
  | { readonly kind: 'limit'; readonly seconds: number }
  /** Any other response, such as a page. */
  | ({ readonly kind: 'written'; readonly body: string } & Omit<Answer, 'body'>)
  /** A redirect to the same path, by default of the same origin. */
  | { readonly kind: 'moved'; readonly status: number; readonly origin?: string }
  /** The request never gets a response. */
  | { readonly kind: 'dropped' }
  /** The request takes effect, but then its connection is reset, or it never gets a response. */
  | { readonly kind: 'lost'; readonly isReset: boolean }
  /** The right response, but late. */
  | { readonly kind: 'slow'; readonly delayMs: number };

export interface FaultRule {
  /** Tested against the path and query of a request, as sent. */
  readonly path: RegExp;
  /** Without it, the rule applies to both methods. */
  readonly method?: 'GET' | 'POST';
  readonly fault: Fault;
  /** The numbers of the matching requests, from 1. Default: all. */
  readonly calls?: readonly number[];
  /** How long the rule applies after its first request, in milliseconds. Default: forever. */
  readonly forMs?: number;
}

/**
 * Returns a function that counts a request in every rule for it, and returns the fault of the first
 * rule that applies.
 */
export function createFaultScript(rules: readonly FaultRule[]) {
  const counted = rules.map((rule) => ({ rule, count: 0, endsAt: Number.POSITIVE_INFINITY }));
  return (method: string, path: string): Fault | undefined => {
    const matching = counted.filter(
      ({ rule }) => rule.path.test(path) && (rule.method ?? method) === method,
    );
    for (const entry of matching) {
      entry.count += 1;
      if (entry.count === 1 && entry.rule.forMs !== undefined) {
        entry.endsAt = performance.now() + entry.rule.forMs;
      }
    }
    return matching.find(
      ({ rule: { calls }, count, endsAt }) =>
        (calls?.includes(count) ?? true) && performance.now() < endsAt,
    )?.rule.fault;
  };
}

export interface Answer {
  readonly status: number;
  /** A string is written unchanged, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error in the form of the API. */
export function toApiError(status: number, message = 'Server Error', api = 'rest'): Answer {
  return { status, body: { message, documentation_url: `https://docs.github.com/${api}` } };
}

/** The response for a fault, or undefined if there is none or it is only late. */
export function toFaultyAnswer(fault: Fault, path: string): Answer | undefined {
  if (fault.kind === 'error') {
    return toApiError(fault.status, fault.message);
  }
  if (fault.kind === 'limit') {
    const headers = { 'retry-after': String(fault.seconds) };
    return { ...toApiError(403, 'You have exceeded a secondary rate limit'), headers };
  }
  if (fault.kind === 'moved') {
    const headers = { location: `${fault.origin ?? ''}${path}` };
    return { ...toApiError(fault.status, 'Moved Permanently'), headers };
  }
  return fault.kind === 'written' ? fault : undefined;
}
