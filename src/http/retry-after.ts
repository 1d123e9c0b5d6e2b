/**
 * Returns a Retry-After field (RFC 9110 section 10.2.3) in milliseconds, or undefined if it is
 * neither a number of up to nine digits nor a date in the standard format. A date is compared with
 * the `Date` of the same response, never our clock.
 */
export function parseRetryAfter(value = '', date = ''): number | undefined {
  if (/^\d{1,9}$/.test(value)) {
    return Number(value) * 1000;
  }
  const delayMs = parseFixdate(value) - parseFixdate(date);
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

function parseFixdate(text: string): number {
  const ms = Date.parse(text);
  // A date in the standard format has 29 characters. A longer text has a year of more than four
  // digits.
  return text.length === 29 && new Date(ms).toUTCString() === text ? ms : Number.NaN;
}
