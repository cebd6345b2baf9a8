import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../../api/operation.ts';
import type { Session } from '../../api/session.ts';
import { useSaving } from '../../api/use-saving.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { IconButton, type IconName } from '../../parts/icon.tsx';

type ConfirmProps<Data, Variables> = {
  readonly session: Session;
  /** What the buttons say: the one that asks, and the one in the dialog. */
  readonly label: string;
  readonly class?: string;
  /** Replaces the text of the first one. */
  readonly icon?: IconName;
  /** The question. */
  readonly title: string;
  /** What the change means. */
  readonly children: ComponentChildren;
  readonly operation: Operation<Data, Variables>;
  readonly variables: Variables;
  readonly isMade: (data: Data) => boolean;
  readonly onDone: () => void;
};

/** A button that makes a change once it has been confirmed. */
export function ConfirmButton<Data, Variables>(props: ConfirmProps<Data, Variables>) {
  const { label, icon, title } = props;
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  return (
    <>
      {icon ? (
        <IconButton icon={icon} name={label} onClick={open} />
      ) : (
        <button type="button" class={props.class ?? 'button'} onClick={open}>
          {label}
        </button>
      )}
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <Confirmation {...props} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

type ConfirmationProps<Data, Variables> = ConfirmProps<Data, Variables> & {
  readonly onClose: () => void;
};

function Confirmation<Data, Variables>(props: ConfirmationProps<Data, Variables>) {
  const { session, operation, variables, isMade, onDone, onClose } = props;
  const { isSaving, fault, save } = useSaving(operation, session, {
    isMade,
    onSaved: (isOpen) => {
      if (isOpen) onClose();
      onDone();
    },
  });
  return (
    <>
      <p>{props.children}</p>
      <p class="edit-fault" role="alert">
        {fault && `${fault.message}.`}
      </p>
      <div class="edit-actions is-end">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="button is-primary"
          aria-disabled={isSaving}
          onClick={() => save(variables)}
        >
          {isSaving ? 'Saving …' : props.label}
        </button>
      </div>
    </>
  );
}
