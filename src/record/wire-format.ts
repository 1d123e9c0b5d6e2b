import * as z from 'zod/mini';
import type { GitHubApi } from '../github/api.ts';
import type { Reuse } from '../inputs/parsers.ts';
import { isJobId } from '../service/job.ts';
import { truncate } from '../text/sanitize.ts';

/**
 * The machine-readable part of a commit status: one attempt's claim to start a job. `starting`: a
 * create request may follow, or may have been sent. `released`: no job was started. `job`: `jobId`
 * was started.
 */
export interface Entry {
  /** Identifies the task. See `getFingerprint`. */
  readonly fingerprint: string;
  /** A random number that tells the claims of one attempt apart. */
  readonly nonce: string;
  readonly runId: number;
  readonly attempt: number;
  /** Whether the claims of all runs matter to this one, or only those of its own run. */
  readonly scope: Exclude<Reuse, 'never'>;
  /**
   * The nonce of the claim whose job was the newest on record, and had failed, before this claim
   * was written.
   */
  readonly after: string | undefined;
  /**
   * Set if the changes begin at the last job: all tasks of the same address and project. See
   * `getSeries`.
   */
  readonly series: string | undefined;
  /** With a series: a hash of `paths`. Undefined without patterns. */
  readonly paths: string | undefined;
  readonly state: 'starting' | 'released' | 'job';
  /** Set if the state is `job`. */
  readonly jobId: string | undefined;
}

/**
 * A status of a run that started no job: the changes of the next job begin at its commit, or at
 * `since`.
 */
export interface Mark extends Pick<Entry, 'fingerprint' | 'runId' | 'paths'> {
  readonly series: string;
  readonly state: 'mark';
  /** The last job before it, whose pull request may still be open. */
  readonly jobId: string | undefined;
  /** The start that the run had, if its changes are still to be done. */
  readonly since: string | undefined;
}

/** An entry with the id of its status. Newer statuses have higher ids. */
export interface RecordedEntry extends Entry {
  readonly id: number;
  /** When GitHub took it, in milliseconds since 1970. */
  readonly atMs?: number | undefined;
}

const NAME = 'docs-agent-job';
const VERSION = 'v5';
const MAX_DESCRIPTION = 140;
const PAGE_SIZE = 100;
/**
 * Gitea may return shorter pages than requested. A page with fewer statuses than this is the last
 * one.
 */
const MIN_PAGE_SIZE = 10;

/**
 * Writes an entry as a status of the commit. Its link opens `page`, and its fragment holds the
 * entry in a wire format: change the version first. The state is always `success`, because any
 * other state can block deployments. Rejects with a `GitHubError`.
 */
export async function writeEntry(
  api: GitHubApi,
  sha: string,
  entry: Entry | Mark,
  description: string,
  page: string,
): Promise<void> {
  const { fingerprint, runId, series, paths, state, jobId } = entry;
  const fields = {
    fingerprint,
    run: runId,
    series,
    paths,
    ...(entry.state === 'mark' ? { since: entry.since } : toClaimFields(entry)),
    state,
    id: jobId,
  };
  const fragment = new URLSearchParams({ [NAME]: VERSION });
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) {
      fragment.set(name, `${value}`);
    }
  }
  await api.write(`/statuses/${sha}`, {
    state: 'success',
    context: `Docs agent job (${fingerprint.slice(0, 8)})`,
    description: truncate(description, MAX_DESCRIPTION),
    target_url: `${page}#${fragment}`,
  });
}

function toClaimFields({ nonce, attempt, scope, after }: Entry) {
  return { claim: nonce, attempt, scope, after };
}

const statusSchema = z.object({
  id: z.optional(z.int()),
  target_url: z.nullish(z.string()),
  created_at: z.catch(z.optional(z.string()), undefined),
});
/** A malformed status has no record. */
const statusesSchema = z.array(z.catch(statusSchema, {}));

