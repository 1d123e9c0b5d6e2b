import { InputError } from '../errors.ts';
import type { TakenBack } from '../github/context.ts';
import { shortenCommit } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { findFolderPattern, matchesPatterns, type PathPattern } from './paths.ts';
import type { UnknownStart } from './range.ts';
import type { Changes, ChangesReading } from './read-changes.ts';

/** Why `paths` starts the job: a file matches, or the files can't be compared or read. */
export type PathsDecision =
  | { readonly kind: 'match'; readonly file: string }
  | { readonly kind: 'ignore' | 'unread'; readonly reason: string };

/**
 * Why a run starts no job. `job-at-work`, `pr-open`: the last job hasn't ended, or its pull request
 * is open, and so old (undefined if that can't be read). `first-run`: no job of the project has
 * ended, so that there is nothing to compare with.
 * `no-commits`: the start is the commit of the run, or of its tag. `behind`: it is a later one.
 * `no-match`: no changed file matches `paths`. `taken-back`: the event only takes something back.
 */
export type Skip =
  | { readonly reason: 'job-at-work' | 'first-run' }
  | { readonly reason: 'taken-back'; readonly event: TakenBack }
  | { readonly reason: 'pr-open'; readonly ageMs: number | undefined }
  | { readonly reason: 'no-commits' | 'behind'; readonly since: string }
  | { readonly reason: 'no-match'; readonly since: string; readonly files: number };

type ChangesDecision =
  | { readonly kind: 'skip'; readonly skip: Skip }
  | { readonly kind: 'fail'; readonly unknown: UnknownStart }
  | { readonly kind: 'go'; readonly paths: PathsDecision | undefined };

/**
 * Decides what the changes mean. A tag is a change in itself: without `paths`, it starts a job.
 * Throws an `InputError` if one of the `paths` is the folder of a changed file.
 */
export function decideByChanges(
  reading: ChangesReading,
  paths: readonly PathPattern[] | undefined,
): ChangesDecision {
  const { tag, start, changes } = reading;
  if (start.kind === 'first-run') {
    return { kind: 'skip', skip: { reason: 'first-run' } };
  }
  if (start.kind === 'unknown' && (tag === undefined || start.cause === 'deleted')) {
    return { kind: 'fail', unknown: start };
  }
  const isUnchanged = start.kind === 'known' && changes?.total === 0;
  if (isUnchanged && (tag === undefined || paths !== undefined)) {
    const reason = changes.status === 'behind' ? 'behind' : 'no-commits';
    return { kind: 'skip', skip: { reason, since: shortenCommit(start.ref) } };
  }
  return paths === undefined ? { kind: 'go', paths } : decideByPaths(reading, paths);
}

/** Skips the run only if all changed files are known, and no file matches. */
function decideByPaths(
  { tag, start, changes, reason }: ChangesReading,
  paths: readonly PathPattern[],
): ChangesDecision {
  if (start.kind === 'none') {
    return ignorePaths(start.reason);
  }
  if (start.kind !== 'known' || changes === undefined) {
    return { kind: 'go', paths: { kind: 'unread', reason } };
  }
  const { status, isCut, files } = changes;
  refuseFolders(files, paths);
  const since = shortenCommit(start.ref);
  if (status === 'diverged') {
    return ignorePaths(`${since} is not an ancestor of ${tag ?? 'the commit'}`);
  }
  if (isCut) {
    return ignorePaths(`GitHub lists no more than ${files.length} changed files`);
  }
  const match = files.find((file) => isSelected(file, paths));
  return match === undefined
    ? { kind: 'skip', skip: { reason: 'no-match', since, files: files.length } }
    : { kind: 'go', paths: { kind: 'match', file: match.filename } };
}

function ignorePaths(reason: string): ChangesDecision {
  return { kind: 'go', paths: { kind: 'ignore', reason } };
}

/** Such a pattern would skip the run in green, or start a job for what it should exclude. */
function refuseFolders(files: Changes['files'], paths: readonly PathPattern[]): void {
  const [folder] = files.flatMap(getNames).flatMap((name) => findFolderPattern(name, paths) ?? []);
  if (folder !== undefined) {
    throw new InputError([
      message`{paths} has the folder ${code(folder)}, which matches no file in it. Write
        ${code(`${folder}/**`)}.`,
    ]);
  }
}

/** Returns whether the new or the old name of a file matches. */
export function isSelected(file: Changes['files'][number], paths: readonly PathPattern[]): boolean {
  return getNames(file).some((name) => matchesPatterns(name, paths));
}

function getNames({ filename, previous_filename: old }: Changes['files'][number]): string[] {
  return old === undefined ? [filename] : [filename, old];
}
