/** What happens to a request to the stand-in. */
export type Fault =
  /** An answer in place of the right one. The request takes no effect. */
  | Answer
  | ((path: string) => Answer)
  /** The request takes no effect, and never gets a response. */
  | 'dropped'
  /** The request takes effect, but never gets a response. */
  | 'lost'
  /** The request takes effect, but then its connection is reset. */
  | 'reset'
  /** The right response, whatever later rules say. */
  | 'none';

export interface FaultRule {
  /** Tested against the path and query of a request, as sent. */
  readonly path: RegExp;
  /** Without it, the rule applies to both methods. */
  readonly method?: 'GET' | 'POST';
  /** Tested against the body, once it has arrived and no rule without one applies. */
  readonly body?: RegExp;
  readonly fault: Fault;
  /** The numbers of the matching requests, from 1. Default: all. */
  readonly calls?: readonly number[];
  /** How long the rule applies after its first request, in milliseconds. Default: forever. */
  readonly forMs?: number;
}

/**
 * Returns a function that counts a request in every rule for it, and returns the fault of the first
 * rule that applies. It is called before the body has arrived, and then with it.
 */
export function createFaultScript(rules: readonly FaultRule[]) {
  const counted = rules.map((rule) => ({ rule, count: 0, endsAt: Number.POSITIVE_INFINITY }));
  return (method: string, path: string, body?: string) => {
    const matching = counted.filter(({ rule }) => {
      const isOfPath = rule.path.test(path) && (rule.method ?? method) === method;
      return (
        isOfPath && (rule.body === undefined ? body === undefined : rule.body.test(body ?? ''))
      );
    });
    for (const entry of matching) {
      entry.count += 1;
      if (entry.count === 1 && entry.rule.forMs !== undefined) {
        entry.endsAt = performance.now() + entry.rule.forMs;
      }
    }
    const found = matching.find(
      ({ rule: { calls }, count, endsAt }) =>
        (calls?.includes(count) ?? true) && performance.now() < endsAt,
    );
    const fault = found?.rule.fault;
    return typeof fault === 'function' ? fault(path) : fault;
  };
}

export interface Answer {
  readonly status: number;
  /** A string is written unchanged, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error in the form of the API. It has no sign of a rate limit. */
export function toApiError(status: number, message = 'Server Error', api = 'rest'): Answer {
  return { status, body: { message, documentation_url: `https://docs.github.com/${api}` } };
}

/** A limit of writes, which lasts for some seconds. */
export function toLimit(seconds: number): Answer {
  const error = toApiError(403, 'You have exceeded a secondary rate limit');
  return { ...error, headers: { 'retry-after': String(seconds) } };
}

/** What GitHub says of a query that it can't answer. Such an answer has the status 200. */
export function toQueryError(message: string, type?: string, headers = {}): Answer {
  const error = type === undefined ? { message } : { type, message };
  return { status: 200, body: { data: null, errors: [error] }, headers };
}
