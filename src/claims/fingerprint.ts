import { createHash } from 'node:crypto';
import type { Inputs } from '../inputs/read-inputs.ts';
import { trimSlashes } from '../text/link.ts';

/**
 * Returns a hash that identifies the job: two runs with the same address, project, prompt, tag,
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
