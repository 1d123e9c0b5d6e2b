/** One figure. The target is met if `value` is at most `limit`. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Absent if the figure is only a reference for another one. */
  readonly limit?: number;
  readonly note?: string;
}

/** A measure by its name on the command line. */
export interface Measure {
  readonly name: string;
  readonly description: string;
  /** A quick run shows that everything works, but its figures are too few to quote. */
  run(isQuick: boolean): Promise<Row[]>;
}

/** Returns the rows as a Markdown table. A quick run can't tell whether a target is met. */
export function renderRows(rows: readonly Row[], isQuick: boolean): string {
  const lines = rows.map(({ what, value, unit, limit, note }) => {
    const target = limit === undefined ? '–' : `≤ ${limit} ${unit}`;
    return `| ${[what, `${format(value)} ${unit}`, target, judge(value, limit, isQuick), note ?? '–'].join(' | ')} |`;
  });
  return ['| What | Result | Target | Met | Note |', '|---|---|---|---|---|', ...lines].join('\n');
}

function judge(value: number, limit: number | undefined, isQuick: boolean): string {
  if (limit === undefined || isQuick) {
    return '–';
  }
  return value <= limit ? 'yes' : '**no**';
}

function format(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** The middle value, or NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const below = sorted[Math.floor(middle)] ?? Number.NaN;
  const above = sorted[Math.ceil(middle)] ?? Number.NaN;
  return (below + above) / 2;
}
