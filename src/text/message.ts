import { escapeMarkdown } from './markdown.ts';
import type { Redact } from './redact.ts';
import { quote } from './sanitize.ts';

/** A piece of a message. Only `text` is written by us; `untrusted` may hold anything. */
interface Segment {
  readonly kind: 'text' | 'code' | 'link' | 'untrusted';
  readonly value: string;
}

/** A sentence in segments, so that a log and a Markdown page can each show it in their own way. */
export type Message = readonly Segment[];

const UNTRUSTED_LIMIT = 300;
/** Quoted text that can stand in a code span, also in a table. */
const CODE = /^[^|]{1,100}$/;

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

/** Returns a message without the secrets. To be called before rendering, which cuts and escapes. */
export function redactMessage(parts: Message, redact: Redact): Message {
  return parts.map((segment) => ({ ...segment, value: redact(segment.value) }));
}

/** Returns a message for a log or an annotation, as one line in which code has backticks. */
export function toPlainText(parts: Message): string {
  return parts.map((part) => (part.kind === 'code' ? `\`${show(part)}\`` : show(part))).join('');
}

/** Returns a message without the secrets, as one line of Markdown. */
export function toMarkdown(parts: Message, redact: Redact): string {
  return redactMessage(parts, redact).map(toMarkdownSegment).join('');
}

function toMarkdownSegment(segment: Segment): string {
  const shown = show(segment);
  switch (segment.kind) {
    case 'text':
    case 'untrusted':
      return escapeMarkdown(shown);
    case 'link':
      return `[${escapeMarkdown(shown)}](${shown})`;
    case 'code':
      return CODE.test(shown) ? `\`${shown}\`` : escapeMarkdown(shown);
  }
}

function show({ kind, value }: Segment): string {
  return kind === 'text' || kind === 'link' ? value : quote(value, UNTRUSTED_LIMIT);
}
