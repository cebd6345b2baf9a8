import { comparesWindows, type Ranking } from '../../address/ranking.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { CHANGE_WORDS, ordinalOf, valueName } from '../../data/ranking-words.ts';
import type { ResultsProps } from './results-props.ts';

/** The column that orders the rows. */
export type RankedColumn = 'amount' | 'peak' | 'percentile' | 'growth';

export function rankedColumn({ by }: Ranking): RankedColumn {
  if (by === 'peak' || by === 'percentile') return by;
  return by === 'growth' || by === 'decline' ? 'growth' : 'amount';
}

/** Returns the name of the column of the listed percentile. */
export const percentileName = (percentile: number): string => `${ordinalOf(percentile)} perc.`;

/** Returns the name of the growth or decline column; null if keys are ranked by something else. */
export const growthName = (ranking: Ranking): string | null =>
  rankedColumn(ranking) === 'growth' && comparesWindows(ranking)
    ? CHANGE_WORDS[ranking.by].name
    : null;

/** The column heads, with a mark on the one that orders the rows. */
export function TopTableHead({ shown, terms }: ResultsProps) {
  const isSum = addsUp(terms.kind);
  const growth = growthName(shown.ranking);
  return (
    <thead>
      <tr>
        <th scope="col" class="is-rank">
          <abbr title="Rank">#</abbr>
        </th>
        <th scope="col">Key</th>
        {head('amount', valueName(shown.meter))}
        {isSum && <th scope="col">Share of total</th>}
        {isSum && (
          <th scope="col" class="is-number is-average">
            Average
          </th>
        )}
        {head('peak', 'Peak')}
        {head('percentile', percentileName(shown.percentile))}
        {growth && head('growth', growth)}
        <th scope="col" class="is-number">
          Change
        </th>
        <th scope="col">
          <span class="sr-only">Hide</span>
        </th>
      </tr>
    </thead>
  );

  function head(column: RankedColumn, name: string) {
    const isRanked = column === rankedColumn(shown.ranking);
    return (
      <th scope="col" class="is-number" aria-sort={isRanked ? 'descending' : undefined}>
        {name}
      </th>
    );
  }
}
