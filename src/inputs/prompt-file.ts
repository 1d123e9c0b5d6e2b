import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { message } from '../text/message.ts';
import { Problem } from './parsers.ts';

/**
 * Returns the text of a file inside the workspace, without a byte order mark and the white space around it, or a
 * `Problem` if the path leaves the workspace (also by a symbolic link), or the file is not a regular file, is larger
 * than `maxBytes`, is blank, or is not UTF-8 text.
 */
export function readPromptFile(workspace: string, path: string, maxBytes: number): string | Problem {
  const file = findFile(workspace, path);
  if (file instanceof Problem) {
    return file;
  }
  const stats = statSync(file);
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? 'a directory' : 'not a regular file';
    return new Problem(message`is ${kind}: set it to the path of a text file in the workspace.`);
  }
  if (stats.size > maxBytes) {
    return new Problem(message`is larger than 1 MiB: shorten it.`);
  }
  const text = readText(file);
  return text === '' ? new Problem(message`is an empty file: write what the agent should do into it.`) : text;
}

function findFile(workspace: string, path: string): string | Problem {
  const leaves = new Problem(message`leaves the workspace: use a path inside the checked-out repository.`);
  const target = resolve(workspace, path);
  if (!isInside(resolve(workspace), target)) {
    return leaves;
  }
  try {
    const file = realpathSync(target);
    return isInside(realpathSync(workspace), file) ? file : leaves;
  } catch {
    return new Problem(
      message`was not found in the workspace: check the path, and check out the repository in an earlier step.`,
    );
  }
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function readText(file: string): string | Problem {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return new Problem(message`can't be read: check its permissions.`);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    return text.includes('\0')
      ? new Problem(message`holds a NUL character, so it is not a text file.`)
      : text;
  } catch {
    return new Problem(message`is not UTF-8 text: save it in that encoding.`);
  }
}
