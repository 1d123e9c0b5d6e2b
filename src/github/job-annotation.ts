import { createHash } from 'node:crypto';
import { isJobId } from '../job/job-id.ts';

/** Title of the annotation that a run leaves for later attempts. */
export const JOB_ANNOTATION_TITLE = 'Documentation job started';

const FINGERPRINT_LENGTH = 32;

export interface JobIdentity {
  readonly baseUrl: URL;
  readonly projectId: string;
  /** The prompt as the inputs give it: the release context may change from one attempt to the next. */
  readonly prompt: string;
  readonly releaseTag: string | undefined;
}

/** Returns 32 hexadecimal digits of a SHA-256 that are the same for every attempt at the same job. */
export function getFingerprint({ baseUrl, projectId, prompt, releaseTag }: JobIdentity): string {
  const address = baseUrl.href.replace(/\/+$/, '');
  const identity = JSON.stringify([address, projectId, prompt, releaseTag ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** Returns the marker that ends the annotation. It is a wire format: `v1` changes before a word of it does. */
export function formatMarker(jobId: string, fingerprint: string): string {
  return `[docs-agent-job v1 id=${jobId} fingerprint=${fingerprint}]`;
}

/** Returns the job id if an annotation ends in a marker with this fingerprint. Anyone may have written it. */
export function parseMarker(message: string | null, fingerprint: string): string | undefined {
  const [, jobId = '', found] =
    /\[docs-agent-job v1 id=(\S{1,128}) fingerprint=([0-9a-f]{32})\]\s*$/.exec(message ?? '') ?? [];
  return found === fingerprint && isJobId(jobId) ? jobId : undefined;
}
