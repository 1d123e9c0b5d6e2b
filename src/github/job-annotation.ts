import { createHash } from 'node:crypto';
import { isJobId } from '../job/job-id.ts';

/** Title of the annotation that a create leaves for later attempts of the workflow run. */
export const JOB_ANNOTATION_TITLE = 'Docs agent job started';

const FINGERPRINT_LENGTH = 32;

export interface JobIdentity {
  readonly baseUrl: URL;
  readonly projectId: string;
  /** The prompt as the inputs give it: facts of a release may change from one attempt to the next. */
  readonly prompt: string;
  readonly releaseTag: string | undefined;
}

/** 32 hexadecimal digits of a SHA-256, the same for every attempt at the same job. */
export function getFingerprint({ baseUrl, projectId, prompt, releaseTag }: JobIdentity): string {
  const address = baseUrl.href.replace(/\/+$/, '');
  const identity = JSON.stringify([address, projectId, prompt, releaseTag ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** The text of the annotation, which `parseJobAnnotation` reads. */
export function formatJobAnnotation(jobId: string, fingerprint: string): string {
  return `Job ${jobId}, fingerprint ${fingerprint}. A re-run of this workflow run waits for it instead of starting another.`;
}

/** The job id in an annotation that a create with this fingerprint left, or undefined. Anyone may have written it. */
export function parseJobAnnotation(
  title: string | null,
  message: string | null,
  fingerprint: string,
): string | undefined {
  const [, jobId = '', found] = /^Job (\S{1,128}), fingerprint ([0-9a-f]{32})\. /.exec(message ?? '') ?? [];
  return title === JOB_ANNOTATION_TITLE && found === fingerprint && isJobId(jobId) ? jobId : undefined;
}
