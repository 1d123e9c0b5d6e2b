import type { RunState, Skip } from '../state/run-state.ts';
import { shortenCommit } from '../text/link.ts';
import { code, type Message, message } from '../text/message.ts';

/** Says what changed, and whether `paths` was ignored. Empty if no input needs it. */
export function summarizeChanges(state: RunState): Message {
  const { paths } = state;
  return paths === undefined || paths.kind === 'match'
    ? describeChanges(state)
    : message`${describeChanges(state)}; {paths} was ignored (${paths.reason})`;
}

/** Says in a few words what changed. Empty if no input needs it. */
export function describeChanges({ changes: reading }: RunState): Message {
  if (reading === undefined) {
    return [];
  }
  const { start, changes } = reading;
  switch (start.kind) {
    case 'first-run':
      return message`nothing to compare with yet`;
    case 'none':
      return message`nothing to compare with, because ${start.reason}`;
    case 'unknown':
      return message`unknown (${start.detail})`;
    case 'known': {
      const since = shortenCommit(start.ref);
      if (changes === undefined) {
        return message`not listed, since ${since}`;
      }
      const { total, files, isCut } = changes;
      const commits = count(total, 'commit');
      const more = isCut ? ' or more' : '';
      return message`${commits}, ${count(files.length, 'file', more)} since ${since}`;
    }
  }
}

function count(number: number, unit: string, more = ''): string {
  return `${number}${more} ${unit}${number === 1 ? '' : 's'}`;
}

/** Says why a run starts no job. */
export function describeSkip(skip: Skip): Message {
  switch (skip.reason) {
    case 'first-run':
      return message`No earlier run of this workflow has succeeded for this event and branch, so
        there is nothing to compare with. The next run compares with the commit of this one, if this
        one succeeds.`;
    case 'no-commits':
      return message`There are no commits since ${code(skip.since)}.`;
    case 'no-match':
      return message`None of the files that changed since ${code(skip.since)} match {paths} (changed
        files: ${String(skip.files)}).`;
  }
}
