/** A header field as undici hands it over: one value, or one for each line. */
export type FieldLines = string | readonly string[] | undefined;

/** The value, if all lines have the same; without the white space around it (RFC 9110 section 5.5). */
export function getSingleValue(lines: FieldLines): string | undefined {
  const [value, ...others] = toValues(lines);
  return others.every((other) => other === value) ? value : undefined;
}

/**
 * Whether a Content-Encoding names a coding that has to be undone (RFC 9110 section 8.4). Codings are
 * case-insensitive, a list may have empty members, and `identity` changes nothing.
 */
export function isEncoded(lines: FieldLines): boolean {
  return toValues(lines)
    .flatMap((value) => value.split(','))
    .map((coding) => trim(coding).toLowerCase())
    .some((coding) => coding !== '' && coding !== 'identity');
}

function toValues(lines: FieldLines): string[] {
  if (typeof lines === 'string') {
    return [trim(lines)];
  }
  return Array.isArray(lines) ? lines.map(trim) : [];
}

/** Without spaces and tabs at both ends; in linear time, which a pattern for the end would not be. */
function trim(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) {
    end -= 1;
  }
  return text.slice(0, end).replace(/^[ \t]+/, '');
}
