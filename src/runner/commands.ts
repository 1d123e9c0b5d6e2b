import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { EOL } from 'node:os';
import { getErrorText } from '../errors.ts';
import { issue, issueCommand, prepareKeyValueMessage } from '../packages.ts';
import { type Redact, redactStart } from '../text/redact.ts';
import { sanitize, showLines } from '../text/sanitize.ts';

const LINE_LIMIT = 1_000;

export type Runner = ReturnType<typeof createRunner>;

/**
 * Returns the commands of the runner. They redact and sanitize all text except outputs, which later
 * steps act on. Markdown must be redacted before it is rendered: escapes can hide a secret.
 */
export function createRunner(redact: Redact) {
  const clean = (text: string) => sanitize(redactStart(text, LINE_LIMIT, redact), LINE_LIMIT);
  return {
    /** Writes a line to the log. */
    line(text: string): void {
      process.stdout.write(`${clean(text)}\n`);
    },
    /** Writes a line that is shown only with debug logging. */
    debug(text: string): void {
      if (process.env['RUNNER_DEBUG'] === '1') {
        issueCommand('debug', {}, clean(text));
      }
    },
    /** Writes the lines of a longer text in a collapsed group. */
    group(title: string, text: string, limit: number, maxLines: number): void {
      issue('group', clean(title));
      for (const line of showLines(text, redact, limit, maxLines)) {
        process.stdout.write(`${line}\n`);
      }
      issue('endgroup');
    },
    /** Adds an annotation to the page of the run. */
    annotate(level: 'notice' | 'warning' | 'error', title: string, lines: readonly string[]): void {
      issueCommand(level, { title: clean(title) }, lines.map(clean).join('\n'));
    },
    /** Masks a secret in the logs of all steps. */
    mask(secret: string): void {
      issueCommand('add-mask', {}, secret);
    },
    /** Writes outputs. If that fails, returns the reason, and earlier outputs are kept. */
    setOutputs(outputs: Readonly<Record<string, string>>): string | undefined {
      return writeTo('GITHUB_OUTPUT', (path, size) => {
        const lines = Object.entries(outputs).map((one) => prepareKeyValueMessage(...one) + EOL);
        try {
          appendFileSync(path, lines.join(''));
        } catch (error) {
          // The runner rejects the whole file if its last value is cut off.
          truncateSync(path, size);
          throw error;
        }
      });
    },
    /** Replaces the job summary. If that fails, returns the reason. */
    replaceSummary(markdown: string): string | undefined {
      return writeTo('GITHUB_STEP_SUMMARY', (path) => {
        const text = Buffer.from(`${redact(markdown)}\n`);
        // The file is never empty, even if the process is killed meanwhile.
        writeFileSync(path, text, { flag: 'r+' });
        truncateSync(path, text.length);
      });
    },
  };
}

/** Writes to a file of the runner. If that fails, returns the reason. */
function writeTo(variable: string, write: (path: string, size: number) => void) {
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
