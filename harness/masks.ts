import type { RunnerCommand } from './runner-commands.ts';

/** The values that the runner masks because of `add-mask` commands: each one whole and line by line. */
export function collectMasks(commands: Pick<RunnerCommand, 'name' | 'data'>[]): string[] {
  const values = commands
    .filter(({ name, data }) => name === 'add-mask' && data.trim() !== '')
    .flatMap(({ data }) => [data, ...data.split(/[\r\n]+/).map((line) => line.trim())]);
  return [...new Set(values)].filter((value) => value !== '');
}

/**
 * The text as the runner's log shows it: masked values, and their base64, URL, JSON, XML and quoted forms, are
 * `***`. Overlapping and touching places become one.
 */
export function maskText(text: string, masks: string[]): string {
  const places = masks.flatMap(encodeMask).flatMap((form) => findAll(text, form));
  places.sort((a, b) => a.start - b.start);
  let masked = '';
  let position = 0;
  for (const [index, { start, end }] of places.entries()) {
    if (index === 0 || start > position) masked += `${text.slice(position, start)}***`;
    position = Math.max(position, end);
  }
  return masked + text.slice(position);
}

function encodeMask(mask: string): string[] {
  const bytes = Buffer.from(mask);
  const base64 = [0, 1, 2].map((shift) => bytes.subarray(shift).toString('base64').replace(/=+$/, ''));
  const forms = [
    mask,
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    encodeURIComponent(bytes.toString()).replace(/[!'()*]/g, (other) => `%${toHex(other)}`),
    JSON.stringify(mask).slice(1, -1),
    mask.replace(/[<>"'&]/g, (character) => xmlEntities[character] ?? character),
    mask.replaceAll("'", "''"),
    mask.replaceAll('"', '\\"'),
    mask.length > 8 ? (/^"([\s\S]*)"$/.exec(mask)?.[1] ?? '') : '',
  ];
  return [...new Set(forms)].filter((form) => form !== '');
}

const xmlEntities: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '&': '&amp;',
};

const toHex = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase();

function findAll(text: string, form: string): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = [];
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
    places.push({ start, end: start + form.length });
  }
  return places;
}
