import { toTime } from './payloads.ts';
import type { CommitStatus, Repository } from './repository.ts';

/** How lists lag behind the writes of clients. Statuses of the test show at once. */
export interface StatusDelay {
  /** What is counted until a status shows: lists of its commit that do not show it, or milliseconds. */
  readonly unit: 'reads' | 'milliseconds';
  /** The delays of the first write, the second one, and so on. The last delay applies to all later writes. */
  readonly delays: readonly number[];
  /** `ordered`: a list that shows a write also shows all earlier ones. */
  readonly order: 'ordered' | 'unordered';
}

/** Writes the commit statuses of some repositories, and knows which of them a list shows. */
export interface StatusLog {
  /** Adds a status with the next id. */
  add(repository: Repository, sha: string, status: Omit<CommitStatus, 'id' | 'createdAt'>): CommitStatus;
  /** Returns what a list shows now, by id. Every first page is a new read. */
  list(repository: Repository, sha: string, isFirstPage: boolean): CommitStatus[];
}

/** As in GitHub, ids do not fit into 32 bits. */
const LAST_ID = 38_000_000_000;

export function createStatusLog(
  repositories: Readonly<Record<string, Repository>>,
  { unit, delays, order }: StatusDelay = { unit: 'reads', delays: [], order: 'ordered' },
): StatusLog {
  const writes = new Map<CommitStatus, { readonly atMs: number; readonly delay: number; reads: number }>();

  function isShown(status: CommitStatus): boolean {
    const write = writes.get(status);
    if (write === undefined) return true;
    return (unit === 'reads' ? write.reads : Date.now() - write.atMs) >= write.delay;
  }

  return {
    add(repository, sha, fields) {
      const all = Object.values(repositories).flatMap(({ statuses }) => Object.values(statuses).flat());
      const id = Math.max(LAST_ID, ...all.map((status) => status.id)) + 1;
      const status = { ...fields, id, createdAt: toTime(Date.now()) };
      const delay = delays[writes.size] ?? delays.at(-1) ?? 0;
      writes.set(status, { atMs: Date.now(), delay, reads: 0 });
      repository.statuses[sha] ??= [];
      repository.statuses[sha].push(status);
      return status;
    },
    list({ statuses }, sha, isFirstPage) {
      const all = (statuses[sha] ?? []).toSorted((a, b) => a.id - b.id);
      const hidden = order === 'ordered' ? all.findIndex((status) => !isShown(status)) : -1;
      const shown = hidden >= 0 ? all.slice(0, hidden) : all.filter(isShown);
      for (const write of all.map((status) => writes.get(status))) {
        if (write !== undefined && isFirstPage) write.reads += 1;
      }
      return shown;
    },
  };
}
