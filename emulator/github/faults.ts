/** A fault of a request to the stand-in for GitHub's REST API. */
export type Fault =
  /** No requests are left in this hour: `x-ratelimit-remaining: 0` and the time of the reset. */
  | { readonly kind: 'primary-rate-limit'; readonly resetInSeconds: number; readonly status?: 403 | 429 }
  /** Too many requests at once: `retry-after`, without a sign in `x-ratelimit-remaining`. */
  | { readonly kind: 'secondary-rate-limit'; readonly retryAfterSeconds: number; readonly status?: 403 | 429 }
  /** An error in the shape of the API, without a sign of a rate limit. */
  | { readonly kind: 'error'; readonly status: number; readonly message?: string }
  /** Any other response, such as JSON that ends too early. */
  | {
      readonly kind: 'written';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** `location` may be an address or a path: of this API, or of another origin. */
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 307 | 308; readonly location: string }
  /** `cut`: the connection ends in the middle of the response. */
  | { readonly kind: 'dropped'; readonly by: 'reset' | 'close' | 'cut' | 'silence' }
  /** The right response, but late. */
  | { readonly kind: 'slow'; readonly delayMs: number };

export interface FaultRule {
  /** Tested against the path and query of a request, as sent. */
  readonly path: RegExp;
  /** Without it, the rule applies to both methods. */
  readonly method?: 'GET' | 'POST';
  readonly fault: Fault;
  /** Whether the request takes effect anyway. Default: only if its response is dropped or delayed. */
  readonly takesEffect?: boolean;
  /** The numbers of the matching requests, from 1, since the rule was added. Default: all. */
  readonly calls?: readonly number[];
}

export interface FaultScript {
  add(rule: FaultRule): void;
  /** Counts a request in every rule for it, and returns the first rule that applies. */
  take(method: string, path: string): FaultRule | undefined;
}

export function createFaultScript(rules: readonly FaultRule[]): FaultScript {
  const counted = rules.map((rule) => ({ rule, count: 0 }));
  return {
    add(rule) {
      counted.push({ rule, count: 0 });
    },
    take(method, path) {
      const matching = counted.filter(
        ({ rule }) => path.search(rule.path) >= 0 && (rule.method ?? method) === method,
      );
      for (const entry of matching) entry.count += 1;
      return matching.find(({ rule: { calls }, count }) => calls?.includes(count) ?? true)?.rule;
    },
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
  const body = { message, ...(errors && { errors }), documentation_url: documentation, status: `${status}` };
  return { status, headers, body };
}

const limitsPage = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';

/** The response when there are too many requests. */
export function toSecondaryLimit(limit: Extract<Fault, { kind: 'secondary-rate-limit' }>): Answer {
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  const headers = { 'retry-after': `${limit.retryAfterSeconds}` };
  return toApiError(limit.status ?? 403, message, limitsPage, headers);
}

/** The response for a fault, or undefined if the connection is dropped or the response is only delayed. */
export function toFaultyAnswer(fault: Fault, nowMs: number): Answer | undefined {
  switch (fault.kind) {
    case 'primary-rate-limit': {
      const message = 'API rate limit exceeded for installation ID 1.';
      const resetAt = Math.ceil(nowMs / 1_000) + fault.resetInSeconds;
      const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${resetAt}` };
      return toApiError(fault.status ?? 403, message, limitsPage, headers);
    }
    case 'secondary-rate-limit':
      return toSecondaryLimit(fault);
    case 'error':
      return toApiError(fault.status, fault.message);
    case 'written':
      return { status: fault.status ?? 200, headers: fault.headers ?? {}, body: fault.body };
    case 'redirect': {
      const { status, location } = fault;
      const body = {
        message: 'Moved Permanently',
        url: location,
        documentation_url: 'https://docs.github.com/rest',
      };
      return { status, headers: { location }, body };
    }
    case 'dropped':
    case 'slow':
      return undefined;
  }
}
