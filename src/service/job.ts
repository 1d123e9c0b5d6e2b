import * as z from 'zod/mini';
import { undefinedIfThrown } from '../errors.ts';
import { sanitizeLink } from '../text/link.ts';
import { type Redact, redactStart } from '../text/redact.ts';
import { toLine, truncate } from '../text/sanitize.ts';

/** A job as the service last described it. Missing and malformed fields are undefined. */
export type Job = Readonly<NonNullable<ReturnType<typeof parseJob>>>;

export type PromptRequest =
  | { readonly kind: 'create'; readonly prompt: string; readonly jobId?: undefined }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string };
/** What a run asks of the service. `attach`: it waits for a job without sending anything. */
export type JobRequest = PromptRequest | { readonly kind: 'attach'; readonly jobId: string };

const FINAL_STATUSES = ['completed', 'archived', 'failed'] as const;

const STATUS_LIMIT = 256;
/** Linux allows 128 KiB for an environment variable. */
const JSON_LIMIT = 64 * 1024;
/**
 * The service documents no form of an id. What is left out could be a command of the runner, an
 * option of a program, or, as `..` even if it is encoded, another address.
 */
const JOB_ID =
  /^(?!-|(?:.*\/)?\.{1,2}(?:\/|$)|.*(?:::|##\[))[^\s\\\p{C}\p{Default_Ignorable_Code_Point}]{1,256}$/u;
const NAME_LIMIT = 200;
/** One line of text that is no option of a program. */
const NAME = new RegExp(`^(?![-\\s]).{1,${NAME_LIMIT}}$`, 'u');

const name = z.catch(z.optional(z.string().check(z.regex(NAME))), undefined);
const instant = z.catch(z.optional(z.iso.datetime({ offset: true })), undefined);
const source = z.object({ repository: z.optional(z.unknown()), ref: name });
const replySchema = z.object({
  id: z.pipe(
    z.transform((id) => (Number.isSafeInteger(id) ? String(id) : id)),
    z.string().check(z.regex(JOB_ID)),
  ),
  status: z.string(),
  source: z.catch(z.optional(source), undefined),
  model: name,
  prLink: z.optional(z.unknown()),
  createdAt: instant,
  archivedAt: instant,
});

/**
 * Returns the job in a reply of the service, or undefined without a usable `id` and `status`. All
 * other fields are optional: malformed values, and values that contain a secret, are left out.
 * `redact` removes secrets from the status and the JSON. The id never changes, because nobody could
 * find the job without it.
 */
export function parseJob(reply: unknown, redact: Redact) {
  const parsed = z.safeParse(replySchema, reply);
  if (!parsed.success) {
    return undefined;
  }
  const { data } = parsed;
  const keep = (text = ''): string | undefined =>
    redact(text) === text && text !== '' ? text : undefined;
  const showName = (text?: string): string | undefined => keep(text) && toLine(text, NAME_LIMIT);
  const fields = {
    id: data.id,
    /** Redacted, unless it is final: a key can contain such a word. May be an unknown one. */
    status: isFinalStatus(data.status) ? data.status : showStart(data.status, redact),
    /** Canonical `https` URL. */
    prLink: keep(sanitizeLink(data.prLink)),
    repository: keep(sanitizeLink(data.source?.repository)),
    /** One line, as in `toLine`. Doesn't begin with `-`. */
    ref: showName(data.source?.ref),
    /** As `ref`. */
    model: showName(data.model),
    createdAt: keep(data.createdAt),
    archivedAt: keep(data.archivedAt),
  };
  const { id, status, prLink, repository, ref, model, createdAt, archivedAt } = fields;
  const short = { id, status, source: { repository, ref }, model, prLink, createdAt, archivedAt };
  return {
    ...fields,
    /** The link if it was left out because it is not a plain `https` URL. Redacted, untrusted. */
    refusedLink: prLink === undefined ? describeRefusedLink(data.prLink, redact) : undefined,
    /**
     * The whole reply as JSON, redacted. Only its documented fields if it is too large or too deep.
     * Its texts and names are lines as in `toLine`, so that no shell that prints them, or all of
     * it, prints a command for the runner.
     */
    json: toJson(reply, redact) ?? toJson(short, redact) ?? '',
  };
}

/** Returns a value as JSON. Undefined if it is too large or too deep. */
function toJson(value: unknown, redact: Redact): string | undefined {
  const isSmall = (json: string): boolean => Buffer.byteLength(json) <= JSON_LIMIT;
  return undefinedIfThrown(() => {
    // Cleaning every value of a large reply would take seconds.
    if (!isSmall(JSON.stringify(value))) {
      return undefined;
    }
    const json = JSON.stringify(value, (_, item) => cleanValue(item, redact));
    return isSmall(json) ? json : undefined;
  });
}

function describeRefusedLink(link: unknown, redact: Redact): string | undefined {
  if (link === undefined || link === null || link === '') {
    return undefined;
  }
  const text = typeof link === 'string' ? link : `a value that is not text (${typeof link})`;
  return showStart(text, redact);
}

function showStart(text: string, redact: Redact): string {
  return truncate(redactStart(text, STATUS_LIMIT, redact).toWellFormed(), STATUS_LIMIT);
}

function cleanValue(value: unknown, redact: Redact): unknown {
  const clean = (text: string): string => toLine(redact(text), JSON_LIMIT);
  if (typeof value === 'string' || typeof value === 'number') {
    const text = clean(String(value));
    return text === String(value) ? value : text;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [clean(name), item]))
    : value;
}

/** Returns whether a text can be the id of a job: safe in a path, once encoded, and to print. */
export function isJobId(value: string): boolean {
  return JOB_ID.test(value);
}

/** Narrows a status to the three that end a job, as the service documents them. */
export function isFinalStatus(status: string): status is (typeof FINAL_STATUSES)[number] {
  return FINAL_STATUSES.some((final) => final === status);
}
