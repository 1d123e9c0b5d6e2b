import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ifPossible } from '../errors.ts';
import { type Problem, problem } from './parsers.ts';

/**
 * Returns the text of a file inside the workspace, without a byte order mark and the white space around it, or a
 * `Problem` if the path leaves the workspace (also by a symbolic link), or the file is not a regular file, is larger
 * than `maxBytes`, is blank, or is not UTF-8 text.
 */
export function readPromptFile(workspace: string, path: string, maxBytes: number): string | Problem {
  const root = ifPossible(() => realpathSync(workspace)) ?? workspace;
  const named = resolve(workspace, path);
  // Looking for a file on a Windows share would already tell that host who asks.
  const file = [workspace, root].some((folder) => isInside(folder, named))
    ? ifPossible(() => realpathSync(named))
    : named;
  if (file === undefined) {
    return problem`was not found in the workspace: check the path, and check out the repository in an earlier step.`;
  }
  if (!isInside(root, file)) {
    return problem`leaves the workspace: use a path inside the checked-out repository.`;
  }
  const stats = statSync(file);
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? 'a directory' : 'not a regular file';
    return problem`is ${kind}: set it to the path of a text file in the workspace.`;
  }
  if (stats.size > maxBytes) {
    return problem`is larger than 1 MiB: shorten it.`;
  }
  const bytes = ifPossible(() => readFileSync(file));
  if (bytes === undefined) {
    return problem`can't be read: check its permissions.`;
  }
  const text = ifPossible(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim());
  if (text === undefined) {
    return problem`is not UTF-8 text: save it in that encoding.`;
  }
  if (text.includes('\0')) {
    return problem`contains a NUL character, so it is not a text file.`;
  }
  return text === '' ? problem`is an empty file: write the prompt in it.` : text;
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
