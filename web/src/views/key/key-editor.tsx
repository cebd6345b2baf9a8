import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  KeyTexts,
  type KeyTextsQueryVariables,
  UpdateKeys,
} from '../../../generated/operations.ts';
import { ask } from '../../api/ask.ts';
import { faultOfProblem, NoAnswer } from '../../api/fault.ts';
import type { Session } from '../../api/session.ts';
import { useSaving } from '../../api/use-saving.ts';
import {
  type Attribute,
  type KnownTexts,
  keyChanges,
  keyTexts,
} from '../../data/edits/key-changes.ts';
import type { ShownKey } from '../../data/shown-key.ts';
import { useFocusInPlace } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { EditActions, escapeTo } from '../controls/edit-actions.tsx';
import type { KeyViewProps } from './key-props.ts';

type KeyEditorProps = KeyViewProps & {
  readonly known: NonNullable<ShownKey['known']>;
  readonly onClose: () => void;
};

/** The form in which editors change the texts of a key. */
export function KeyEditor({ known, address, session, onClose, onEdited }: KeyEditorProps) {
  const [opened] = useState(() => keyTexts(known));
  const [texts, setTexts] = useState(opened);
  const first = useRef<HTMLInputElement>(null);
  // Before the next key press, so that none is lost.
  useLayoutEffect(() => first.current?.focus(), []);
  const { isSaving, fault, save } = useSaving(UpdateKeys, session, {
    isMade: ({ updateKeys }) => updateKeys !== null,
    onSaved: (isOpen) => {
      onEdited();
      if (isOpen) onClose();
    },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (isSaving) return;
    const changesOf = (newest: KnownTexts) =>
      keyChanges({ key: known.key, texts: opened, newest }, texts);
    const changes = changesOf(known);
    if (!changes) return onClose();
    const place = { context: address.context ?? '', group: address.group ?? '' };
    // An update replaces all attributes, so those that others have stored meanwhile are sent too.
    const merged = async () => {
      const newest = await newestTexts({ ...place, key: known.key }, session);
      return { ...place, keys: [changesOf(newest ?? known) ?? changes] };
    };
    save(changes.attributes ? merged() : { ...place, keys: [changes] });
  };
  return (
    <form class="edit" aria-label="Edit this key" onSubmit={submit} onKeyDown={escapeTo(onClose)}>
      <label class="field">
        <span class="field-label">Label</span>
        <input
          ref={first}
          type="text"
          value={texts.label}
          placeholder={known.readable}
          onInput={({ currentTarget: { value } }) => setTexts({ ...texts, label: value })}
        />
      </label>
      <label class="field">
        <span class="field-label">Description</span>
        <textarea
          rows={3}
          value={texts.description}
          onInput={({ currentTarget: { value } }) => setTexts({ ...texts, description: value })}
        />
      </label>
      <AttributeFields
        attributes={texts.attributes}
        onChange={(attributes) => setTexts({ ...texts, attributes })}
      />
      <p class="hint">
        Clear a field to remove its text. A key without a label is shown as its readable key.
      </p>
      <EditActions isSaving={isSaving} fault={fault} onCancel={onClose} />
    </form>
  );
}

/** Asks for the texts of a key; null: they are not known. Errors: `NoAnswer`. */
async function newestTexts(
  variables: KeyTextsQueryVariables,
  session: Session,
): Promise<KnownTexts | null> {
  const { data, problems } = await ask(KeyTexts, variables, { session });
  const [problem] = problems;
  if (problem) throw new NoAnswer(faultOfProblem(problem));
  return data.context?.counterGroup?.key ?? null;
}

type AttributeFieldsProps = {
  readonly attributes: readonly Attribute[];
  readonly onChange: (attributes: readonly Attribute[]) => void;
};

function AttributeFields({ attributes, onChange }: AttributeFieldsProps) {
  const fields = useRef<HTMLFieldSetElement>(null);
  const stayAt = useFocusInPlace(attributes.length, () => [
    ...(fields.current?.querySelectorAll('button') ?? []),
  ]);
  const change = (index: number, changes: Partial<Attribute>) =>
    onChange(attributes.map((each, i) => (i === index ? { ...each, ...changes } : each)));
  return (
    <fieldset ref={fields} class="edit-attributes">
      <legend class="field-label">Attributes</legend>
      {attributes.map(({ name, value }, index) => (
        <div key={index} class="edit-attribute">
          <input
            type="text"
            aria-label={`Name of attribute ${index + 1}`}
            placeholder="name"
            value={name}
            onInput={({ currentTarget }) => change(index, { name: currentTarget.value })}
          />
          <input
            type="text"
            aria-label={`Value of attribute ${index + 1}`}
            placeholder="value"
            value={value}
            onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
          />
          <IconButton
            icon="close"
            name={`Remove attribute ${name || index + 1}`}
            onClick={() => {
              stayAt(index);
              onChange(attributes.filter((_, i) => i !== index));
            }}
          />
        </div>
      ))}
      <button
        type="button"
        class="text-button"
        onClick={() => onChange([...attributes, { name: '', value: '' }])}
      >
        Add an attribute
      </button>
    </fieldset>
  );
}
