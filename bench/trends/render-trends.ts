import { milliseconds } from '../reports/figures.ts';
import { textTable } from '../reports/text-table.ts';
import type { Cost, TrendCase } from './measure-trends.ts';

/** Renders the cost of a topper and of a trend of each window, and the ratios of the two. */
export const renderTrends = (cases: readonly TrendCase[]): string =>
  textTable(
    ['window, steps', 'topper', 'CPU', 'trend', 'CPU', 'x topper', 'x CPU'],
    cases.flatMap(({ window, steps, topper, trend }) =>
      (['warm', 'cold'] as const).map((state) => [
        `${window}, ${steps}, ${state}`,
        ...figures(topper[state]),
        ...figures(trend[state]),
        (trend[state].ms / topper[state].ms).toFixed(1),
        (trend[state].cpuMs / topper[state].cpuMs).toFixed(1),
      ]),
    ),
  );

const figures = ({ ms, cpuMs }: Cost): string[] => [milliseconds(ms), milliseconds(cpuMs)];
