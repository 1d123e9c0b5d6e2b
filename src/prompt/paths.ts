import type { PathsDecision } from '../events.ts';
import type { Changes, ReleaseReading } from '../github/releases.ts';
import { matchesPatterns, type PathPattern } from '../text/path-pattern.ts';

/**
 * Decides what `paths` means for the run. Skips the run only if all changed files are known, and no
 * file matches.
 */
export function decideByPaths(
  { tag, previous, changes, reason, isRefused }: ReleaseReading,
  paths: readonly PathPattern[],
): PathsDecision {
  if (previous?.none !== undefined) {
    return { kind: 'ignore', reason: previous.none };
  }
  if (previous === undefined || changes === undefined) {
    return { kind: 'unread', reason, isRefused };
  }
  const previousTag = previous.tag;
  if (changes.isDiverged) {
    return { kind: 'ignore', reason: `${previousTag} is not an ancestor of ${tag}` };
  }
  if (changes.isCut) {
    return { kind: 'ignore', reason: 'GitHub lists no more than 300 changed files' };
  }
  const match = changes.files.find((file) => isSelected(file, paths));
  return match === undefined
    ? { kind: 'skip', previousTag, files: changes.files.length }
    : { kind: 'match', previousTag, file: match.filename };
}

/** Returns whether the new or the old name of a file matches. */
export function isSelected(
  { filename, previous_filename: old = filename }: Changes['files'][number],
  paths: readonly PathPattern[],
): boolean {
  return matchesPatterns(filename, paths) || matchesPatterns(old, paths);
}
