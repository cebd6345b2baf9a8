import type { Fault } from '../../api/fault.ts';
import type { Comparison } from '../../data/overview/compared-times.ts';
import type { ShownOverview } from '../../data/overview/shown-overview.ts';
import type { EarlierChart } from '../../data/overview/traffic-words.ts';
import type { ViewProps } from '../view-props.ts';

/** A view with its answer. */
export type OverviewProps = ViewProps & {
  readonly shown: ShownOverview;
  /** Why there are no cards; null: there are, or they are not known yet. */
  readonly cardsFault: Fault | null;
  /** Whether the cards are older than the traffic. */
  readonly areCardsStale: boolean;
  readonly onReload: () => void;
};

/** What is known of the traffic at earlier times. */
export type EarlierState = {
  /** null: not known yet. */
  readonly comparisons: readonly Comparison[] | null;
  /** The chart that is drawn as a line; null: not known yet, or nothing is stored. */
  readonly drawn: EarlierChart | null;
  readonly fault: Fault | null;
};
