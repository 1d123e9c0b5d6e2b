import * as z from 'zod/mini';
import { ifPossible } from '../errors.ts';
import { sanitizeLink } from '../text/link.ts';
import type { Redact } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';

/** A job as the service last described it. Missing and malformed fields are undefined. */
export interface Job {
  readonly id: string;
  /** The service's own word, which this version may not know. */
  readonly status: string;
  readonly prLink: string | undefined;
  /** True if the link was left out because it is not a plain `https` URL. */
  readonly prLinkRefused: boolean;
  readonly repository: string | undefined;
  readonly ref: string | undefined;
  readonly model: string | undefined;
  readonly createdAt: string | undefined;
  readonly archivedAt: string | undefined;
  /** The whole record as JSON. */
  readonly json: string;
}

/** A request of a run to the service. */
export type JobRequest =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'attach'; readonly jobId: string }
  | { readonly kind: 'follow-up'; readonly jobId: string; readonly prompt: string };

export type FinalStatus = 'completed' | 'archived' | 'failed';

const STATUS_LIMIT = 256;
const JSON_LIMIT = 64 * 1024;
// Not `::`, which the log breaks up.
const JOB_ID = /^(?!.*::)[A-Za-z0-9_-][A-Za-z0-9._~:-]{0,127}$/;

const recordSchema = z.looseObject({ id: z.unknown(), status: z.string(), prLink: z.optional(z.unknown()) });
const sourceSchema = z.object({ repository: z.optional(z.unknown()), ref: z.optional(z.unknown()) });
const instantSchema = z.iso.datetime({ offset: true });
const nameSchema = z.string().check(z.regex(/^\w[\w.:/@+~-]{0,199}$/));

/**
 * Returns the job in a reply of the service, or undefined without a usable `id` and `status`. The service marks no other
 * field as required, so a malformed one is left out, as is one that contains a secret. `redact` removes secrets from the
 * status and the JSON. The id never changes, because nobody could find the job without it.
 */
export function parseJob(reply: unknown, redact: Redact): Job | undefined {
  const record = z.safeParse(recordSchema, reply);
  if (!record.success) {
    return undefined;
  }
  const { id: givenId, status, prLink: link, ...fields } = record.data;
  const id = Number.isSafeInteger(givenId) ? String(givenId) : givenId;
  if (typeof id !== 'string' || !isJobId(id)) {
    return undefined;
  }
  const keep = (text = ''): string | undefined => (redact(text) === text && text !== '' ? text : undefined);
  const readName = (value: unknown) => keep(z.safeParse(nameSchema, value).data);
  const readInstant = (value: unknown) => keep(z.safeParse(instantSchema, value).data);
  const source = z.safeParse(sourceSchema, fields['source']).data;
  const prLink = keep(sanitizeLink(link));
  const known = {
    id,
    status: truncate(redact(status).toWellFormed(), STATUS_LIMIT),
    prLink,
    prLinkRefused: prLink === undefined && (link ?? '') !== '',
    repository: keep(sanitizeLink(source?.repository)),
    ref: readName(source?.ref),
    model: readName(fields['model']),
    createdAt: readInstant(fields['createdAt']),
    archivedAt: readInstant(fields['archivedAt']),
  };
  return { ...known, json: toJson(reply, redact) ?? JSON.stringify(known) };
}

/** Returns the redacted record as JSON on one line, or undefined if it is too large or too deep. */
function toJson(reply: unknown, redact: Redact): string | undefined {
  const json = ifPossible(() => JSON.stringify(reply, (_, value) => redactValue(value, redact)));
  return json === undefined || json.length > JSON_LIMIT ? undefined : json;
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

/** True if the id is a single segment of a URL path once it is encoded. */
export function isJobId(value: string): boolean {
  return JOB_ID.test(value);
}

/** Narrows a status to the three that end a job (interface document: states and transitions). */
export function isFinalStatus(status: string): status is FinalStatus {
  return status === 'completed' || status === 'archived' || status === 'failed';
}
