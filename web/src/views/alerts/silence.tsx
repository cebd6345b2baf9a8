import { useState } from 'preact/hooks';
import { SilenceAlert } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import type { Rule } from '../../data/alerts/firing.ts';
import { isolated } from '../../format/isolated.ts';
import { minuteField, parseField } from '../../format/moment.ts';
import { Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import { EditActions } from '../controls/edit-actions.tsx';
import type { AlertsViewProps } from './alerts-props.ts';

type SilenceProps = AlertsViewProps & { readonly rule: Rule };

/** Silences a rule, or lifts its silence. */
export function Silence(props: SilenceProps) {
  const { rule, session, address, onChanged } = props;
  const [isOpen, setOpen] = useState(false);
  const name = isolated(rule.name);
  const isSilent = rule.silencedUntil !== null;
  return (
    <>
      <button type="button" class="text-button" onClick={() => setOpen(true)}>
        {isSilent ? 'Silence longer' : 'Silence'}
      </button>
      {isSilent && (
        <ConfirmButton
          class="text-button"
          session={session}
          label="Lift the silence"
          title={`Lift the silence of ${name}?`}
          operation={SilenceAlert}
          variables={{
            context: address.context ?? '',
            name: rule.name,
            until: null,
            reason: null,
          }}
          isMade={({ silenceAlert }) => silenceAlert !== null}
          onDone={onChanged}
        >
          Sinks are told of what is firing now, and of what begins from now on.
        </ConfirmButton>
      )}
      {isOpen && (
        <Dialog title={`Silence ${name}`} onClose={() => setOpen(false)}>
          <SilenceForm {...props} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

const HOUR = 3600;

const clockNow = (): number => Math.floor(Date.now() / 1000);

const LENGTHS = [
  { value: String(HOUR), label: '1 hour' },
  { value: String(8 * HOUR), label: '8 hours' },
  { value: String(24 * HOUR), label: '1 day' },
  { value: String(7 * 24 * HOUR), label: '1 week' },
  { value: 'until', label: 'until a time' },
];

type SilenceFormProps = SilenceProps & { readonly onClose: () => void };

function SilenceForm(props: SilenceFormProps) {
  const { rule, session, address, moments, onChanged, onClose } = props;
  const [length, setLength] = useState<string>(String(HOUR));
  const [field, setField] = useState(() => minuteField(clockNow() + 24 * HOUR, moments));
  const [reason, setReason] = useState('');
  const [isWrong, setWrong] = useState(false);
  const { isSaving, fault, save } = useSaving(SilenceAlert, session, {
    isMade: ({ silenceAlert }) => silenceAlert !== null,
    onSaved: (isOpen) => {
      if (isOpen) onClose();
      onChanged();
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const until =
      length === 'until' ? parseField(field, moments.zone) : clockNow() + Number(length);
    setWrong(until === null);
    if (until === null) return;
    const note = reason.trim() || null;
    save({ context: address.context ?? '', name: rule.name, until, reason: note });
  };
  return (
    <form class="dialog-form" onSubmit={submit}>
      <p>Sinks are not told of what begins meanwhile. Its events go on, and are shown here.</p>
      <Choice label="How long" value={length} options={LENGTHS} onChoose={setLength} />
      {length === 'until' && (
        <TextField
          type="datetime-local"
          label={`Until, in ${moments.zone.replaceAll('_', ' ')}`}
          required
          value={field}
          onInput={setField}
          fault={isWrong ? 'Must be a date and a time.' : null}
        />
      )}
      <TextField
        label="Why"
        placeholder="maintenance of the core switch"
        value={reason}
        onInput={setReason}
      />
      <EditActions act="Silence" isSaving={isSaving} fault={fault} onCancel={onClose} />
    </form>
  );
}
