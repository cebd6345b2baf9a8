import type { Terms } from '../../data/row-figures.ts';
import type { ShownTrend } from '../../data/trend/shown-trend.ts';
import type { ViewProps } from '../view-props.ts';

export type TrendProps = ViewProps & { readonly shown: ShownTrend; readonly terms: Terms };
