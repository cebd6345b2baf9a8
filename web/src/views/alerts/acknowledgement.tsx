import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AcknowledgeEvent } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import type { AlertEvent } from '../../data/alerts/firing.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { EditActions } from '../controls/edit-actions.tsx';
import type { AlertsViewProps } from './alerts-props.ts';

type AcknowledgementProps = AlertsViewProps & { readonly event: AlertEvent };

/** Who looks after an event and what they say about it; editors can say so themselves. */
export function Acknowledgement(props: AcknowledgementProps) {
  const { event, alerts, moments } = props;
  const { acknowledgedAt, acknowledgedBy, note } = event;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {acknowledgedAt !== null && (
        <span class="event-note" title={moments.full(acknowledgedAt)}>
          {acknowledgedBy === null ? 'yes' : <bdi>{acknowledgedBy}</bdi>}
          {note !== null && (
            <span class="hint">
              <bdi>{note}</bdi>
            </span>
          )}
        </span>
      )}
      {alerts.mayEdit ? (
        <button type="button" class="text-button" onClick={() => setOpen(true)}>
          {acknowledgedAt === null ? 'Acknowledge' : 'Change'}
        </button>
      ) : (
        acknowledgedAt === null && '–'
      )}
      {isOpen && (
        <Dialog title="Acknowledge this event" onClose={() => setOpen(false)}>
          <AcknowledgeForm {...props} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

type AcknowledgeFormProps = AcknowledgementProps & { readonly onClose: () => void };

function AcknowledgeForm({ event, session, onChanged, onClose }: AcknowledgeFormProps) {
  const [note, setNote] = useState(event.note ?? '');
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const { isSaving, fault, save } = useSaving(AcknowledgeEvent, session, {
    isMade: ({ acknowledgeEvent }) => acknowledgeEvent !== null,
    onSaved: (isOpen) => {
      if (isOpen) onClose();
      onChanged();
    },
  });
  return (
    <form
      class="dialog-form"
      onSubmit={(submit) => {
        submit.preventDefault();
        save({ id: event.id, note: note.trim() || null });
      }}
    >
      <p>You look after it, and others can see that. It goes on firing until its rule ends it.</p>
      <TextField
        field={first}
        label="Note"
        placeholder="the backup, moved to the night"
        value={note}
        onInput={setNote}
      />
      <EditActions act="Acknowledge" isSaving={isSaving} fault={fault} onCancel={onClose} />
    </form>
  );
}
