import {
  BY_METRIC,
  CHANGE_RANKINGS,
  formatRanking,
  PERCENTILES,
  parseRanking,
  type Ranking,
} from '../../address/ranking.ts';
import { meterOf } from '../../data/choices.ts';
import { CHANGE_WORDS, ordinalOf, valueName } from '../../data/ranking-words.ts';
import { Choice, type ChoiceOption } from '../../parts/choice.tsx';
import type { ViewProps } from '../view-props.ts';

/** Chooses the ranking: by value, by peak or percentile, or by change. */
export function RankingChoice({ address, navigate, group }: ViewProps) {
  const meter = meterOf(group, address.meter);
  return (
    <Choice
      label="Ranked by"
      value={formatRanking(address.ranking)}
      options={options(address.ranking, meter ? valueName(meter) : 'Value')}
      onChoose={(text) => navigate.go({ ranking: parseRanking(text) ?? BY_METRIC })}
    />
  );
}

const options = (chosen: Ranking, value: string): readonly ChoiceOption[] => [
  optionOf(BY_METRIC, value),
  optionOf({ by: 'peak' }, 'Peak'),
  ...percentilesWith(chosen).map((percentile) => ({
    ...optionOf({ by: 'percentile', percentile }, `${ordinalOf(percentile)} percentile`),
    heading: 'Percentile',
  })),
  ...CHANGE_RANKINGS.map((by) => ({
    ...optionOf({ by }, CHANGE_WORDS[by].name),
    heading: 'Change',
  })),
];

const optionOf = (ranking: Ranking, label: string): ChoiceOption => ({
  value: formatRanking(ranking),
  label,
});

/** Returns the offered percentiles, and the chosen one if it is not among them. */
const percentilesWith = (chosen: Ranking): readonly number[] =>
  [...new Set([...PERCENTILES, ...(chosen.by === 'percentile' ? [chosen.percentile] : [])])].sort(
    (a, b) => a - b,
  );
