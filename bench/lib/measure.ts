/** `exact` is a ratio that is computed, not timed, so its third digit is meaningful. */
export type Unit = 'ratio' | 'exact' | 'percent' | 'seconds' | 'megabytes' | 'count';

/** One figure with its reference. The target is met if `value` is at most `limit`. */
export interface Row {
  readonly measure: string;
  readonly reference: string;
  readonly value: number;
  readonly unit: Unit;
  /** Absent if the figure only explains another one. */
  readonly limit?: number;
  /** Spread, number of runs, or the parts of the value. */
  readonly note?: string;
}

/** The results of one measure. */
export interface Findings {
  readonly rows: readonly Row[];
  /** Further text for the reader, such as a table of sensitivities. */
  readonly details?: string;
}

export interface MeasureOptions {
  /** Fewer and shorter runs: enough to test the benchmark, too few to quote. */
  readonly isQuick: boolean;
}

/** A measure by its name on the command line. */
export interface Measure {
  readonly name: string;
  readonly description: string;
  run(options: MeasureOptions): Promise<Findings>;
}

/** True or false for a row with a limit, undefined for a row without a limit. */
export function isMet({ value, limit }: Row): boolean | undefined {
  return limit === undefined ? undefined : value <= limit;
}

/** The value with its unit. */
function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'ratio':
      return `${value.toFixed(2)} ×`;
    case 'exact':
      return `${value.toFixed(3)} ×`;
    case 'percent':
      return `${value.toFixed(1)} %`;
    case 'seconds':
      return `${value.toFixed(2)} s`;
    case 'megabytes':
      return `${value.toFixed(2)} MB`;
    case 'count':
      return String(Math.round(value * 10) / 10);
  }
}

/** All rows as one Markdown table. Quick runs can't tell whether a target is met. */
export function renderRows(rows: readonly Row[], isQuick: boolean): string {
  return renderTable([
    ['measure', 'reference', 'result', 'target', 'met'],
    ...rows.map((row) => {
      const note = row.note === undefined ? '' : ` (${row.note})`;
      const target = row.limit === undefined ? '–' : `≤ ${formatValue(row.limit, row.unit)}`;
      const verdict = isQuick ? undefined : isMet(row);
      const met = verdict === undefined ? '–' : verdict ? 'yes' : '**no**';
      return [
        row.measure,
        row.reference,
        `${formatValue(row.value, row.unit)}${note}`,
        target,
        met,
      ];
    }),
  ]);
}

/** A Markdown table whose columns line up; the first row is the heading. */
export function renderTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = heading.map((_, column) =>
    Math.max(3, ...[heading, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const toLine = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [
    toLine(heading),
    toLine(widths.map((width) => '-'.repeat(width))),
    ...rows.map(toLine),
  ].join('\n');
}
