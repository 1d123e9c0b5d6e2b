import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { undefinedIfThrown } from '../errors.ts';
import { MAX_PROMPT_BYTES, refuse } from './parsers.ts';

/** Returns the trimmed text of a file inside the workspace, even after links are resolved. */
export function readPromptFile(workspace: string, path: string): string {
  const root = undefinedIfThrown(() => realpathSync(workspace)) ?? workspace;
  const named = resolve(workspace, path);
  // Resolving a path on a Windows share would send the user's name to its host.
  const isNamedInside = isInside(workspace, named) || isInside(root, named);
  const file = isNamedInside ? undefinedIfThrown(() => realpathSync(named)) : named;
  if (file === undefined) {
    return refuse`was not found in the workspace. Check the path, and check out the repository.`;
  }
  if (!isInside(root, file)) {
    return refuse`is outside the workspace. Use a file of the checked-out repository.`;
  }
  const stats = statSync(file);
  if (!stats.isFile()) {
    return refuse`is not a regular file. Use the path of a text file.`;
  }
  if (stats.size > MAX_PROMPT_BYTES) {
    return refuse`is over 1 MiB. Shorten the file.`;
  }
  const text = undefinedIfThrown(() =>
    new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).trim(),
  );
  if (text === undefined || text.includes('\0')) {
    return refuse`can't be read as UTF-8 text. Check its encoding and permissions.`;
  }
  if (text === '') {
    return refuse`is an empty file. Write the prompt into it.`;
  }
  return text;
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
