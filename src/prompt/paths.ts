import type { ReleaseReading } from '../github/releases.ts';
import type { Outcome } from '../outcome.ts';
import { code, type Message, message } from '../text/message.ts';
import { matchesPatterns, type PathPattern } from '../text/path-pattern.ts';

/**
 * Returns the outcome `skipped` if it is certain that no file that changed since the previous tag matches. Otherwise,
 * returns the reason to go on as one line.
 */
export function decideByPaths(
  { release, isDiverged, reason }: ReleaseReading,
  paths: readonly PathPattern[],
): Extract<Outcome, { outcome: 'skipped' }> | Message {
  const { tag, previous, files } = release;
  const ignored = (why: string): Message => message`${code('paths')} ignored (${why}); starting the job`;
  if (previous !== undefined && 'none' in previous) {
    return ignored(previous.none);
  }
  if (previous === undefined || files === undefined) {
    return ignored(reason);
  }
  if (isDiverged) {
    return ignored(`${previous.tag} is not an ancestor of ${tag}`);
  }
  if (files.isCut) {
    return ignored('GitHub lists no more than 300 changed files');
  }
  const [match] = selectFiles(files.list, paths);
  return match === undefined
    ? { outcome: 'skipped', previousTag: previous.tag, files: files.list.length }
    : message`${match.filename} has changed since ${previous.tag} and matches ${code('paths')}`;
}

/** Returns the files that match, by their new or their old name. */
export function selectFiles<File extends { filename: string; previous_filename?: string | undefined }>(
  files: readonly File[],
  paths: readonly PathPattern[],
): File[] {
  return files.filter(({ filename, previous_filename: old = filename }) =>
    [filename, old].some((name) => matchesPatterns(name, paths)),
  );
}
