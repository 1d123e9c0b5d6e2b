import { closeSync, openSync, statSync } from 'node:fs';
import { toErrorText } from '../errors.ts';
import { sanitize } from '../text/sanitize.ts';
import { issue, issueCommand, issueFileCommand, prepareKeyValueMessage, summary } from './toolkit.ts';

/** Registers a secret with the runner, so that all logs mask it. */
export function maskSecret(secret: string): void {
  issueCommand('add-mask', {}, secret);
}

/** Why outputs cannot be written, or undefined when they can: asked before anything is sent. */
export function findOutputProblem(path: string | undefined): string | undefined {
  if (path === undefined || path === '') {
    return 'GITHUB_OUTPUT is not set';
  }
  try {
    if (!statSync(path).isFile()) {
      return 'GITHUB_OUTPUT is not a file';
    }
    closeSync(openSync(path, 'a'));
    return undefined;
  } catch (error) {
    return `GITHUB_OUTPUT: ${toErrorText(error)}`;
  }
}

/** Writes outputs. Throws when there is no output file, or it is gone. */
export function setOutputs(outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
  }
}

/** Replaces the job summary. Returns why it could not be written, or undefined: a summary fails no step. */
export async function replaceSummary(markdown: string): Promise<string | undefined> {
  try {
    await summary.emptyBuffer().addRaw(markdown, true).write({ overwrite: true });
    return undefined;
  } catch (error) {
    return toErrorText(error);
  }
}

/** Leaves an annotation on the run page; its author has redacted and sanitized the text. */
export function annotate(level: 'notice' | 'warning' | 'error', title: string, text: string): void {
  issueCommand(level, { title }, text);
}

/** Shows lines, which their author has sanitized, in a group that is closed until someone opens it. */
export function showGroup(title: string, lines: readonly string[]): void {
  issue('group', title);
  for (const line of lines) {
    process.stdout.write(`${line}\n`);
  }
  issue('endgroup');
}

/** Writes a line that is shown only where step debugging is on. */
export function debug(text: string): void {
  if (process.env['RUNNER_DEBUG'] === '1') {
    issueCommand('debug', {}, sanitize(text));
  }
}
