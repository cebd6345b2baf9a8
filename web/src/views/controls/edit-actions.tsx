import type { Fault } from '../../api/fault.ts';

type EditActionsProps = {
  readonly isSaving: boolean;
  readonly fault: Fault | null;
  /** What the button that sends the form says. */
  readonly act?: string;
  readonly onCancel: () => void;
};

/** The end of an edit form: why the change failed, and the buttons to save and cancel. */
export const EditActions = ({ isSaving, fault, act = 'Save', onCancel }: EditActionsProps) => (
  <>
    <p class="edit-fault" role="alert">
      {fault && `Not saved: ${fault.message}.`}
    </p>
    <div class="edit-actions">
      <button type="submit" class="button is-primary" aria-disabled={isSaving}>
        {isSaving ? 'Saving …' : act}
      </button>
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  </>
);

/** Returns a key handler by which Escape leaves the form, but not the panel around it. */
export const escapeTo = (onClose: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  event.preventDefault();
  onClose();
};
