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

/** What an attempt says about its create: the job that it waits for and who started that, or that it can't know. */
export type JobMarker =
  | { readonly kind: 'id'; readonly jobId: string; readonly startedBy: JobStarter }
  | { readonly kind: 'unknown' };

export interface JobStarter {
  /** Undefined if it is the run that left the marker. */
  readonly runId: number | undefined;
  readonly attempt: number;
}

/**
 * Returns the marker that ends the annotation. It is a wire format: `v1` changes before anything else in it does.
 */
export function formatMarker(marker: JobMarker, fingerprint: string): string {
  return `[docs-agent-job v1 ${formatJob(marker)} fingerprint ${fingerprint}]`;
}

function formatJob(marker: JobMarker): string {
  if (marker.kind === 'unknown') {
    return 'unknown';
  }
  const { runId, attempt } = marker.startedBy;
  return `id ${marker.jobId}${runId === undefined ? '' : ` run ${runId}`} attempt ${attempt}`;
}

const MARKER =
  /\[docs-agent-job v1 (?:id (\S{1,128})(?: run ([1-9]\d{0,14}))? attempt ([1-9]\d{0,8})|unknown) fingerprint ([0-9a-f]{32})\]\s*$/;

/** Returns what an annotation with this fingerprint says, or undefined if it is none. Anyone may have written it. */
export function parseMarker(message: string, fingerprint: string): JobMarker | undefined {
  const [, jobId, runId, attempt, found] = MARKER.exec(message) ?? [];
  if (found !== fingerprint) {
    return undefined;
  }
  if (jobId === undefined) {
    return { kind: 'unknown' };
  }
  const startedBy = { runId: runId === undefined ? undefined : Number(runId), attempt: Number(attempt) };
  return isJobId(jobId) ? { kind: 'id', jobId, startedBy } : undefined;
}
