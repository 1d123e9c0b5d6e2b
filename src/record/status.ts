import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { type GitHubApi, GitHubError } from '../github/api.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isJobId } from '../service/job.ts';
import { getAddress } from '../text/link.ts';
import { truncate } from '../text/sanitize.ts';

/**
 * Returns a hash that identifies the job. Covers the prompt without release facts, because those
 * may change.
 */
export function getFingerprint({ baseUrl, projectId, request, tag }: Inputs): string {
  const prompt = request.kind === 'create' ? request.prompt : '';
  const identity = JSON.stringify([getAddress(baseUrl), projectId, prompt, tag ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

/**
 * The machine-readable part of a status. `claim` is random, and names one attempt to start the job.
 * `starting`: a create request may follow. `unknown`: it may have started a job. `released`: no job
 * was started. `job`: `jobId` was started.
 */
export type Entry = Readonly<NonNullable<ReturnType<typeof parseEntry>>>;

/** The newest entry of a claim. `order` is the id of its first status: the lowest id wins. */
export type Claim = Entry & { readonly order: number };

const NAME = 'docs-agent-job';
const VERSION = 'v1';
const MAX_DESCRIPTION = 140;
const PAGE_SIZE = 100;
/**
 * Gitea may return shorter pages than requested. A page with fewer statuses than this is the last
 * one.
 */
const MIN_PAGE_SIZE = 10;
const MAX_PAGES = 10;

/**
 * Writes an entry as a status of the commit. Its link opens `page`, and its fragment holds the
 * entry in a wire format: change the version first. The state is always `success`, because any
 * other state can block deployments. Rejects with a `GitHubError`.
 */
export async function writeStatus(
  api: GitHubApi,
  sha: string,
  fingerprint: string,
  { claim, runId, attempt, state, jobId }: Entry,
  description: string,
  page: string,
): Promise<void> {
  const id = jobId === undefined ? {} : { id: jobId };
  const fields = { fingerprint, claim, run: `${runId}`, attempt: `${attempt}`, state, ...id };
  await api.write(`/statuses/${sha}`, {
    state: 'success',
    context: `Docs agent job (${fingerprint.slice(0, 8)})`,
    description: truncate(description, MAX_DESCRIPTION),
    target_url: `${page}#${new URLSearchParams({ [NAME]: VERSION, ...fields })}`,
  });
}

/**
 * Returns the claims of a job, newest first. Rejects with a `GitHubError`, also if the list is too
 * long.
 */
export async function readClaims(
  api: GitHubApi,
  sha: string,
  fingerprint: string,
): Promise<Claim[]> {
  const claims = new Map<string, Claim>();
  for (const { id, target_url: link } of await listStatuses(api, sha)) {
    const entry = parseEntry(link ?? '', fingerprint);
    if (entry !== undefined) {
      const before = claims.get(entry.claim);
      claims.set(entry.claim, {
        ...(before?.state === 'job' ? before : entry),
        order: before?.order ?? id,
      });
    }
  }
  return [...claims.values()].sort((a, b) => b.order - a.order);
}

const statusesSchema = z.array(z.object({ id: z.int(), target_url: z.nullish(z.string()) }));

/**
 * Returns the statuses of a commit, oldest first. Newer statuses have higher ids, but hosts may
 * list them in any order.
 */
async function listStatuses(api: GitHubApi, sha: string): Promise<z.output<typeof statusesSchema>> {
  const statuses: z.output<typeof statusesSchema> = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const found = await api.read(
      statusesSchema,
      `/commits/${sha}/statuses?per_page=${PAGE_SIZE}&page=${page}`,
    );
    statuses.push(...found);
    if (found.length < MIN_PAGE_SIZE) {
      return statuses.sort((a, b) => a.id - b.id);
    }
  }
  throw new GitHubError('the commit has too many statuses');
}

const entrySchema = z.object({
  [NAME]: z.literal(VERSION),
  fingerprint: z.string(),
  claim: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  run: z.string().check(z.regex(/^[1-9]\d{0,14}$/)),
  attempt: z.string().check(z.regex(/^[1-9]\d{0,5}$/)),
  state: z.enum(['starting', 'unknown', 'released', 'job']),
  id: z.optional(z.string().check(z.refine(isJobId))),
});

/**
 * Returns the entry in a link. Undefined if it is malformed or belongs to another job. Anyone can
 * write statuses.
 */
function parseEntry(link: string, fingerprint: string) {
  const fragment = new URLSearchParams(link.slice(link.indexOf('#') + 1));
  const fields = z.safeParse(entrySchema, Object.fromEntries(fragment)).data;
  if (
    fields?.fingerprint !== fingerprint ||
    (fields.state === 'job') !== (fields.id !== undefined)
  ) {
    return undefined;
  }
  const { claim, run, attempt, state, id: jobId } = fields;
  return { claim, runId: Number(run), attempt: Number(attempt), state, jobId };
}
