import type { RunnerCommand } from './runner-commands.ts';

/** Returns the values that `add-mask` commands hide, each one whole and line by line. */
export function collectMasks(commands: Pick<RunnerCommand, 'name' | 'data'>[]): string[] {
  const values = commands
    .filter(({ name }) => name === 'add-mask')
    .flatMap(({ data }) => [data, ...data.split(/[\r\n]+/).map((line) => line.trim())]);
  return [...new Set(values)].filter((value) => value.trim() !== '');
}

/** Returns the text with `***` for each masked value. A runner also hides their base64, URL, JSON, and XML forms. */
export function maskText(text: string, masks: string[]): string {
  return masks
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, mask) => shown.replaceAll(mask, '***'), text);
}
