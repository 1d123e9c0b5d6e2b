/** The value of `changes-since` for the commit of the newest successful run. */
export const LAST_RUN = 'last successful run';

/** Returns the name of a branch or tag without the beginning of its full ref. */
export function toRefName(text: string): string {
  return text.replace(/^refs\/(?:heads|tags)\//, '');
}

/** True for the id of no commit. */
export function isZeros(text: string): boolean {
  return /^0{40,64}$/.test(text);
}
