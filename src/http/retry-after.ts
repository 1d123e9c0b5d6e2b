/** The length of `Sun, 06 Nov 1994 08:49:37 GMT`. */
const DATE_LENGTH = 29;

/**
 * Returns how long a response asks to wait, in milliseconds: the longest of its `Retry-After`
 * fields (RFC 9110 section 10.2.3). A date is compared with the `Date` of the same response, or
 * with our clock if that is absent or malformed. Undefined if no field is a number of seconds or a
 * date in the preferred form. Can be infinity.
 */
export function parseRetryAfter(
  fields: readonly string[],
  date: string | undefined,
  nowMs: number,
): number | undefined {
  const sinceMs = parseDate(date) ?? nowMs;
  const delays = fields.flatMap((field) => parseDelay(field, sinceMs) ?? []);
  return delays.length === 0 ? undefined : Math.max(...delays);
}

function parseDelay(field: string, sinceMs: number): number | undefined {
  if (/^\d+$/.test(field)) {
    return Number(field) * 1000;
  }
  const untilMs = parseDate(field);
  return untilMs === undefined ? undefined : Math.max(0, untilMs - sinceMs);
}

/** Parses an IMF-fixdate (RFC 9110 section 5.6.7). */
function parseDate(text = ''): number | undefined {
  const ms = Date.parse(text);
  // `Date.parse` also accepts other texts, such as a wrong day of the week.
  return text.length === DATE_LENGTH && new Date(ms).toUTCString() === text ? ms : undefined;
}
