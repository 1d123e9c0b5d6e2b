import type { Addresses } from './payloads.ts';
import type { Repository } from './repository.ts';
import type { StatusLog } from './status-log.ts';

export type Permission = 'contents' | 'pull-requests' | 'statuses';

/** The permissions of a token, as in a workflow. `write` includes `read`. */
export type Permissions = Readonly<Partial<Record<Permission, 'read' | 'write'>>>;

/**
 * Whose API the commit statuses follow. Gitea's differs in its pages, order, fields, and errors.
 */
export type Dialect = 'github' | 'gitea';

/**
 * An endpoint: the permission that it needs, and its response. A `POST` needs `write`, all others
 * need `read`.
 */
export interface Endpoint {
  /** Name in GitHub's API description. */
  readonly operation: string;
  /** Page about it, below `https://docs.github.com/rest/`. */
  readonly documentation: string;
  readonly permission: Permission;
  /** Default: `GET`. */
  readonly method?: 'POST';
  /** Of the path below the repository, decoded. */
  readonly pattern: RegExp;
  /** Undefined if there is no such item. `groups` are the groups of the pattern. */
  readonly answer: (request: ApiRequest, ...groups: string[]) => Payload | Problem | undefined;
}

export interface ApiRequest {
  readonly repository: Repository;
  readonly addresses: Addresses;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly statuses: StatusLog;
  readonly dialect: Dialect;
}

export interface Payload {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An error of the request. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly errors?: readonly unknown[];
}
