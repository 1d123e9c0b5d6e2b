/** The length of `Sun, 06 Nov 1994 08:49:37 GMT`. */
const DATE_LENGTH = 29;

/**
 * Returns how long a response asks to wait, in milliseconds: the longest of its `Retry-After`
 * fields (RFC 9110 section 10.2.3). A date is compared with the `Date` of the same response, or
 * with our clock if that is absent or malformed. Undefined if no field is a number of seconds or a
 * date. Can be infinity.
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

/** Parses a date in the preferred form, or in one of the obsolete ones (RFC 9110 section 5.6.7). */
function parseDate(text = ''): number | undefined {
  const date = text
    .replace(/^(\w{3})\w*day, (\d\d)-(\w{3})-(\d\d) (\S+) GMT$/, '$1, $2 $3 20$4 $5 GMT')
    .replace(/^(\w{3}) (\w{3}) {2}(\d) /, '$1 $2 0$3 ')
    .replace(/^(\w{3}) (\w{3}) (\d\d) (\S+) (\d{4})$/, '$1, $3 $2 $5 $4 GMT');
  const ms = Date.parse(date);
  // `Date.parse` also accepts other texts, such as a wrong day of the week.
  return date.length === DATE_LENGTH && new Date(ms).toUTCString() === date ? ms : undefined;
}
