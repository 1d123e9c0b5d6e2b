/** Such as `Sunday, 06-Nov-94 08:49:37 GMT`. */
const RFC_850 = /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-(\w{3})-(\d\d) (\S{8}) GMT$/;
/** Such as `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (\S{8}) (\d{4})$/;
/** The length of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const STANDARD_LENGTH = 29;

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
  const delays = fields.map((field) => parseDelay(field, date, nowMs));
  const valid = delays.filter((delayMs) => delayMs !== undefined);
  return valid.length === 0 ? undefined : Math.max(...valid);
}

function parseDelay(field: string, date = '', nowMs: number): number | undefined {
  if (/^\d+$/.test(field)) {
    return Number(field) * 1000;
  }
  const untilMs = parseHttpDate(field, nowMs);
  const sinceMs = parseHttpDate(date, nowMs) ?? nowMs;
  return untilMs === undefined ? undefined : Math.max(0, untilMs - sinceMs);
}

/** Parses the three forms of a date that recipients accept (RFC 9110 section 5.6.7). */
function parseHttpDate(text: string, nowMs: number): number | undefined {
  const standard = toStandardForm(text, nowMs);
  const ms = Date.parse(standard);
  // `Date.parse` also accepts other texts, such as a wrong day of the week.
  const isExact = new Date(ms).toUTCString() === standard;
  return standard.length === STANDARD_LENGTH && isExact ? ms : undefined;
}

/** Rewrites the two obsolete forms. Returns any other text as it is. */
function toStandardForm(text: string, nowMs: number): string {
  const rfc850 = RFC_850.exec(text);
  if (rfc850 !== null) {
    const [, weekday = '', day, month, year, time] = rfc850;
    const fullYear = completeYear(Number(year), nowMs);
    return `${weekday.slice(0, 3)}, ${day} ${month} ${fullYear} ${time} GMT`;
  }
  const asctime = ASCTIME.exec(text);
  if (asctime !== null) {
    const [, weekday, month, day = '', time, year] = asctime;
    return `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`;
  }
  return text;
}

/** Two digits stand for no year that is more than 50 years ahead (RFC 9110 section 5.6.7). */
function completeYear(digits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + 50 ? year - 100 : year;
}
