import { InputError } from '../errors.ts';
import type { Changes, ReleaseReading } from '../github/releases.ts';
import type { PathsDecision } from '../state/events.ts';
import { code, message } from '../text/message.ts';
import { matchesPatterns, type PathPattern } from '../text/path-pattern.ts';

/**
 * Decides what `paths` means for the run. Skips the run only if all changed files are known, and no
 * file matches. Throws an `InputError` if a pattern is only the name of a changed folder.
 */
export function decideByPaths(
  { tag, previous, changes, reason, isRefused }: ReleaseReading,
  paths: readonly PathPattern[],
): PathsDecision {
  if (previous?.kind === 'none') {
    return { kind: 'ignore', reason: previous.reason };
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
  if (match !== undefined) {
    return { kind: 'match', previousTag, file: match.filename };
  }
  refuseFolders(changes.files, paths);
  return { kind: 'skip', previousTag, files: changes.files.length };
}

/** Throws an `InputError` if a pattern is the name of a folder in which a file has changed. */
function refuseFolders(files: Changes['files'], paths: readonly PathPattern[]): void {
  const names = files.flatMap(({ filename, previous_filename: old = filename }) => [filename, old]);
  const folder = paths.find(
    ({ isNegative, glob }) =>
      !isNegative && names.some((name) => name.normalize().startsWith(`${glob}/`)),
  );
  if (folder !== undefined) {
    const { glob } = folder;
    throw new InputError([
      message`${code('paths')} has the pattern ${code(glob)}, which is a folder: write
        ${code(`${glob}/**`)} to match its files.`,
    ]);
  }
}

/** Returns whether the new or the old name of a file matches. */
export function isSelected(
  { filename, previous_filename: old = filename }: Changes['files'][number],
  paths: readonly PathPattern[],
): boolean {
  return matchesPatterns(filename, paths) || matchesPatterns(old, paths);
}
