const REDACTED = '***';
/** A key below this length is refused as an input, and too short to be taken out of a text safely. */
export const MIN_KEY_LENGTH = 16;

/**
 * Returns a function that takes every form of the secrets out of a text: as they are, percent-encoded in whole
 * or in part, in hex, and in base64 or base64url at any position of the encoded bytes (so `Bearer <key>` and
 * `user:<key>` too). A secret that is too short to be valid is left alone.
 */
export function createRedactor(...secrets: readonly string[]): (text: string) => string {
  const long = secrets.filter((secret) => secret.length >= MIN_KEY_LENGTH);
  if (long.length === 0) {
    return (text) => text;
  }
  const fixed = long.flatMap(toFixedForms).map((form) => form.toUpperCase());
  let pattern: RegExp | undefined;
  return (text) => {
    const upper = text.toUpperCase();
    // Few texts hold a secret, and to compile the pattern takes longer than all else before the create.
    if (!upper.includes('%') && !fixed.some((form) => upper.includes(form))) {
      return text;
    }
    pattern ??= new RegExp(long.flatMap(toPatterns).join('|'), 'gi');
    return text.replace(pattern, REDACTED);
  };
}

function toPatterns(secret: string): string[] {
  return [toPercentPattern(secret), ...toFixedForms(secret).map(escapeRegExp)];
}

/** Each byte as it is or percent-encoded. */
function toPercentPattern(secret: string): string {
  return [...Buffer.from(secret)]
    .map((byte) => {
      const character = escapeRegExp(String.fromCharCode(byte));
      return `(?:${character}|%${byte.toString(16).padStart(2, '0')})`;
    })
    .join('');
}

function toFixedForms(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('hex'), ...toBase64Forms(secret)];
}

/** Base64 of the key behind 0, 1 and 2 other bytes, less the characters that depend on its neighbours. */
function toBase64Forms(key: string): string[] {
  const bytes = Buffer.from(key);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    const stable = encoded.slice(first, last);
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
