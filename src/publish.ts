import { closeSync, openSync, statSync } from 'node:fs';
import { toErrorText } from './errors.ts';
import { neutralise } from './text.ts';

/** Registers a secret with the runner, in its documented command format, so that all logs mask it. */
export function maskSecret(secret: string): void {
  process.stdout.write(`::add-mask::${secret}\n`);
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

/**
 * The toolkit's side of the run page. It is loaded when it is first needed, after the create has been sent:
 * loading it takes longer than everything before the create together.
 */
export async function loadPublisher(): Promise<Publisher> {
  const toolkit = await import('@actions/core');
  return {
    setOutputs(outputs) {
      if (!process.env['GITHUB_OUTPUT']) {
        // The toolkit would fall back to `::set-output` on standard output.
        throw new Error('GITHUB_OUTPUT is not set');
      }
      for (const [name, value] of Object.entries(outputs)) {
        toolkit.setOutput(name, value);
      }
    },
    async replaceSummary(markdown) {
      try {
        await toolkit.summary.emptyBuffer().addRaw(markdown, true).write({ overwrite: true });
        return undefined;
      } catch (error) {
        return toErrorText(error);
      }
    },
    annotate(level, title, text) {
      toolkit[level](text, { title });
    },
    group(title, lines) {
      toolkit.startGroup(title);
      for (const line of lines) {
        toolkit.info(line);
      }
      toolkit.endGroup();
    },
    debug(text) {
      if (toolkit.isDebug()) {
        toolkit.debug(neutralise(text));
      }
    },
  };
}
