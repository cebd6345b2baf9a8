import { milliseconds } from '../reports/figures.ts';
import { textTable } from '../reports/text-table.ts';
import type { RankingsCase } from './measure-rankings.ts';

/** Renders medians, and their ratios to the first of each window. */
export const renderRankings = (title: string, cases: readonly RankingsCase[]): string =>
  textTable(
    [title, 'warm', 'x first', 'cold', 'x first'],
    cases.flatMap(({ window, medians }) => {
      const [first] = medians;
      return medians.map(({ name, warmMs, coldMs }) => [
        `${window}: ${name}`,
        milliseconds(warmMs),
        (warmMs / (first?.warmMs ?? Number.NaN)).toFixed(1),
        milliseconds(coldMs),
        (coldMs / (first?.coldMs ?? Number.NaN)).toFixed(1),
      ]);
    }),
  );
