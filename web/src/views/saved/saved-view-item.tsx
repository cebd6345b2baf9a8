import { useState } from 'preact/hooks';
import { StarView } from '../../../generated/operations.ts';
import { formatAddress } from '../../address/address.ts';
import { useSaving } from '../../api/use-saving.ts';
import { openedAddress, type SavedView } from '../../data/saved-views.ts';
import { isolated } from '../../format/isolated.ts';
import { visibleText } from '../../format/visible.ts';
import { useFocusAfter } from '../../parts/focus.ts';
import { Icon, IconButton } from '../../parts/icon.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { SavedViewEditor } from './saved-view-editor.tsx';
import type { SavedViewProps } from './saved-view-props.ts';

/** A view in the menu: a link, its star, and for its owner what can be changed of it. */
export function SavedViewItem(props: SavedViewProps) {
  const { view, context, address, navigate, onOpened } = props;
  const [isEditing, setEditing] = useState(false);
  const edit = useFocusAfter(isEditing);
  const opened = openedAddress(view, context);
  const isShown = formatAddress(opened) === formatAddress(address);
  return (
    <li>
      <div class="saved-row">
        <a
          class="saved-link"
          href={navigate.link(opened)}
          aria-current={isShown ? 'page' : undefined}
          onClick={onPlainClick(() => {
            navigate.go(opened);
            onOpened();
          })}
        >
          <span>{isolated(visibleText(view.name, view.name))}</span>
          <span class="hint">{hintsOf(view)}</span>
        </a>
        <Star {...props} />
        {view.isOwn && (
          <IconButton
            ref={edit}
            icon="edit"
            name={`Change ${isolated(view.name)}`}
            onClick={() => setEditing(!isEditing)}
          />
        )}
      </div>
      {isEditing && <SavedViewEditor {...props} onClose={() => setEditing(false)} />}
    </li>
  );
}

const hintsOf = ({ isOwn, owner, shared, live }: SavedView): string =>
  [!isOwn && `by ${isolated(owner)}`, isOwn && shared && 'shared', live && 'live']
    .filter(Boolean)
    .join(' · ');

function Star({ view, context, session, onChanged }: SavedViewProps) {
  const { isSaving, fault, save } = useSaving(StarView, session, {
    isMade: ({ starView }) => starView !== null,
    onSaved: onChanged,
  });
  const { name, owner, starred } = view;
  const what = starred
    ? `${isolated(context)} opens with this view`
    : `Open ${isolated(context)} with this view`;
  return (
    <button
      type="button"
      class={`button is-icon star ${starred ? 'is-on' : ''}`}
      title={fault ? `${fault.message}.` : what}
      aria-label={`Star of ${isolated(name)}`}
      aria-pressed={starred}
      aria-disabled={isSaving}
      onClick={() => save({ context, name, owner, starred: !starred })}
    >
      <Icon name="star" />
    </button>
  );
}
