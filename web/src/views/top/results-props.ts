import type { Watched } from '../../data/alerts/watched.ts';
import type { KeyColors } from '../../data/key-colors.ts';
import type { Terms } from '../../data/row-figures.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import type { ViewProps } from '../view-props.ts';
import type { ChartFocus } from './use-chart-focus.ts';

/** A view with its answer, and the terms in which values are shown. */
export type ResultsProps = ViewProps & {
  readonly shown: ShownToppers;
  readonly watched: Watched;
  readonly terms: Terms;
  /** Colours of the chart, by raw key; of a picture of flows, by the names of the parts. */
  readonly colors: KeyColors;
  readonly focus: ChartFocus;
};
