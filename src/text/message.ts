import { escapeMarkdown } from './markdown.ts';
import { type Redact, redactStart } from './redact.ts';
import { sanitize } from './sanitize.ts';

/** A piece of a message. Only `text` is ours; `untrusted` can be anything. */
interface Segment {
  readonly kind: 'text' | 'code' | 'link' | 'untrusted';
  readonly value: string;
}

/** A sentence in segments, so that the log and the summary can each format it. */
export type Message = readonly Segment[];

const UNTRUSTED_LIMIT = 300;
/** Text that fits in a code span, even in a table cell. */
const CODE = /^[^|]{1,100}$/;

/**
 * Template tag for messages. Text in braces, such as `{job-id}`, is shown as code. Inserted strings
 * are untrusted. A line break means a space.
 */
export function message(
  strings: TemplateStringsArray,
  ...values: readonly (string | Message)[]
): Message {
  return strings.flatMap((text, index): Message => {
    const value = values[index] ?? [];
    const inserted = typeof value === 'string' ? untrusted(value) : value;
    return [...parseText(text.replace(/\s*\n\s*/g, ' ')), ...inserted];
  });
}

function parseText(text: string): Message {
  return text
    .split(/\{([^{}]+)\}/)
    .map((value, index) => ({ kind: index % 2 === 0 ? 'text' : 'code', value }) as const)
    .filter(({ value }) => value !== '');
}

/** Returns a name or value that is shown as code, such as an input. */
export const code = (value: string): Message => [{ kind: 'code', value }];

/** Returns what others wrote as a message. */
export const untrusted = (value: string): Message => [{ kind: 'untrusted', value }];

/** Returns a sanitized link as a message. Empty without a link. */
export const link = (value = ''): Message => (value === '' ? [] : [{ kind: 'link', value }]);

/** Joins sentences with spaces. Leaves out those that are empty. */
export function joinSentences(...sentences: readonly Message[]): Message {
  const [first = [], ...others] = sentences.filter((sentence) => sentence.length > 0);
  return others.reduce((before, next) => message`${before} ${next}`, first);
}

/** Returns a detail as a sentence of its own. Empty if the detail is. */
export function toSentence(detail: Message): Message {
  const [first, ...others] = detail.filter(({ value }) => value !== '');
  if (first === undefined) {
    return [];
  }
  const { kind, value } = first;
  const isWord = kind === 'text' || kind === 'untrusted';
  const start = isWord ? { kind, value: value.charAt(0).toUpperCase() + value.slice(1) } : first;
  // A period would become part of a link.
  const last = [first, ...others].at(-1);
  const isComplete = last?.kind === 'link' || /[.!?]$/.test(last?.value ?? '');
  return [start, ...others, ...(isComplete ? [] : message`.`)];
}

/** Returns sentences that have a name in place of a link. */
export function replaceLink(parts: Message, url: string | undefined, name: Message): Message {
  const isLink = ({ kind, value }: Segment): boolean => kind === 'link' && value === url;
  return toSentence(parts.flatMap((part) => (isLink(part) ? name : part)));
}

/** Redacts a message and formats it as a line of the log. Cuts untrusted parts to `limit`. */
export function toPlainText(parts: Message, redact: Redact, limit = UNTRUSTED_LIMIT): string {
  const shown = parts.map((part) => {
    const text = show(part, redact, limit);
    return part.kind === 'code' ? `\`${text}\`` : text;
  });
  return shown.join('');
}

/** Redacts a message and formats it as one line of Markdown. */
export function toMarkdown(parts: Message, redact: Redact): string {
  const shown = parts.map((part) => {
    const text = show(part, redact, UNTRUSTED_LIMIT);
    if (part.kind === 'code' && CODE.test(text)) {
      return `\`${text}\``;
    }
    // A label would be escaped with invisible characters, which break the address once copied.
    return part.kind === 'link' ? `<${text}>` : escapeMarkdown(text);
  });
  return shown.join('');
}

/** Redacts a part first, because what follows cuts and escapes text. */
function show({ kind, value }: Segment, redact: Redact, limit: number): string {
  const text = redactStart(value, UNTRUSTED_LIMIT, redact);
  const isOwn = kind === 'text' || kind === 'link';
  // In the middle of a sentence, backticks would look like code.
  return isOwn ? text : sanitize(text, limit).trim().replaceAll('`', "'");
}
