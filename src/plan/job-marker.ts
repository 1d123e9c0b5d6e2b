import { createHash } from 'node:crypto';
import type { Annotation } from '../github/runs.ts';
import { isJobId } from '../job/job.ts';
import { getAddress } from '../text/link.ts';

/** Title of the annotation that a run leaves for later attempts and runs. */
export const JOB_ANNOTATION_TITLE = 'Docs agent: job record';

const FINGERPRINT_LENGTH = 32;

export interface JobIdentity {
  readonly baseUrl: URL;
  readonly projectId: string;
  /** The prompt from the inputs. The release context may change from one attempt to the next. */
  readonly prompt: string;
  readonly tag: string | undefined;
}

/** Returns 32 hexadecimal digits of a SHA-256 that are the same for every attempt at the same job. */
export function getFingerprint({ baseUrl, projectId, prompt, tag }: JobIdentity): string {
  const identity = JSON.stringify([getAddress(baseUrl), projectId, prompt, tag ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/**
 * The job that an attempt waits for, and the run and attempt that started it. `runId` is undefined if that is the run
 * that left the marker. `unknown`: the attempt sent a create, but the response was lost.
 */
export type JobMarker =
  | { readonly jobId: string; readonly runId: number | undefined; readonly attempt: number }
  | 'unknown';

/**
 * Returns the marker that ends the annotation. It is a wire format: `v1` changes before anything else in it does.
 */
export function formatMarker(marker: JobMarker, fingerprint: string): string {
  if (marker === 'unknown') {
    return `[docs-agent-job v1 unknown fingerprint ${fingerprint}]`;
  }
  const { jobId, runId, attempt } = marker;
  const run = runId === undefined ? '' : ` run ${runId}`;
  return `[docs-agent-job v1 id ${jobId}${run} attempt ${attempt} fingerprint ${fingerprint}]`;
}

const MARKER =
  /\[docs-agent-job v1 (?:id (\S{1,128})(?: run ([1-9]\d{0,14}))? attempt ([1-9]\d{0,8})|unknown) fingerprint ([0-9a-f]{32})\]\s*$/;

/**
 * Returns the marker in an annotation for the job with this fingerprint. `unreadable`: our record, but masked or
 * broken. Undefined: no record, or the record of another job. Anyone may have written the annotation.
 */
export function parseAnnotation(
  { title, message: text }: Annotation,
  fingerprint: string,
): JobMarker | 'unreadable' | undefined {
  const message = text ?? '';
  const [, shown] = /fingerprint (\S{1,200})\]\s*$/.exec(message) ?? [];
  if (shown !== undefined && !couldBe(shown, fingerprint)) {
    return undefined;
  }
  const [, jobId, runId, attempt, found] = MARKER.exec(message) ?? [];
  if (found === undefined || (jobId !== undefined && !isJobId(jobId))) {
    const isOurs = shown !== undefined || couldBe(title ?? '', JOB_ANNOTATION_TITLE);
    return isOurs || message.includes(fingerprint) ? 'unreadable' : undefined;
  }
  return jobId === undefined
    ? 'unknown'
    : { jobId, runId: runId === undefined ? undefined : Number(runId), attempt: Number(attempt) };
}

/** True if the text is the original, or the original with secrets that the runner replaced with `***`. */
function couldBe(text: string, original: string): boolean {
  const pieces = text.split('***');
  let end = 0;
  for (const piece of pieces) {
    const start = original.indexOf(piece, end);
    if (start < 0) {
      return false;
    }
    end = start + piece.length;
  }
  const [first = ''] = pieces;
  return pieces.length === 1
    ? text === original
    : original.startsWith(first) && original.endsWith(pieces.at(-1) ?? '');
}
