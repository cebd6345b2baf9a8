import type { ShownTrend } from '../../data/trend/shown-trend.ts';
import type { ViewProps } from '../view-props.ts';

export type TrendProps = ViewProps & { readonly shown: ShownTrend };
