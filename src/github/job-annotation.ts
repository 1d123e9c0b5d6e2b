import { createHash } from 'node:crypto';
import { isJobId } from '../job/job-id.ts';

/** Title of the annotation that a run leaves for later attempts and runs. */
export const JOB_ANNOTATION_TITLE = 'Docs agent: job record';

const FINGERPRINT_LENGTH = 32;

export interface JobIdentity {
  readonly baseUrl: URL;
  readonly projectId: string;
  /** The prompt as the inputs give it: the release context may change from one attempt to the next. */
  readonly prompt: string;
  readonly tag: string | undefined;
}

/** Returns 32 hexadecimal digits of a SHA-256 that are the same for every attempt at the same job. */
export function getFingerprint({ baseUrl, projectId, prompt, tag }: JobIdentity): string {
  const address = baseUrl.href.replace(/\/+$/, '');
  const identity = JSON.stringify([address, projectId, prompt, tag ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/**
 * Returns the marker that ends the annotation; without a job id, it says that a job may have been started. It is a wire
 * format: `v1` changes before anything else in it does.
 */
export function formatMarker(jobId: string | undefined, fingerprint: string): string {
  return `[docs-agent-job v1 ${jobId === undefined ? 'unknown' : `id ${jobId}`} fingerprint ${fingerprint}]`;
}

/** Returns what an annotation with this fingerprint says, or undefined if it is none. Anyone may have written it. */
export function parseMarker(
  message: string | null,
  fingerprint: string,
): { readonly jobId: string | undefined } | undefined {
  const [, kind, id = '', found] =
    /\[docs-agent-job v1 (id (\S{1,128})|unknown) fingerprint ([0-9a-f]{32})\]\s*$/.exec(message ?? '') ?? [];
  if (found !== fingerprint) {
    return undefined;
  }
  return kind === 'unknown' ? { jobId: undefined } : isJobId(id) ? { jobId: id } : undefined;
}
