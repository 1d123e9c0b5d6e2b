import { toTime } from './payloads.ts';
import type { CommitStatus, Repository } from './repository.ts';

/** Writes the commit statuses of some repositories, and knows which of them a list shows. */
export interface StatusLog {
  /** Adds a status with the next id. */
  add(
    repository: Repository,
    sha: string,
    status: Omit<CommitStatus, 'id' | 'createdAt'>,
  ): CommitStatus;
  /** Returns what a list shows now, by id. Every first page is a new read. */
  list(repository: Repository, sha: string, isFirstPage: boolean): CommitStatus[];
}

/** As on GitHub, ids don't fit into 32 bits. */
const LAST_ID = 38_000_000_000;

/**
 * Creates the log. A status that a client writes appears after this many reads, and a status of the
 * test at once.
 */
export function createStatusLog(
  repositories: Readonly<Record<string, Repository>>,
  delays: readonly number[] = [],
): StatusLog {
  const writes = new Map<CommitStatus, { readonly delay: number; reads: number }>();

  return {
    add(repository, sha, fields) {
      const all = Object.values(repositories).flatMap(({ statuses }) =>
        Object.values(statuses).flat(),
      );
      const id = Math.max(LAST_ID, ...all.map((status) => status.id)) + 1;
      const status = { ...fields, id, createdAt: toTime(Date.now()) };
      const delay = delays[writes.size] ?? delays.at(-1) ?? 0;
      writes.set(status, { delay, reads: 0 });
      repository.statuses[sha] ??= [];
      repository.statuses[sha].push(status);
      return status;
    },
    list({ statuses }, sha, isFirstPage) {
      const all = (statuses[sha] ?? []).toSorted((a, b) => a.id - b.id);
      const hidden = all.findIndex((status) => {
        const write = writes.get(status);
        return write !== undefined && write.reads < write.delay;
      });
      const shown = hidden >= 0 ? all.slice(0, hidden) : all;
      for (const write of all.map((status) => writes.get(status))) {
        if (write !== undefined && isFirstPage) write.reads += 1;
      }
      return shown;
    },
  };
}
