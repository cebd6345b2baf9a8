import type { Watched } from '../../data/alerts/watched.ts';
import type { ContextChoice } from '../../data/choices.ts';
import type { Terms } from '../../data/row-figures.ts';
import type { ShownKey } from '../../data/shown-key.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import type { ViewProps } from '../view-props.ts';

export type KeyPanelProps = ViewProps & {
  readonly choice: ContextChoice;
  readonly rawKey: string;
  readonly watched: Watched;
  /** Number of answers since the view went live: with each, the key is requested again. */
  readonly liveCount: number;
  /** Number of reloads of the view: with each, the key is requested again, for the same window. */
  readonly reloads: number;
  /** The table beside the key, maybe of another question while either is loading. */
  readonly shown: ShownToppers | null;
  /** Whether the viewer may change the key's texts. */
  readonly mayEdit: boolean;
  /** Called after a change: everything that shows the key must be requested again. */
  readonly onEdited: () => void;
};

export type KeyViewProps = KeyPanelProps & {
  readonly shownKey: ShownKey;
  readonly terms: Terms;
  readonly onReload: () => void;
};
