import type { ContextChoice } from '../data/choices.ts';
import type { Terms } from '../data/row-figures.ts';
import type { ShownKey } from '../data/shown-key.ts';
import type { ViewProps } from './view-props.ts';

export type KeyPanelProps = ViewProps & {
  readonly choice: ContextChoice;
  readonly rawKey: string;
};

export type KeyViewProps = KeyPanelProps & {
  readonly shownKey: ShownKey;
  readonly terms: Terms;
};
