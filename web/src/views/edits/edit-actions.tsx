import type { Fault } from '../../api/fault.ts';

type EditActionsProps = {
  readonly isSaving: boolean;
  readonly fault: Fault | null;
  readonly onCancel: () => void;
};

/** How a form of changes ends: why they were not made, and both ways out. */
export const EditActions = ({ isSaving, fault, onCancel }: EditActionsProps) => (
  <>
    <p class="edit-fault" role="alert">
      {fault && `Not saved: ${fault.message}.`}
    </p>
    <div class="edit-actions">
      <button type="submit" class="button is-primary" disabled={isSaving}>
        {isSaving ? 'Saving …' : 'Save'}
      </button>
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  </>
);

/** Leaves a form, and not the panel around it. */
export const escapeTo = (onClose: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  event.preventDefault();
  onClose();
};
