import * as z from 'zod/mini';
import type { GitHubApi } from '../github/api.ts';
import { isJobId } from '../service/job.ts';
import { truncate } from '../text/sanitize.ts';

const text = (pattern: RegExp) => z.string().check(z.regex(pattern));
const number = (pattern: RegExp) => z.pipe(text(pattern), z.transform(Number));
const hash = text(/^[0-9a-f]{32}$/);
const nonce = text(/^[0-9a-f]{16}$/);
const shared = {
  /** Identifies the task. See `getFingerprint`. */
  fingerprint: hash,
  runId: number(/^[1-9]\d{0,14}$/),
  /** With a series: a hash of `paths`. Undefined without patterns. */
  paths: z.optional(hash),
  /** The job of a claim, or the last job before a mark, whose pull request may still be open. */
  jobId: z.optional(z.string().check(z.refine(isJobId))),
  /** With a series: where the changes of the run began, if they may still be to be done. */
  since: z.optional(text(/^[0-9a-f]{40,64}$/)),
  /** With a series: set if no record was found, so that what is before may not be done. */
  guess: z.optional(z.literal('yes')),
};
const entrySchema = z
  .object({
    ...shared,
    /** A random number that tells the claims of one attempt apart. */
    nonce,
    attempt: number(/^[1-9]\d{0,5}$/),
    /** Whether the claims of all runs matter to this one, or only those of its own run. */
    scope: z.enum(['rerun', 'release']),
    /** The nonce of the claim of the newest job before this claim was written. It had failed. */
    after: z.optional(nonce),
    /** Set if the changes begin at the last job. See `getSeries`. */
    series: z.optional(hash),
    state: z.enum(['starting', 'released', 'job']),
  })
  .check(z.refine(({ state, jobId }) => (state === 'job') === (jobId !== undefined)));
const markSchema = z.object({
  ...shared,
  series: hash,
  state: z.literal('mark'),
});
const fieldsSchema = z.union([entrySchema, markSchema]);
const pointerSchema = z.object({
  fingerprint: hash,
  runId: shared.runId,
  state: z.literal('elsewhere'),
  /** See `hashTag`. */
  tag: hash,
  /** The commit of its tag. */
  commit: text(/^[0-9a-f]{40,64}$/),
});
/** A claim of a run that has read others knows more than belongs into a link. */
const FIELDS = Object.keys({ ...entrySchema.shape, ...markSchema.shape, ...pointerSchema.shape });

/**
 * The machine-readable part of a commit status: one attempt's claim to start a job. `starting`: a
 * create request may follow, or may have been sent. `released`: no job was started. `job`: `jobId`
 * was started.
 */
export type Entry = Readonly<z.output<typeof entrySchema>>;

/** Of a run that started no job: the changes of the next one begin at its commit, or at `since`. */
export type Mark = Readonly<z.output<typeof markSchema>>;

/** On the commit of a run: where the record of another tag is, because the tag may move. */
export type Pointer = Readonly<z.output<typeof pointerSchema>>;

interface Recorded {
  /** When GitHub took it, in milliseconds since 1970. */
  readonly atMs?: number | undefined;
}

/** An entry with the id of its status. Newer statuses have higher ids. */
export interface RecordedEntry extends Entry, Recorded {
  readonly id: number;
}

export type RecordedMark = Mark & Recorded;

/** A pointer with the id of its status. */
export type RecordedPointer = Pointer & { readonly id: number };

const NAME = 'docs-agent-job';
const VERSION = 'v7';
const MAX_DESCRIPTION = 140;
const PAGE_SIZE = 100;
/** Gitea's pages may be shorter than requested. One with fewer statuses than this is the last. */
const MIN_PAGE_SIZE = 10;

/**
 * Writes an entry as a status of the commit. Its link opens `page`, and its fragment holds the
 * entry in a wire format: change the version first. The state is always `success`, because any
 * other state can block deployments. Rejects with a `GitHubError`.
 */
export async function writeEntry(
  api: GitHubApi,
  sha: string,
  entry: Entry | Mark | Pointer,
  description: string,
  page: string,
): Promise<void> {
  const fragment = new URLSearchParams({ [NAME]: VERSION });
  for (const [name, value] of Object.entries(entry)) {
    if (value !== undefined && FIELDS.includes(name)) {
      fragment.set(name, `${value}`);
    }
  }
  await api.write(`/statuses/${sha}`, {
    state: 'success',
    context: `Docs agent job (${entry.fingerprint.slice(0, 8)})`,
    // GitHub refuses characters of four bytes (ouzi-dev/commit-status-updater#526).
    description: truncate(description.replace(/[\u{10000}-\u{10ffff}]/gu, '?'), MAX_DESCRIPTION),
    target_url: `${page}#${fragment}`,
  });
}

const instant = z.pipe(z.pipe(z.string(), z.transform(Date.parse)), z.number());
const statusSchema = z.object({
  id: z.optional(z.int()),
  target_url: z.nullish(z.string()),
  created_at: z.catch(z.optional(instant), undefined),
});
/** A malformed status has no record. */
const statusesSchema = z.array(z.catch(statusSchema, {}));

export type CommitRecord = Awaited<ReturnType<typeof readRecord>>;

/** Returns what is on record of a commit, on all pages. Rejects with a `GitHubError`. */
export async function readRecord(api: GitHubApi, sha: string) {
  const entries: RecordedEntry[] = [];
  const marks: RecordedMark[] = [];
  const pointers: RecordedPointer[] = [];
  for (const { id, target_url: link, created_at: atMs } of await readStatuses(api, sha)) {
    const entry = parseEntry(link ?? '');
    const pointer = z.safeParse(pointerSchema, parseFields(link ?? '')).data;
    if (entry?.state === 'mark') {
      marks.push({ ...entry, atMs });
    } else if (id !== undefined && entry !== undefined) {
      entries.push({ ...entry, id, atMs });
    } else if (id !== undefined && pointer !== undefined) {
      pointers.push({ ...pointer, id });
    }
  }
  return { entries, marks, pointers };
}

async function readStatuses(api: GitHubApi, sha: string) {
  /** By their ids. */
  const statuses = new Map<number | undefined, z.output<typeof statusSchema>>();
  for (let page = 1; ; page += 1) {
    const path = `/commits/${sha}/statuses?per_page=${PAGE_SIZE}&page=${page}`;
    let found = await api.read(statusesSchema, path);
    if (page > 1 && found.length === 0) {
      // After a full page, an empty one is believed the second time.
      found = await api.read(statusesSchema, path);
    }
    const before = statuses.size;
    for (const status of found) {
      statuses.set(status.id, status);
    }
    // A host that doesn't know pages returns the same one for ever.
    if (found.length < MIN_PAGE_SIZE || statuses.size === before) {
      return statuses.values();
    }
  }
}

/** Returns the entry in a link. Undefined if it is malformed: anyone can write statuses. */
export function parseEntry(link: string): Entry | Mark | undefined {
  return z.safeParse(fieldsSchema, parseFields(link)).data;
}

function parseFields(link: string): Record<string, string> | undefined {
  const fields = Object.fromEntries(new URLSearchParams(link.slice(link.indexOf('#') + 1)));
  return fields[NAME] === VERSION ? fields : undefined;
}
