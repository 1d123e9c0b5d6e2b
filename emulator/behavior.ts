/** The three calls of the service. */
export type Call = 'create' | 'get' | 'follow-up';

/** A job record as it goes over the wire. */
export type JobRecord = Readonly<Record<string, unknown>>;

/** The status of a job from `atSeconds` on. Before its first stage, it is `active`. */
export interface Stage {
  readonly atSeconds: number;
  readonly status: string;
  /** Shown only while the status is final, as the service documents. */
  readonly prLink?: string;
}

interface Faulty {
  /** Whether a create request or follow-up takes effect although the response is a fault. */
  readonly takesEffect?: boolean;
}

/**
 * How a request is answered: as the service would, with a fixed response, or with a reset.
 */
export type Reply =
  | {
      readonly kind: 'proper';
      /** Default: 201 for a create request, 200 for the others. */
      readonly status?: number;
    }
  | (Faulty & {
      readonly kind: 'written';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
    })
  | (Faulty & { readonly kind: 'reset' });

/** A documentation project. Its id decides how the emulator behaves. */
export interface Project {
  readonly id: string;
  readonly description: string;
  /**
   * In order of time, counted from the create request or the last follow-up. Empty: active forever.
   */
  readonly stages: readonly Stage[];
  /** After this time, requests for the job get a 404. */
  readonly goneAtSeconds?: number;
  /** Replace the same fields of every record of the project. */
  readonly fields?: JobRecord;
  /**
   * The n-th reply answers the n-th request, and the last one repeats. Create requests are counted
   * since the last job was started, polls and follow-ups since the start of the job or its last
   * follow-up.
   */
  readonly replies?: Readonly<Partial<Record<Call, readonly Reply[]>>>;
}

/** The response by the service's rules. */
export const proper: Reply = { kind: 'proper' };

/** Returns a response in the service's error shape, `{"error": string}`. */
export function toJsonError(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Reply & { readonly kind: 'written' } {
  return {
    kind: 'written',
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ error }),
  };
}

/** Returns the HTML page that a gateway in front of the service shows when it gives up. */
export function toGatewayPage(status: number, title: string): Reply & { readonly kind: 'written' } {
  return {
    kind: 'written',
    status,
    headers: { 'content-type': 'text/html' },
    body: `<html>\n<head><title>${status} ${title}</title></head>\n<body><center><h1>${status} ${title}</h1></center></body>\n</html>\n`,
  };
}

/** A request that the service's rules refuse. The response is `{"error": message}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}
