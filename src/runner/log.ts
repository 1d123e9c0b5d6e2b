import { sanitize } from '../text/sanitize.ts';

const LINE_LIMIT = 1_000;

/** Writes lines to the log; whatever they hold, the runner reads them as plain text. */
export interface Log {
  line(text: string): void;
}

/** A log on standard output that takes the key out of every line. */
export function createLog(redact: (text: string) => string): Log {
  return {
    line(text) {
      process.stdout.write(`${sanitize(redact(text), LINE_LIMIT)}\n`);
    },
  };
}
