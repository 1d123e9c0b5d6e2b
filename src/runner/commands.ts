import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { EOL } from 'node:os';
import { getErrorText } from '../errors.ts';
import { issue, issueCommand, prepareKeyValueMessage } from '../packages.ts';
import { type Redact, redactStart } from '../text/redact.ts';
import { sanitize, showLines } from '../text/sanitize.ts';

const LINE_LIMIT = 1_000;

/**
 * The commands of the runner. All text is redacted and sanitized, except outputs, which later steps
 * act on. Markdown must be redacted before it is rendered, because escapes can hide a secret.
 */
export interface Runner {
  /** Writes a line to the log. */
  line(text: string): void;
  /** Writes a line that is shown only with debug logging. */
  debug(text: string): void;
  /** Writes the lines of a longer text in a collapsed group. */
  group(title: string, text: string, limit: number, maxLines: number): void;
  /** Adds an annotation to the page of the run. */
  annotate(level: 'notice' | 'warning' | 'error', title: string, lines: readonly string[]): void;
  /** Masks a secret in the logs of all steps. */
  mask(secret: string): void;
  /** Writes outputs. If that fails, returns the reason, and earlier outputs are kept. */
  setOutputs(outputs: Readonly<Record<string, string>>): string | undefined;
  /** Replaces the job summary. If that fails, returns the reason. */
  replaceSummary(markdown: string): string | undefined;
}

export function createRunner(redact: Redact): Runner {
  const clean = (text: string): string =>
    sanitize(redactStart(text, LINE_LIMIT, redact), LINE_LIMIT);
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
    setOutputs(outputs) {
      return writeTo('GITHUB_OUTPUT', (path, size) => {
        const lines = Object.entries(outputs).map(
          (output) => prepareKeyValueMessage(...output) + EOL,
        );
        try {
          appendFileSync(path, lines.join(''));
        } catch (error) {
          // The runner rejects the whole file if its last value is cut off.
          truncateSync(path, size);
          throw error;
        }
      });
    },
    replaceSummary: (markdown) =>
      writeTo('GITHUB_STEP_SUMMARY', (path) => {
        const text = Buffer.from(`${redact(markdown)}\n`);
        // The file is never empty, even if the process is killed meanwhile.
        writeFileSync(path, text, { flag: 'r+' });
        truncateSync(path, text.length);
      }),
  };
}

/** Writes to a file of the runner. If that fails, returns the reason. */
function writeTo(
  variable: string,
  write: (path: string, size: number) => void,
): string | undefined {
  const path = process.env[variable] ?? '';
  if (path === '') {
    return `${variable} is not set`;
  }
  try {
    const stats = statSync(path);
    if (!stats.isFile()) {
      // Writing to a pipe can block forever.
      return `${variable} is not a file`;
    }
    write(path, stats.size);
    return undefined;
  } catch (error) {
    return getErrorText(error);
  }
}
