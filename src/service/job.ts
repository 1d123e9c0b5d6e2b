import * as z from 'zod/mini';
import { undefinedIfThrown } from '../errors.ts';
import { sanitizeLink } from '../text/link.ts';
import type { Redact } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';

/** A job as the service last described it. Missing and malformed fields are undefined. */
export interface Job {
  readonly id: string;
  /**
   * Redacted, except for final statuses: a key can contain such a word. May be unknown to this
   * version.
   */
  readonly status: string;
  /** Canonical `https` URL. */
  readonly prLink: string | undefined;
  /** The link if it was left out because it is not a plain `https` URL. Redacted, untrusted. */
  readonly refusedLink: string | undefined;
  readonly repository: string | undefined;
  readonly ref: string | undefined;
  readonly model: string | undefined;
  readonly createdAt: string | undefined;
  readonly archivedAt: string | undefined;
  /**
   * The whole reply as JSON, redacted. Only its documented fields if it is too large or too deep.
   * Printed as it is, also by `echo` of `sh`, it holds no command for the runner.
   */
  readonly json: string;
}

type Fields = Omit<Job, 'json' | 'refusedLink'>;

export interface CreateRequest {
  readonly kind: 'create';
  readonly prompt: string;
  readonly jobId?: undefined;
}

export interface FollowUpRequest {
  readonly kind: 'follow-up';
  readonly prompt: string;
  readonly jobId: string;
}

/** Waits for a job without sending anything. */
interface AttachRequest {
  readonly kind: 'attach';
  readonly jobId: string;
}

/** What a run asks of the service. */
export type JobRequest = CreateRequest | FollowUpRequest | AttachRequest;

const FINAL_STATUSES = ['completed', 'archived', 'failed'] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

const STATUS_LIMIT = 256;
/** Linux allows 128 KiB for an environment variable. */
const JSON_LIMIT = 64 * 1024;
/** Escapes in JSON, and characters of a string that may begin a command of the runner. */
const SPECIAL = /\\.|#/g;
/**
 * Other forms of the same characters. `echo` of `sh` turns the short escapes into line breaks, and
 * the runner finds `##[` anywhere in a line, even with invisible characters inside.
 */
const SAFE_FORMS: Readonly<Record<string, string>> = {
  '\\n': '\\u000a',
  '\\r': '\\u000d',
  '#': '\\u0023',
};
// Without `::`, which the log breaks up.
const JOB_ID = /^(?!.*::)[A-Za-z0-9_-][A-Za-z0-9._~:-]{0,127}$/;

const name = z.catch(z.optional(z.string().check(z.regex(/^\w[\w.:/@+~-]{0,199}$/))), undefined);
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
export function parseJob(reply: unknown, redact: Redact): Job | undefined {
  const parsed = z.safeParse(replySchema, reply);
  if (!parsed.success) {
    return undefined;
  }
  const { id, status, source, model, prLink: link, createdAt, archivedAt } = parsed.data;
  const keep = (text = ''): string | undefined =>
    redact(text) === text && text !== '' ? text : undefined;
  const prLink = keep(sanitizeLink(link));
  const job = {
    id,
    status: isFinalStatus(status) ? status : truncate(redact(status).toWellFormed(), STATUS_LIMIT),
    prLink,
    refusedLink: prLink === undefined ? describeRefusedLink(link, redact) : undefined,
    repository: keep(sanitizeLink(source?.repository)),
    ref: keep(source?.ref),
    model: keep(model),
    createdAt: keep(createdAt),
    archivedAt: keep(archivedAt),
  };
  return { ...job, json: toJson(reply, redact) ?? toJson(toReply(job), redact) ?? '' };
}

/** Returns a value as JSON. Undefined if it is too large or too deep. */
function toJson(value: unknown, redact: Redact): string | undefined {
  return undefinedIfThrown(() => {
    // Redacting every value of a large reply would take seconds.
    if (JSON.stringify(value).length > JSON_LIMIT) {
      return undefined;
    }
    const json = JSON.stringify(value, (_, item) => redactValue(item, redact));
    return json.replace(SPECIAL, (part) => SAFE_FORMS[part] ?? part);
  });
}

/** Returns the documented fields of a reply, without those that are missing or malformed. */
function toReply({ id, status, repository, ref, model, prLink, createdAt, archivedAt }: Fields) {
  return { id, status, source: { repository, ref }, model, prLink, createdAt, archivedAt };
}

function describeRefusedLink(link: unknown, redact: Redact): string | undefined {
  if (link === undefined || link === null || link === '') {
    return undefined;
  }
  const text = typeof link === 'string' ? link : `a value that is not text (${typeof link})`;
  return truncate(redact(text).toWellFormed(), STATUS_LIMIT);
}

function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = redact(String(value));
    return text === String(value) ? value : text;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), item]))
    : value;
}

/** True if the id, once encoded, is a single segment of a URL path. */
export function isJobId(value: string): boolean {
  return JOB_ID.test(value);
}

/** Narrows a status to the three that end a job, as the service documents them. */
export function isFinalStatus(status: string): status is FinalStatus {
  return FINAL_STATUSES.some((final) => final === status);
}
