import type { Watched } from '../../data/alerts/watched.ts';
import type { Terms } from '../../data/row-figures.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import type { ViewProps } from '../view-props.ts';

/** A view that has its answer, and in what terms that is told. */
export type ResultsProps = ViewProps & {
  readonly shown: ShownToppers;
  readonly watched: Watched;
  readonly terms: Terms;
};
