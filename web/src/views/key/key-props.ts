import type { Watched } from '../../data/alerts/watched.ts';
import type { ContextChoice } from '../../data/choices.ts';
import type { Terms } from '../../data/row-figures.ts';
import type { ShownKey } from '../../data/shown-key.ts';
import type { BigNumber } from '../../format/big-number.ts';
import type { ViewProps } from '../view-props.ts';

export type KeyPanelProps = ViewProps & {
  readonly choice: ContextChoice;
  readonly rawKey: string;
  readonly watched: Watched;
  /** How many answers came since the view is live: with each the key is asked for again. */
  readonly liveCount: number;
  /** What its share is of: the table's total; null: that is not known, or it is left out. */
  readonly total: BigNumber | null;
  /** Whether what is said about it may be changed. */
  readonly mayEdit: boolean;
  /** It was: what shows it is to be asked for again. */
  readonly onEdited: () => void;
};

export type KeyViewProps = KeyPanelProps & {
  readonly shownKey: ShownKey;
  readonly terms: Terms;
};
