import { toNormalQuantile, toNormalShare } from './statistics.ts';

export interface JobMix {
  readonly medianSeconds: number;
  /** Standard deviation of the logarithm. */
  readonly sigma: number;
  /** A length beyond the bounds is either set to the bound or dropped. */
  readonly beyond: 'clipped' | 'left out';
}

/**
 * Median 4 minutes, log-normal, 3 seconds to 60 minutes. The spread is our reading: two thirds take
 * 72 s to 13 min.
 */
export const USUAL_MIX: JobMix = { medianSeconds: 240, sigma: 1.2, beyond: 'clipped' };

const MIN_SECONDS = 3;
const MAX_SECONDS = 3_600;

/**
 * The lengths of `count` jobs in milliseconds, at evenly spaced quantiles of the mix, without
 * randomness.
 */
export function createJobLengths(
  { medianSeconds, sigma, beyond }: JobMix,
  count: number,
): number[] {
  const toShare = (seconds: number): number =>
    toNormalShare(Math.log(seconds / medianSeconds) / sigma);
  const [low, high] = beyond === 'clipped' ? [0, 1] : [toShare(MIN_SECONDS), toShare(MAX_SECONDS)];
  return Array.from({ length: count }, (_, index) => {
    const share = low + (high - low) * ((index + 0.5) / count);
    const seconds = medianSeconds * Math.exp(sigma * toNormalQuantile(share));
    return 1000 * Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, seconds));
  });
}