/** What is on record of a commit, in any order. */
export interface CommitRecord {
  readonly entries: readonly RecordedEntry[];
  readonly marks: readonly Mark[];
}

/**
 * Returns what all statuses of a commit record. Only the time limit of the API bounds the number of
 * pages. Rejects with a `GitHubError`.
 */
export async function readRecord(api: GitHubApi, sha: string): Promise<CommitRecord> {
  const entries: RecordedEntry[] = [];
  const marks: Mark[] = [];
  for (const { id, target_url: link, created_at: instant } of await readStatuses(api, sha)) {
    const entry = parseEntry(link ?? '');
    if (entry?.state === 'mark') {
      marks.push(entry);
    } else if (id !== undefined && entry !== undefined) {
      entries.push({ ...entry, id, atMs: parseInstant(instant) });
    }
  }
  return { entries, marks };
}

type Status = z.output<typeof statusSchema>;

async function readStatuses(api: GitHubApi, sha: string): Promise<Status[]> {
  const statuses: Status[] = [];
  const seen = new Set<unknown>();
  for (let page = 1; ; page += 1) {
    const found = await readPage(api, sha, page);
    const before = seen.size;
    for (const status of found) {
      seen.add(status.id);
      statuses.push(status);
    }
    // A host that doesn't know pages returns the same one for ever.
    if (found.length < MIN_PAGE_SIZE || seen.size === before) {
      return statuses;
    }
  }
}

/** Returns a page of statuses. After a full page, an empty one is believed the second time. */
async function readPage(api: GitHubApi, sha: string, page: number): Promise<Status[]> {
  const path = `/commits/${sha}/statuses?per_page=${PAGE_SIZE}&page=${page}`;
  const found = await api.read(statusesSchema, path);
  return page > 1 && found.length === 0 ? api.read(statusesSchema, path) : found;
}

function parseInstant(text = ''): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const hexadecimal = (digits: number) =>
  z.string().check(z.regex(new RegExp(`^[0-9a-f]{${digits}}$`)));
const nonceSchema = hexadecimal(16);
const commonFields = {
  [NAME]: z.literal(VERSION),
  fingerprint: hexadecimal(32),
  run: z.string().check(z.regex(/^[1-9]\d{0,14}$/)),
  paths: z.optional(hexadecimal(32)),
  id: z.optional(z.string().check(z.refine(isJobId))),
};
const claimSchema = z.object({
  ...commonFields,
  series: z.optional(hexadecimal(32)),
  claim: nonceSchema,
  attempt: z.string().check(z.regex(/^[1-9]\d{0,5}$/)),
  scope: z.enum(['rerun', 'release']),
  after: z.optional(nonceSchema),
  state: z.enum(['starting', 'released', 'job']),
});
const markSchema = z.object({
  ...commonFields,
  series: hexadecimal(32),
  state: z.literal('mark'),
  since: z.optional(z.string().check(z.regex(/^[0-9a-f]{40,64}$/))),
});

/**
 * Returns the claim or the mark in a link. Undefined if it is malformed: anyone can write statuses.
 */
export function parseEntry(link: string): Entry | Mark | undefined {
  const fragment = new URLSearchParams(link.slice(link.indexOf('#') + 1));
  const fields = Object.fromEntries(fragment);
  const mark = z.safeParse(markSchema, fields).data;
  if (mark !== undefined) {
    const { fingerprint, run, series, paths, state, id: jobId, since } = mark;
    return { fingerprint, runId: Number(run), series, paths, state, jobId, since };
  }
  const claim = z.safeParse(claimSchema, fields).data;
  if (claim === undefined || (claim.state === 'job') !== (claim.id !== undefined)) {
    return undefined;
  }
  const { claim: nonce, run, attempt, id: jobId, ...others } = claim;
  const { fingerprint, scope, after, series, paths, state } = others;
  const numbers = { runId: Number(run), attempt: Number(attempt) };
  return { fingerprint, nonce, ...numbers, scope, after, series, paths, state, jobId };
}
