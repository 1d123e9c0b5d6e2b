/** Formats milliseconds for people: `7 s`, `4 min 12 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const parts =
    minutes < 60
      ? [`${minutes} min`, `${seconds % 60} s`]
      : [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ') || '0 s';
}

/** Formats an instant, in milliseconds since 1970, for people: `2026-11-24 02:14:07 UTC`. */
export function formatInstant(ms: number): string {
  return `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}
