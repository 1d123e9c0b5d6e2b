import { closeSync, openSync, statSync } from 'node:fs';
import { toErrorText } from './errors.ts';
import { neutralise } from './text.ts';
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

/** What can be left on the run page; everything but outputs is redacted and neutralised by its author. */
export interface Publisher {
  /** Throws when there is no output file, or it is gone. */
  setOutputs(outputs: Readonly<Record<string, string>>): void;
  /** Replaces the job summary. Returns why it could not be written, or undefined. */
  replaceSummary(markdown: string): Promise<string | undefined>;
  annotate(level: 'notice' | 'warning' | 'error', title: string, text: string): void;
  /** Shows lines in a group that is closed until someone opens it. */
  group(title: string, lines: readonly string[]): void;
  /** Shown only where step debugging is on. */
  debug(text: string): void;
}

/** The toolkit's side of the run page. */
export async function loadPublisher(): Promise<Publisher> {
  return {
    setOutputs(outputs) {
      for (const [name, value] of Object.entries(outputs)) {
        issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
      }
    },
    async replaceSummary(markdown) {
      try {
        await summary.emptyBuffer().addRaw(markdown, true).write({ overwrite: true });
        return undefined;
      } catch (error) {
        return toErrorText(error);
      }
    },
    annotate(level, title, text) {
      issueCommand(level, { title }, text);
    },
    group(title, lines) {
      issue('group', title);
      for (const line of lines) {
        process.stdout.write(`${line}\n`);
      }
      issue('endgroup');
    },
    debug(text) {
      if (process.env['RUNNER_DEBUG'] === '1') {
        issueCommand('debug', {}, neutralise(text));
      }
    },
  };
}
