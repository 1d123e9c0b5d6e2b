import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** A prompt file that cannot be used; the message is a sentence that follows the input's name. */
export class PromptFileError extends Error {
  override readonly name = 'PromptFileError';
}

/**
 * The text of a file inside the workspace, without a byte order mark and the white space around it. Throws
 * a `PromptFileError` when it leaves the workspace (also by a symbolic link), is no regular file, is
 * larger than `limit` bytes, blank, or not UTF-8 text.
 */
export function readPromptFile(workspace: string, path: string, limit: number): string {
  const file = locate(workspace, path);
  const stats = statSync(file);
  if (!stats.isFile()) {
    throw new PromptFileError('is not a file: give the path of a text file in the workspace.');
  }
  if (stats.size > limit) {
    throw new PromptFileError('is larger than 1 MiB: shorten it.');
  }
  const text = decode(read(file)).trim();
  if (text === '') {
    throw new PromptFileError('is an empty file: write into it what the agent should do.');
  }
  return text;
}

function locate(workspace: string, path: string): string {
  const isNamedInside = isInside(resolve(workspace), resolve(workspace, path));
  const file = isNamedInside ? findRealPath(resolve(workspace, path)) : undefined;
  if (isNamedInside && file === undefined) {
    throw new PromptFileError(
      'was not found in the workspace: check the path, and that a step before this one checks the repository out.',
    );
  }
  if (file === undefined || !isInside(realpathSync(workspace), file)) {
    throw new PromptFileError('leaves the workspace: give a path inside the checked-out repository.');
  }
  return file;
}

function findRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new PromptFileError('cannot be read: check its permissions.', { cause: error });
  }
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function decode(bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PromptFileError('is not UTF-8 text: save it in that encoding.');
  }
  if (text.includes('\0')) {
    throw new PromptFileError('holds a NUL character, so it is not a text file.');
  }
  return text;
}
