import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { getErrorText } from '../errors.ts';
import type { Redact } from '../text/redact.ts';
import { sanitize, showLines } from '../text/sanitize.ts';
import { issue, issueCommand, issueFileCommand, prepareKeyValueMessage } from './toolkit.ts';

const LINE_LIMIT = 1_000;

/**
 * The runner's protocol: log, annotations, masks, outputs, and summary. Redacts all text, then sanitizes it. Markdown must
 * be redacted before it is rendered, because escapes hide a secret. Outputs are written as they are, because later steps
 * act on them.
 */
export interface Runner {
  /** Writes a line to the log. */
  line(text: string): void;
  /** Writes a line that shows only with debug logging. */
  debug(text: string): void;
  /** Shows a longer text in a collapsed group. */
  group(title: string, text: string, limit: number, maxLines: number): void;
  /** Leaves an annotation on the page of the run. */
  annotate(level: 'notice' | 'warning' | 'error', title: string, lines: readonly string[]): void;
  /** Registers a secret, so that the logs of all steps mask it. */
  mask(secret: string): void;
  /** Writes outputs. Returns the reason if that fails, and leaves the outputs written before intact. */
  setOutputs(outputs: Readonly<Record<string, string>>): string | undefined;
  /** Replaces the job summary. Returns the reason if that fails. */
  replaceSummary(markdown: string): string | undefined;
}

/** Returns the runner that this process is a step of. */
export function createRunner(redact: Redact): Runner {
  const clean = (text: string): string => sanitize(redact(text), LINE_LIMIT);
  return {
    line(text) {
      process.stdout.write(`${clean(text)}\n`);
    },
    debug(text) {
      if (process.env['RUNNER_DEBUG'] === '1') {
        issueCommand('debug', {}, clean(text));
      }
    },
    group(title, text, limit, maxLines) {
      issue('group', clean(title));
      for (const line of showLines(text, redact, limit, maxLines)) {
        process.stdout.write(`${line}\n`);
      }
      issue('endgroup');
    },
    annotate(level, title, lines) {
      issueCommand(level, { title: clean(title) }, lines.map(clean).join('\n'));
    },
    mask(secret) {
      issueCommand('add-mask', {}, secret);
    },
    setOutputs: (outputs) => findProblem(() => appendOutputs(outputs)),
    replaceSummary: (markdown) => findProblem(() => writeSummary(redact(markdown))),
  };
}

function findProblem(write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return getErrorText(error);
  }
}

function appendOutputs(outputs: Readonly<Record<string, string>>): void {
  const { path, size } = findFile('GITHUB_OUTPUT');
  try {
    for (const [name, value] of Object.entries(outputs)) {
      issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
    }
  } catch (error) {
    // The runner rejects the whole file if its last value is cut off.
    truncateSync(path, size);
    throw error;
  }
}

function writeSummary(markdown: string): void {
  writeFileSync(findFile('GITHUB_STEP_SUMMARY').path, `${markdown}\n`);
}

/** Only regular files: nobody may ever read a pipe. */
function findFile(variable: string): { path: string; size: number } {
  const path = process.env[variable] ?? '';
  if (path === '') {
    throw new Error(`${variable} is not set`);
  }
  const stats = statSync(path);
  if (!stats.isFile()) {
    throw new Error(`${variable} is not a file`);
  }
  return { path, size: stats.size };
}
