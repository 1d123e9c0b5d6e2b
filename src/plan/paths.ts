import type { ReleaseReading } from '../github/releases.ts';
import type { Outcome } from '../outcome.ts';
import { code, type Message, message } from '../text/message.ts';
import { matchesPatterns, type PathPattern } from '../text/path-pattern.ts';

/** What `paths` decides: to skip the run, or not, for which there is always a reason. */
export interface PathsDecision {
  readonly skip: Outcome | undefined;
  readonly why: Message | undefined;
}

/** Decides to skip only if it is certain that no file that changed since the previous tag matches. */
export function decideByPaths(
  reading: ReleaseReading,
  paths: readonly PathPattern[],
  dryRun: boolean,
): PathsDecision {
  const { previous, files } = reading.release;
  const doubt = findDoubt(reading);
  if (doubt !== undefined || previous === undefined || !('tag' in previous) || files === undefined) {
    const why = message`${code('paths')} ignored (${doubt ?? reading.reason}); starting the job`;
    return { skip: undefined, why };
  }
  const match = files.list.find(({ path, previousPath = path }) =>
    [path, previousPath].some((name) => matchesPatterns(name, paths)),
  );
  if (match !== undefined) {
    const why = message`${match.path} has changed since ${previous.tag} and matches ${code('paths')}`;
    return { skip: undefined, why };
  }
  return dryRun
    ? {
        skip: undefined,
        why: message`no file that changed since ${previous.tag} matches ${code('paths')}: a real run would be skipped`,
      }
    : {
        skip: { outcome: 'skipped', previousTag: previous.tag, files: files.list.length },
        why: undefined,
      };
}

/** Undefined if the list of changed files is complete, or could not be read. */
function findDoubt({ release, isDiverged }: ReleaseReading): string | undefined {
  const { tag, previous, files } = release;
  if (previous !== undefined && 'none' in previous) {
    return previous.none;
  }
  if (isDiverged) {
    return `${previous?.tag} is not an ancestor of ${tag}`;
  }
  return files?.isCut === true ? 'GitHub lists no more than 300 changed files' : undefined;
}
