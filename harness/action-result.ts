import { readFileSync, statSync } from 'node:fs';
import { parseOutputFile } from './output-file.ts';
import type { Ended } from './process.ts';
import { parseCommands, type RunnerCommand } from './runner-commands.ts';

export interface ActionResult extends Ended {
  /** Empty if there is no output file, or one that the runner refuses; `outputText` shows which. */
  outputs: Record<string, string>;
  /** The raw output file, if there is one. */
  outputText: string | undefined;
  summary: string | undefined;
  state: Record<string, string>;
  /** What was written to GITHUB_ENV. */
  exportedVariables: Record<string, string>;
  /** What was written to GITHUB_PATH. */
  addedPaths: string;
  /** The workflow commands that a runner finds, those of stdout first. */
  commands: (RunnerCommand & { stream: 'stdout' | 'stderr' })[];
  annotations: { errors: string[]; warnings: string[]; notices: string[] };
  /** Peak of the resident memory; absent if the process was killed or does not report it. */
  maxRssMb: number | undefined;
}

/** Adds to the end of a process what it left in its files and what a runner makes of it. */
export function collectResult(ended: Ended, files: Record<string, string>, maxRssFile: string): ActionResult {
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
    state: readPairs(files['GITHUB_STATE']),
    exportedVariables: readPairs(files['GITHUB_ENV']),
    addedPaths: readIfFile(files['GITHUB_PATH']) ?? '',
    commands,
    annotations: { errors: dataOf('error'), warnings: dataOf('warning'), notices: dataOf('notice') },
    maxRssMb: maxRss === undefined ? undefined : Number(maxRss),
  };
}

/** The text of a file; `undefined` if there is none at the path, or something else. */
export function readIfFile(path: string | undefined): string | undefined {
  const isFile = path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile();
  return isFile ? readFileSync(path, 'utf8') : undefined;
}

/** The pairs in one of the runner's files; none if it is absent or the runner refuses it. */
export function readPairs(path: string | undefined): Record<string, string> {
  try {
    return parseOutputFile(readIfFile(path) ?? '');
  } catch {
    return {};
  }
}
