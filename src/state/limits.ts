/** A job on record is gone once the service has not found it for this long. */
export const GONE_AFTER_MS = 60_000;

/** The longest wait for the job id of another attempt that is starting the job. */
export const RIVAL_TIMEOUT_MS = 120_000;
