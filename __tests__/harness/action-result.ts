import { readFileSync, statSync } from 'node:fs';
import { parseOutputFile } from './output-file.ts';
import type { Ended } from './process.ts';
import { parseCommands, type RunnerCommand } from './runner-commands.ts';

export interface ActionResult extends Ended {
  /** Empty if there is no output file, or if the runner rejects it. */
  outputs: Record<string, string>;
  /** The text of the output file, if there is one. */
  outputText: string | undefined;
  summary: string | undefined;
  /** The text of `GITHUB_STATE`, `GITHUB_ENV`, and `GITHUB_PATH`, which the action leaves empty. */
  otherFiles: string;
  /** The workflow commands that a runner finds, first in stdout, then in stderr. */
  commands: (RunnerCommand & { stream: 'stdout' | 'stderr' })[];
  annotations: { errors: string[]; warnings: string[]; notices: string[] };
  /** The peak of the resident memory, unless the process was killed or does not report it. */
  maxRssMb: number | undefined;
}

/** Reads the files of a process and the commands in its output as a runner does. */
export function collectResult(
  ended: Ended,
  files: Record<string, string>,
  maxRssFile: string,
): ActionResult {
  const commands = (['stdout', 'stderr'] as const).flatMap((stream) =>
    parseCommands(ended[stream]).commands.map((command) => ({ stream, ...command })),
  );
  const dataOf = (name: string): string[] =>
    commands.filter((command) => command.name === name).map((command) => command.data);
  const maxRss = readIfFile(maxRssFile);
  return {
    ...ended,
    outputs: readPairs(files['GITHUB_OUTPUT']),
    outputText: readIfFile(files['GITHUB_OUTPUT']),
    summary: readIfFile(files['GITHUB_STEP_SUMMARY']),
    otherFiles: ['GITHUB_STATE', 'GITHUB_ENV', 'GITHUB_PATH']
      .map((name) => readIfFile(files[name]))
      .join(''),
    commands,
    annotations: {
      errors: dataOf('error'),
      warnings: dataOf('warning'),
      notices: dataOf('notice'),
    },
    maxRssMb: maxRss === undefined ? undefined : Number(maxRss),
  };
}

/** Returns the text of a file, or `undefined` if there is no such file. */
function readIfFile(path: string | undefined): string | undefined {
  const isFile = path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile();
  return isFile ? readFileSync(path, 'utf8') : undefined;
}

/** Returns the pairs in a file of the runner. Empty if it is missing or the runner rejects it. */
export function readPairs(path: string | undefined): Record<string, string> {
  try {
    return parseOutputFile(readIfFile(path) ?? '');
  } catch {
    return {};
  }
}
