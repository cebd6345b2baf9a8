import { useState } from 'preact/hooks';
import { SaveView } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import { type SavedView, savedAddress } from '../../data/saved-views.ts';
import { isolated } from '../../format/isolated.ts';
import { TextField } from '../../parts/text-field.tsx';
import type { ViewProps } from '../view-props.ts';

type SaveFormProps = ViewProps & {
  readonly context: string;
  readonly views: readonly SavedView[];
  readonly onSaved: () => void;
};

/** Saves what is shown under a name, in place of the view that has it. */
export function SaveForm({ session, address, context, views, onSaved }: SaveFormProps) {
  const [name, setName] = useState('');
  const [said, setSaid] = useState('');
  const saving = useSaving(SaveView, session, {
    isMade: ({ saveView }) => saveView !== null,
    onSaved: (isOpen, { saveView }) => {
      if (isOpen) setName('');
      setSaid(`Saved as ${isolated(saveView?.name ?? '')}.`);
      onSaved();
    },
  });
  const isKnown = views.some((view) => view.isOwn && view.name === name.trim());
  const submit = (event: Event) => {
    event.preventDefault();
    const { live } = address;
    saving.save({ context, name: name.trim(), address: savedAddress(address), live });
  };
  return (
    <form class="saved-form" onSubmit={submit}>
      <TextField
        label="Save this view as"
        value={name}
        onInput={setName}
        required
        fault={saving.fault && `Not saved: ${saving.fault.message}.`}
      />
      <button type="submit" class="button is-primary" aria-disabled={saving.isSaving}>
        {isKnown ? 'Replace' : 'Save'}
      </button>
      <p class="hint" role="status">
        {saving.fault ? '' : said}
      </p>
    </form>
  );
}
