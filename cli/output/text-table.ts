export type TextColumn<Row> = {
  readonly head: string;
  /** Whether its cells are aligned on the right. */
  readonly isNumber?: true;
  readonly cell: (row: Row) => string;
};

/** Formats rows as a table, with a line for the heads of the columns and one for each row. */
export function textTable<Row>(
  columns: readonly TextColumn<Row>[],
  rows: readonly Row[],
): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const all = [columns.map(({ head }) => head), ...cells];
  const widths = columns.map((_, i) => Math.max(...all.map((line) => line[i]?.length ?? 0)));
  const pad = (text: string, i: number): string =>
    columns[i]?.isNumber ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0);
  return all.map((line) => line.map(pad).join('  ').trimEnd());
}
