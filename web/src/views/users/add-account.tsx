import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AddUser } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { EditActions } from '../controls/edit-actions.tsx';
import type { ViewProps } from '../view-props.ts';

type AddAccountProps = Pick<ViewProps, 'session' | 'navigate'> & {
  readonly isGroup: boolean;
  readonly onChanged: () => void;
};

/** Adds a user or a group, and opens its panel, where it gets grants and tokens. */
export function AddAccount(props: AddAccountProps) {
  const [isOpen, setOpen] = useState(false);
  const title = props.isGroup ? 'Add a group' : 'Add a user';
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {title}
      </button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <AddForm {...props} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

type AddFormProps = AddAccountProps & { readonly onClose: () => void };

function AddForm({ session, navigate, isGroup, onChanged, onClose }: AddFormProps) {
  const [name, setName] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const { isSaving, fault, save } = useSaving(AddUser, session, {
    isMade: ({ addUser }) => addUser !== null,
    onSaved: (isOpen, { addUser }) => {
      onChanged();
      if (!isOpen || !addUser) return;
      onClose();
      navigate.go({ account: { name: addUser.name, isGroup } });
    },
  });
  const isRefused = fault?.kind === 'input';
  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        save({ name: name.trim(), isGroup, isAdmin });
      }}
    >
      <TextField
        field={first}
        label="Name"
        required
        value={name}
        onInput={setName}
        hint={
          isGroup
            ? 'As the identity provider calls the group. Its grants are those of everybody in it.'
            : 'The name to sign in with. The next steps are a grant and a token.'
        }
        fault={isRefused ? `${fault.message}.` : null}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isAdmin}
          onChange={({ currentTarget }) => setAdmin(currentTarget.checked)}
        />
        {isGroup ? 'Everybody in it is an administrator' : 'Administrator'}
      </label>
      <EditActions
        act="Add"
        isSaving={isSaving}
        fault={isRefused ? null : fault}
        onCancel={onClose}
      />
    </form>
  );
}
