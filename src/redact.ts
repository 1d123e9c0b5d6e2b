const REDACTED = '***';
/** A key below this length is refused as an input, and too short to be taken out of a text safely. */
export const MIN_KEY_LENGTH = 16;

/**
 * Returns a function that takes every form of the key out of a text: as it is, percent-encoded, in hex, and
 * in base64 or base64url at any position of the encoded bytes (so `Bearer <key>` and `user:<key>` too).
 * A key that is too short to be valid is left alone.
 */
export function createRedactor(key: string): (text: string) => string {
  if (key.length < MIN_KEY_LENGTH) {
    return (text) => text;
  }
  const forms = [key, encodeURIComponent(key), ...toBase64Forms(key)].map(escapeRegExp);
  const hex = Buffer.from(key).toString('hex');
  const percent = hex.replace(/../g, '%$&');
  const pattern = new RegExp([...new Set(forms), hex, percent].join('|'), 'gi');
  return (text) => text.replace(pattern, REDACTED);
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
