import { useState } from 'preact/hooks';
import { RemoveView, SaveView } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import { savedAddress } from '../../data/saved-views.ts';
import { isolated } from '../../format/isolated.ts';
import { TextField } from '../../parts/text-field.tsx';
import { EditActions, escapeTo } from '../controls/edit-actions.tsx';
import type { SavedViewProps } from './saved-view-props.ts';

type EditorProps = SavedViewProps & { readonly onClose: () => void };

/** Changes a view of the user: its name, who sees it, what it shows. Or removes it. */
export function SavedViewEditor(props: EditorProps) {
  const { view, context, address, session, onChanged, onClose } = props;
  const [name, setName] = useState(view.name);
  const [shared, setShared] = useState(view.shared);
  const [live, setLive] = useState(view.live);
  const [isReplaced, setReplaced] = useState(false);
  const { isSaving, fault, save } = useSaving(SaveView, session, {
    isMade: ({ saveView }) => saveView !== null,
    onSaved: (isOpen) => {
      onChanged();
      if (isOpen) onClose();
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    save({
      context,
      name: view.name,
      newName: name.trim(),
      address: isReplaced ? savedAddress(address) : null,
      // Who may not share can still change the rest.
      shared: shared === view.shared ? null : shared,
      live,
    });
  };
  return (
    <form class="edit" onSubmit={submit} onKeyDown={escapeTo(onClose)}>
      <TextField label="Name" value={name} onInput={setName} required />
      <Check label={`Shared with all who see all of ${context}`} isOn={shared} onTurn={setShared} />
      <Check label="Live: it follows the data" isOn={live} onTurn={setLive} />
      <Check label="Replace it with what is shown now" isOn={isReplaced} onTurn={setReplaced} />
      <EditActions isSaving={isSaving} fault={fault} onCancel={onClose} />
      <Remove {...props} />
    </form>
  );
}

type CheckProps = {
  readonly label: string;
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
};

const Check = ({ label, isOn, onTurn }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isOn}
      onChange={({ currentTarget }) => onTurn(currentTarget.checked)}
    />
    {label}
  </label>
);

/** Asks once more: what is removed cannot be brought back. */
function Remove({ view, context, session, onChanged, onClose }: EditorProps) {
  const [isSure, setSure] = useState(false);
  const { isSaving, fault, save } = useSaving(RemoveView, session, {
    isMade: ({ removeView }) => removeView !== null,
    onSaved: (isOpen) => {
      onChanged();
      if (isOpen) onClose();
    },
  });
  const { name } = view;
  return (
    <div>
      <button
        type="button"
        class="text-button is-danger"
        aria-disabled={isSaving}
        onClick={() => (isSure ? save({ context, name }) : setSure(true))}
      >
        {isSure ? `Really remove ${isolated(name)}?` : 'Remove'}
      </button>
      <p class="edit-fault" role="alert">
        {fault && `Not removed: ${fault.message}.`}
      </p>
    </div>
  );
}
