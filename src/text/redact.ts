const REDACTED = '***';
/** A secret below this length is refused as an input: it could not be taken out of a text safely. */
export const MIN_SECRET_LENGTH = 16;
/** Pieces of a secret from this length on are taken out. */
const MIN_PIECE_LENGTH = 8;
const PREFIX = /^(?:[A-Za-z][A-Za-z-]*_){1,3}/;

/** Takes secrets out of text. */
export type Redact = (text: string) => string;

/** A way to write a secret, and how many of its characters hold the shortest piece that is taken out. */
interface Form {
  readonly text: string;
  readonly pieceLength: number;
}

/**
 * Returns a function that takes out every piece of the API key that is at least eight characters long, and the other
 * secrets as a whole: as they are, percent-encoded in whole or in part, in hex, and in base64 or base64url at any
 * position of the encoded bytes (so `Bearer <key>` and `user:<key>`, too). A secret that is too short to be valid is
 * left alone.
 */
export function createRedactor(apiKey: string, ...others: readonly string[]): Redact {
  const secrets = [apiKey, ...others].filter(isValid);
  const forms = [
    ...secrets.flatMap((secret) => getForms(secret)).map(({ text }) => ({ text, pieceLength: text.length })),
    ...[apiKey].filter(isValid).flatMap((key) => getForms(key.slice(getPublicLength(key)))),
  ];
  if (forms.length === 0) {
    return (text) => text;
  }
  const pieces = groupPieces(forms);
  return (text) => {
    const { characters, starts } = decodePercent(text);
    const spans = [...pieces].flatMap(([length, group]) => findSpans(characters, length, group));
    return replaceSpans(
      text,
      spans.map(([from, to]) => [starts[from] ?? text.length, starts[to] ?? text.length]),
    );
  };
}

/** True if the text holds the whole secret, or all of it behind its prefix, in any form. */
export function holdsSecret(text: string, secret: string): boolean {
  const { characters } = decodePercent(text);
  const behindPrefix = secret.replace(PREFIX, '');
  const wholes = behindPrefix.length < MIN_PIECE_LENGTH ? [secret] : [secret, behindPrefix];
  return (
    isValid(secret) && wholes.flatMap(getForms).some((form) => characters.includes(toUpperAscii(form.text)))
  );
}

function isValid(secret: string): boolean {
  return secret.length >= MIN_SECRET_LENGTH;
}

/**
 * The length of the part of a key that tells nothing: a prefix such as `mint_` or `docs-agent_live_` is made of words,
 * which ids, links, and our own messages hold, too. A piece must have four characters behind it.
 */
function getPublicLength(key: string): number {
  const [prefix = ''] = PREFIX.exec(key) ?? [];
  return Math.max(0, prefix.length - MIN_PIECE_LENGTH / 2);
}

function getForms(secret: string): Form[] {
  return [
    { text: secret, pieceLength: MIN_PIECE_LENGTH },
    // What `decodePercent` makes of characters beyond ASCII.
    { text: Buffer.from(secret).toString('latin1'), pieceLength: MIN_PIECE_LENGTH },
    { text: Buffer.from(secret).toString('hex'), pieceLength: 2 * MIN_PIECE_LENGTH },
    ...getBase64Forms(secret),
  ];
}

/** Base64 of the secret behind 0, 1, and 2 other bytes, without the characters that depend on its neighbors. */
function getBase64Forms(secret: string): Form[] {
  const bytes = Buffer.from(secret);
  // Eight bytes are 64 bits, of which up to ten share a character with a neighbor.
  const pieceLength = Math.floor((8 * MIN_PIECE_LENGTH - 10) / 6);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    const stable = encoded.slice(first, last);
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')].map((text) => ({ text, pieceLength }));
  });
}

/** All shortest pieces, in upper case, by their length. */
function groupPieces(forms: readonly Form[]): Map<number, Set<string>> {
  const groups = new Map<number, Set<string>>();
  for (const { text, pieceLength } of forms) {
    const group = groups.get(pieceLength) ?? new Set();
    groups.set(pieceLength, group);
    for (let index = 0; index + pieceLength <= text.length; index += 1) {
      group.add(toUpperAscii(text.slice(index, index + pieceLength)));
    }
  }
  return groups;
}

/** The text in upper case with its percent-encodings decoded, a character a byte, and where each character began. */
function decodePercent(text: string): { characters: string; starts: readonly number[] } {
  const starts: number[] = [];
  let characters = '';
  let index = 0;
  for (const part of text.split(/(%[0-9A-Fa-f]{2})/)) {
    if (/^%[0-9A-Fa-f]{2}$/.test(part)) {
      characters += String.fromCharCode(Number.parseInt(part.slice(1), 16));
      starts.push(index);
    } else {
      characters += part;
      for (let offset = 0; offset < part.length; offset += 1) {
        starts.push(index + offset);
      }
    }
    index += part.length;
  }
  return { characters: toUpperAscii(characters), starts };
}

/** `toUpperCase` may change the length of a text that is not ASCII, and with it every position. */
function toUpperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function findSpans(characters: string, length: number, pieces: ReadonlySet<string>): [number, number][] {
  const spans: [number, number][] = [];
  for (let index = 0; index + length <= characters.length; index += 1) {
    if (pieces.has(characters.slice(index, index + length))) {
      spans.push([index, index + length]);
    }
  }
  return spans;
}

/** Replaces each run of overlapping or adjoining spans. */
function replaceSpans(text: string, spans: readonly (readonly [number, number])[]): string {
  let result = '';
  let end = 0;
  let isOpen = false;
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (!isOpen || from > end) {
      result += text.slice(end, from) + REDACTED;
      isOpen = true;
    }
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}
