/** The three calls of the service. */
export type Call = 'create' | 'get' | 'follow-up';

/** The status of a job from `atSeconds` on. Before its first stage, it is `active`. */
export interface Stage {
  readonly atSeconds: number;
  readonly status: string;
  /** Shown only while the status is final, as the service documents. */
  readonly prLink?: string;
}

/** A response, or a reset instead of one. */
export type Reply =
  | {
      readonly kind: 'written';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'reset' };

/** A reply that doesn't follow from the rules of the service. */
export type Fault = Reply & {
  /** Whether a create request starts a job nevertheless. */
  readonly takesEffect?: boolean;
};

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
  /** The status of a response that a job was started. Default: 201. */
  readonly createdStatus?: number;
  /** Replace the same fields of every record of the project. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /**
   * The n-th one answers the n-th request, and the last one repeats. Create requests are counted
   * since the last job was started, polls since the start of the job or its last follow-up.
   */
  readonly replies?: Readonly<Partial<Record<'create' | 'get', readonly (Fault | 'proper')[]>>>;
}

/** Returns a response with JSON. */
export function toJson(
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): Reply & { readonly kind: 'written' } {
  return {
    kind: 'written',
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** Returns a response with plain text. */
export function toText(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Reply & { readonly kind: 'written' } {
  return { kind: 'written', status, headers: { 'content-type': 'text/plain', ...headers }, body };
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

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
