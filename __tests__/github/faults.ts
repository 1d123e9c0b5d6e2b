/** A fault of a request to the stand-in for GitHub's REST API. */
export type Fault =
  /** An error in the shape of the API, without a sign of a rate limit. */
  | { readonly kind: 'error'; readonly status: number; readonly message?: string }
  /** Any other response, such as JSON that ends too early. */
  | { readonly kind: 'written'; readonly status?: number; readonly body: string }
  /** A secondary rate limit, which asks to wait. */
  | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number }
  /** The request never gets a response. */
  | { readonly kind: 'dropped' }
  /** The right response, but late. */
  | { readonly kind: 'slow'; readonly delayMs: number };

export interface FaultRule {
  /** Tested against the path and query of a request, as sent. */
  readonly path: RegExp;
  /** Without it, the rule applies to both methods. */
  readonly method?: 'GET' | 'POST';
  readonly fault: Fault;
  /**
   * Whether the request takes effect anyway. Default: only if its response is dropped or delayed.
   */
  readonly takesEffect?: boolean;
  /** The numbers of the matching requests, from 1. Default: all. */
  readonly calls?: readonly number[];
}

/**
 * Returns a function that counts a request in every rule for it, and returns the first rule that
 * applies.
 */
export function createFaultScript(rules: readonly FaultRule[]) {
  const counted = rules.map((rule) => ({ rule, count: 0 }));
  return (method: string, path: string): FaultRule | undefined => {
    const matching = counted.filter(
      ({ rule }) => path.search(rule.path) >= 0 && (rule.method ?? method) === method,
    );
    for (const entry of matching) entry.count += 1;
    return matching.find(({ rule: { calls }, count }) => calls?.includes(count) ?? true)?.rule;
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A string is written unchanged, anything else as JSON. */
  readonly body: unknown;
}

const messages: Readonly<Record<number, string>> = {
  401: 'Bad credentials',
  403: 'Resource not accessible by integration',
  404: 'Not Found',
  502: 'Server Error',
  503: 'Service Unavailable',
};

/** An error in the form of the API. */
export function toApiError(
  status: number,
  message = messages[status] ?? 'Server Error',
  documentation = 'https://docs.github.com/rest',
  headers: Readonly<Record<string, string>> = {},
  errors?: readonly unknown[],
): Answer {
  const body = {
    message,
    ...(errors && { errors }),
    documentation_url: documentation,
    status: `${status}`,
  };
  return { status, headers, body };
}

/** The response for a fault, or undefined if there is none or it is only delayed. */
export function toFaultyAnswer(fault: Fault): Answer | undefined {
  switch (fault.kind) {
    case 'error':
      return toApiError(fault.status, fault.message);
    case 'rate-limited':
      return toApiError(403, 'You have exceeded a secondary rate limit', undefined, {
        'retry-after': String(fault.retryAfterSeconds),
      });
    case 'written':
      return { status: fault.status ?? 200, headers: {}, body: fault.body };
    case 'dropped':
    case 'slow':
      return undefined;
  }
}
