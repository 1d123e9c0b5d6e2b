import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { GitHubApi } from '../github/api.ts';
import type { Reuse } from '../inputs/parsers.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isJobId } from '../service/job.ts';
import { trimSlashes } from '../text/link.ts';
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
  readonly state: 'starting' | 'released' | 'job';
  /** Set if the state is `job`. */
  readonly jobId: string | undefined;
}

/** An entry with the id of its status. Newer statuses have higher ids. */
export interface RecordedEntry extends Entry {
  readonly id: number;
  /** When GitHub took it, in milliseconds since 1970. */
  readonly atMs?: number | undefined;
}

const NAME = 'docs-agent-job';
const VERSION = 'v3';
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
  { fingerprint, nonce, runId, attempt, scope, after, state, jobId }: Entry,
  description: string,
  page: string,
): Promise<void> {
  const fields = {
    fingerprint,
    claim: nonce,
    run: `${runId}`,
    attempt: `${attempt}`,
    scope,
    ...(after === undefined ? {} : { after }),
    state,
    ...(jobId === undefined ? {} : { id: jobId }),
  };
  await api.write(`/statuses/${sha}`, {
    state: 'success',
    context: `Docs agent job (${fingerprint.slice(0, 8)})`,
    description: truncate(description, MAX_DESCRIPTION),
    target_url: `${page}#${new URLSearchParams({ [NAME]: VERSION, ...fields })}`,
  });
}

const statusSchema = z.object({
  id: z.int(),
  target_url: z.nullish(z.string()),
  created_at: z.catch(z.optional(z.string()), undefined),
});

/**
 * Returns the entries in all statuses of a commit, in any order. Only the time limit of the API
 * bounds the number of pages. Rejects with a `GitHubError`.
 */
export async function readEntries(api: GitHubApi, sha: string): Promise<RecordedEntry[]> {
  const entries: RecordedEntry[] = [];
  const seen = new Set<unknown>();
  for (let page = 1; ; page += 1) {
    const found = await readPage(api, sha, page);
    const before = seen.size;
    for (const item of found) {
      const status = z.safeParse(statusSchema, item).data;
      seen.add(status?.id);
      const entry = parseEntry(status?.target_url ?? '');
      if (status !== undefined && entry !== undefined) {
        entries.push({ ...entry, id: status.id, atMs: parseInstant(status.created_at) });
      }
    }
    // A host that doesn't know pages returns the same one for ever.
    if (found.length < MIN_PAGE_SIZE || seen.size === before) {
      return entries;
    }
  }
}

/** Returns a page of statuses. After a full page, an empty one is believed the second time. */
async function readPage(api: GitHubApi, sha: string, page: number): Promise<unknown[]> {
  const path = `/commits/${sha}/statuses?per_page=${PAGE_SIZE}&page=${page}`;
  const found = await api.read(z.array(z.unknown()), path);
  return page > 1 && found.length === 0 ? api.read(z.array(z.unknown()), path) : found;
}

function parseInstant(text = ''): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const nonceSchema = z.string().check(z.regex(/^[0-9a-f]{16}$/));
const entrySchema = z.object({
  [NAME]: z.literal(VERSION),
  fingerprint: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  claim: nonceSchema,
  run: z.string().check(z.regex(/^[1-9]\d{0,14}$/)),
  attempt: z.string().check(z.regex(/^[1-9]\d{0,5}$/)),
  scope: z.enum(['rerun', 'release']),
  after: z.optional(nonceSchema),
  state: z.enum(['starting', 'released', 'job']),
  id: z.optional(z.string().check(z.refine(isJobId))),
});

/** Returns the entry in a link. Undefined if it is malformed: anyone can write statuses. */
function parseEntry(link: string): Entry | undefined {
  const fragment = new URLSearchParams(link.slice(link.indexOf('#') + 1));
  const fields = z.safeParse(entrySchema, Object.fromEntries(fragment)).data;
  if (fields === undefined || (fields.state === 'job') !== (fields.id !== undefined)) {
    return undefined;
  }
  const { fingerprint, claim: nonce, run, attempt, scope, after, state, id: jobId } = fields;
  const numbers = { runId: Number(run), attempt: Number(attempt) };
  return { fingerprint, nonce, ...numbers, scope, after, state, jobId };
}

/**
 * Returns a hash that identifies the task: two runs with the same address, project, prompt, tag,
 * paths, and `changes-since` as written ask for the same job. Line ends don't matter. What changed
 * is left out, because a re-run may find something else.
 */
export function getFingerprint({
  baseUrl,
  projectId,
  request,
  tag,
  paths,
  changesSince,
}: Inputs): string {
  const prompt = request.kind === 'create' ? request.prompt.replace(/\r\n?/g, '\n') : '';
  const patterns = paths?.map(({ isNegative, glob }) => `${isNegative ? '!' : ''}${glob}`) ?? null;
  const identity = [
    trimSlashes(baseUrl),
    projectId,
    prompt,
    tag ?? null,
    patterns,
    changesSince ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
