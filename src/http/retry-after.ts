/**
 * A Retry-After field (RFC 9110 section 10.2.3) in milliseconds, or undefined when it is neither up to nine
 * digits nor an HTTP-date. A date is measured against the `Date` of the same response, never our clock.
 */
export function parseRetryAfter(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (/^\d{1,9}$/.test(value)) {
    return Number(value) * 1000;
  }
  const at = parseDate(value);
  const now = date === undefined ? undefined : parseDate(date);
  return at === undefined || now === undefined ? undefined : Math.max(0, at - now);
}

const RFC_850 =
  /^(Mon(?=day,)|Tue(?=sday,)|Wed(?=nesday,)|Thu(?=rsday,)|Fri(?=day,)|Sat(?=urday,)|Sun(?=day,))[a-z]+, (\d\d)-(\w{3})-(\d\d) ([\d:]{8}) GMT$/;
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/;

/** Parses the three forms of an HTTP-date, all of which a recipient must accept (RFC 9110 section 5.6.7). */
function parseDate(text: string): number | undefined {
  return parseFixdate(
    text
      .replace(RFC_850, (_, weekday, day, month, year: string, time) => {
        return `${weekday}, ${day} ${month} ${toFullYear(year)} ${time} GMT`;
      })
      .replace(ASCTIME, (_, weekday, month, day: string, time, year) => {
        return `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`;
      }),
  );
}

/** The year with these last two digits that is no more than 50 years in the future. */
function toFullYear(lastDigits: string): number {
  const latest = new Date().getUTCFullYear() + 50;
  const year = latest - (latest % 100) + Number(lastDigits);
  return year > latest ? year - 100 : year;
}

function parseFixdate(text: string): number | undefined {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === text ? ms : undefined;
}
