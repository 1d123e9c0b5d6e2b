import { escapeMarkdown } from './markdown.ts';
import type { Redact } from './redact.ts';
import { quote } from './sanitize.ts';

/** A piece of a message. Only `text` is written by us; `untrusted` may hold anything. */
interface Segment {
  readonly kind: 'text' | 'code' | 'link' | 'untrusted';
  readonly value: string;
}

/** A sentence that keeps its structure, so that a log and a Markdown page can each show it in their way. */
export type Message = readonly Segment[];

const UNTRUSTED_LIMIT = 300;
/** Nothing that could end a code span. */
const CODE = /^(?! )[^`|\p{C}]{1,100}(?<! )$/u;

/** Template tag for messages. A plain string between the braces counts as untrusted. */
export function message(strings: TemplateStringsArray, ...values: readonly (string | Message)[]): Message {
  return strings.flatMap((text, index): Message => {
    const value = values[index] ?? [];
    const inserted: Message = typeof value === 'string' ? [{ kind: 'untrusted', value }] : value;
    return text === '' ? inserted : [{ kind: 'text', value: text }, ...inserted];
  });
}

/** A name or value to be shown as code, such as an input. */
export function code(value: string): Message {
  return [{ kind: 'code', value }];
}

/** A sanitized link. */
export function link(value: string): Message {
  return [{ kind: 'link', value }];
}

/** Several sentences as one message. */
export function joinMessages(...messages: readonly Message[]): Message {
  return messages.flatMap((part, index) =>
    index === 0 ? part : [{ kind: 'text', value: ' ' } as const, ...part],
  );
}

/** Returns a message without the secrets. To be called before rendering: escapes would hide a secret in the result. */
export function redactMessage(parts: Message, redact: Redact): Message {
  return parts.map((segment) => ({ ...segment, value: redact(segment.value) }));
}

/** Returns a message for a log or an annotation, as one line in which code has backticks. */
export function toPlainText(parts: Message): string {
  return parts.map(toPlainSegment).join('');
}

/** Returns a message as one line of Markdown. */
export function toMarkdown(parts: Message): string {
  return parts.map(toMarkdownSegment).join('');
}

function toPlainSegment({ kind, value }: Segment): string {
  switch (kind) {
    case 'text':
    case 'link':
      return value;
    case 'code':
      return `\`${quote(value, UNTRUSTED_LIMIT)}\``;
    case 'untrusted':
      return quote(value, UNTRUSTED_LIMIT);
  }
}

function toMarkdownSegment({ kind, value }: Segment): string {
  switch (kind) {
    case 'text':
      return keepOuterSpace(value);
    case 'link':
      return `[${escapeMarkdown(value)}](${value})`;
    case 'code':
      return CODE.test(value) ? `\`${value}\`` : escapeMarkdown(quote(value, UNTRUSTED_LIMIT));
    case 'untrusted':
      return escapeMarkdown(quote(value, UNTRUSTED_LIMIT));
  }
}

/** `escapeMarkdown` trims, but between two segments a space matters. */
function keepOuterSpace(text: string): string {
  const start = /^\s/.test(text) ? ' ' : '';
  const end = /\S\s$/.test(text) ? ' ' : '';
  return `${start}${escapeMarkdown(text)}${end}`;
}
