import { InputError } from '../errors.ts';
import type { Changes, ChangesReading, UnknownStart } from '../github/changes.ts';
import type { PathsDecision, Skip } from '../state/run-state.ts';
import { shortenCommit } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { matchesPatterns, type PathPattern } from '../text/path-pattern.ts';

/** What the changes mean for the run: it is skipped, it fails, or it starts the job. */
export type ChangesDecision =
  | { readonly kind: 'skip'; readonly skip: Skip }
  | { readonly kind: 'fail'; readonly unknown: UnknownStart }
  | { readonly kind: 'go'; readonly paths: PathsDecision | undefined };

/**
 * Decides what the changes mean for the run. A tag is a change in itself, so that without `paths`,
 * it starts the job whatever is known. Throws an `InputError` if a pattern is only the name of a
 * changed folder.
 */
export function decideByChanges(
  reading: ChangesReading,
  paths: readonly PathPattern[] | undefined,
): ChangesDecision {
  const { tag, start, changes } = reading;
  if (start.kind === 'first-run') {
    return { kind: 'skip', skip: { reason: 'first-run' } };
  }
  if (start.kind === 'unknown' && tag === undefined) {
    return { kind: 'fail', unknown: start };
  }
  const isUnchanged = start.kind === 'known' && changes?.total === 0;
  if (isUnchanged && (tag === undefined || paths !== undefined)) {
    return { kind: 'skip', skip: { reason: 'no-commits', since: shortenCommit(start.ref) } };
  }
  return paths === undefined ? { kind: 'go', paths } : decideByPaths(reading, paths);
}

/** Skips the run only if all changed files are known, and no file matches. */
function decideByPaths(
  { tag, start, changes, reason, isRefused }: ChangesReading,
  paths: readonly PathPattern[],
): ChangesDecision {
  if (start.kind === 'none') {
    return ignorePaths(start.reason);
  }
  if (start.kind !== 'known' || changes === undefined) {
    return { kind: 'go', paths: { kind: 'unread', reason, isRefused } };
  }
  const since = shortenCommit(start.ref);
  if (changes.isDiverged) {
    return ignorePaths(`${since} is not an ancestor of ${tag ?? 'the commit'}`);
  }
  if (changes.isCut) {
    return ignorePaths(`GitHub lists no more than ${changes.files.length} changed files`);
  }
  const match = changes.files.find((file) => isSelected(file, paths));
  if (match !== undefined) {
    return { kind: 'go', paths: { kind: 'match', since, file: match.filename } };
  }
  refuseFolders(changes.files, paths);
  const files = changes.files.length;
  return { kind: 'skip', skip: { reason: 'no-match', since, files } };
}

function ignorePaths(reason: string): ChangesDecision {
  return { kind: 'go', paths: { kind: 'ignore', reason } };
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
