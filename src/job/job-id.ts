// A colon may stand alone only: the log and the marker of a job record break `::` up.
const JOB_ID = /^(?!.*::)[A-Za-z0-9_-][A-Za-z0-9._~:-]{0,127}$/;

/** True for an id that, once encoded, is exactly one segment of a URL path. */
export function isJobId(value: string): boolean {
  return JOB_ID.test(value);
}
