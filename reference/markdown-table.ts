/**
 * Formats a Markdown table. Bars inside cells are escaped, because a bar would start the next cell.
 */
export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;
