import type { ReleaseReading } from '../github/releases.ts';
import type { PathsDecision } from '../report/notes.ts';
import { matchesPatterns, type PathPattern } from '../text/path-pattern.ts';

/** Decides what `paths` means for the run. Skips it only if all changed files are known and none of them matches. */
export function decideByPaths(
  { release, isDiverged, reason, isRefused }: ReleaseReading,
  paths: readonly PathPattern[],
): PathsDecision {
  const { tag, previous, files } = release;
  if (previous !== undefined && 'none' in previous) {
    return { kind: 'ignore', reason: previous.none };
  }
  if (previous === undefined || files === undefined) {
    return { kind: 'unread', reason, isRefused };
  }
  const previousTag = previous.tag;
  if (isDiverged) {
    return { kind: 'ignore', reason: `${previousTag} is not an ancestor of ${tag}` };
  }
  if (files.isCut) {
    return { kind: 'ignore', reason: 'GitHub lists no more than 300 changed files' };
  }
  const [match] = selectFiles(files.list, paths);
  return match === undefined
    ? { kind: 'skip', previousTag, files: files.list.length }
    : { kind: 'match', previousTag, file: match.filename };
}

/** Returns the files whose new or old name matches. */
export function selectFiles<File extends { filename: string; previous_filename?: string | undefined }>(
  files: readonly File[],
  paths: readonly PathPattern[],
): File[] {
  return files.filter(({ filename, previous_filename: old = filename }) =>
    [filename, old].some((name) => matchesPatterns(name, paths)),
  );
}
