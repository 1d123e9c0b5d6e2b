/** The arithmetic mean, or NaN for no values. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** The sum, or 0 for no values. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The value below which a share of all values lies, interpolated, or NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** The median, or NaN for no values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** A source of numbers in [0, 1) that is the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The middle 95 % of the ratio of two medians, by resampling both samples 1,000 times: the range of
 * other runs.
 */
export function toRatioRange(
  values: readonly number[],
  references: readonly number[],
): [number, number] {
  const random = createRandom(1);
  const redraw = (sample: readonly number[]): number[] =>
    sample.map(() => sample[Math.floor(random() * sample.length)] ?? Number.NaN);
  const ratios = Array.from(
    { length: 1_000 },
    () => median(redraw(values)) / median(redraw(references)),
  );
  return [quantile(ratios, 0.025), quantile(ratios, 0.975)];
}

/**
 * The probability that a normal variable is below `z` (Abramowitz and Stegun 26.2.17, error below
 * 1e-7).
 */
export function toNormalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (series * Math.exp(-(z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z < 0 ? tail : 1 - tail;
}

/** The inverse of `toNormalShare`, by bisection. */
export function toNormalQuantile(share: number): number {
  let [low, high] = [-9, 9];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    [low, high] = toNormalShare(middle) < share ? [middle, high] : [low, middle];
  }
  return low;
}
