import type { SavedView } from '../../data/saved-views.ts';
import type { ViewProps } from '../view-props.ts';

export type SavedViewProps = ViewProps & {
  readonly context: string;
  readonly view: SavedView;
  readonly onOpened: () => void;
  readonly onChanged: () => void;
};
