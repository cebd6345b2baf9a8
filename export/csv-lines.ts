import { stringify } from 'csv-stringify/sync';
import { type Cell, QUOTED_IN_CSV, withoutFormula } from '../domain/text/csv-cell.ts';
import type { ReadingPage } from './reading-source.ts';
import type { RenderedRows } from './sample-lines.ts';
import { splitReadings } from './split-readings.ts';

const COLUMNS = ['group', 'key', 'probe', 'ts', 'meter', 'value', 'count'];

const ROWS_AT_ONCE = 500;

export const csvHeader = (): string => write([COLUMNS]);

/**
 * Renders the rows of a page as CSV (RFC 4180), one line per value. As in samples, a value beyond
 * 2^63−1 is split over several lines so that each fits a 64-bit column. `count` is 1 except for
 * means.
 */
export function* csvLines({ group, probe, rows }: ReadingPage): Generator<RenderedRows> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const cells = rows
      .slice(at, at + ROWS_AT_ONCE)
      .flatMap((row) =>
        splitReadings(group.meters, row).flatMap(({ values, count }) =>
          values.map(({ meterId, value, isMean }): Cell[] => [
            group.guid,
            row.key,
            probe,
            row.bucket,
            meterId,
            value,
            isMean ? count : 1,
          ]),
        ),
      );
    yield {
      text: write(cells),
      lines: cells.length,
      // CSV carries no key texts.
      derivedLabels: 0,
      keysWithLongTexts: 0,
    };
  }
}

const write = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(withoutFormula)),
    { record_delimiter: 'windows', quoted_match: QUOTED_IN_CSV },
  );
