import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { SaveGrant } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import { type Grant, ROLES } from '../../data/users/accounts.ts';
import {
  type GrantField,
  type GrantTexts,
  grantTexts,
  NEW_GRANT,
  reasonOf,
  refusedGrantField,
  savedGrant,
} from '../../data/users/grant-texts.ts';
import { Radios } from '../../parts/choice.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { EditActions, escapeTo } from '../controls/edit-actions.tsx';
import type { AccountProps } from './users-props.ts';

type GrantFormProps = AccountProps & {
  /** null: a new one. */
  readonly grant: Grant | null;
  readonly onClose: () => void;
};

/** The form of a grant, which replaces an earlier one of the same context. */
export function GrantForm(props: GrantFormProps) {
  const { account, session, contexts, grant, onChanged, onClose } = props;
  const choiceOf = (context: string) => contexts.find(({ name }) => name === context.trim());
  const [texts, setTexts] = useState<GrantTexts>(() =>
    grant ? grantTexts(grant, choiceOf(grant.context)?.counterGroups ?? []) : NEW_GRANT,
  );
  const form = useRef<HTMLFormElement>(null);
  // Before the next key press, so that none is lost.
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  const { isSaving, fault, save } = useSaving(SaveGrant, session, {
    isMade: ({ saveGrant }) => saveGrant !== null,
    onSaved: (isOpen) => {
      onChanged();
      if (isOpen) onClose();
    },
  });
  const refused = fault?.kind === 'input' ? refusedGrantField(fault.message) : null;
  const choice = choiceOf(texts.context);
  const groups = choice?.counterGroups ?? [];
  const field = (name: GrantField) => ({
    value: texts[name],
    onInput: (value: string) => setTexts({ ...texts, [name]: value }),
    fault: refused === name && fault ? `${reasonOf(fault.message)}.` : null,
  });
  return (
    <form
      ref={form}
      class="edit"
      aria-label={grant ? `Grant of ${grant.context}` : 'New grant'}
      onKeyDown={escapeTo(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        const { name, isGroup } = account;
        save({ user: name, isGroup, ...savedGrant(texts, groups) });
      }}
    >
      {grant ? (
        <p>
          <strong>{grant.context}</strong>
        </p>
      ) : (
        <TextField
          label="Context"
          required
          known={contexts.map(({ name }) => name)}
          {...field('context')}
        />
      )}
      <Radios
        legend="Role"
        name="role"
        value={texts.role}
        options={[
          { value: 'READER', label: ROLES.READER },
          { value: 'EDITOR', label: ROLES.EDITOR },
        ]}
        onChoose={(role) => setTexts({ ...texts, role })}
      />
      <TextField
        label="Only networks"
        placeholder="10.0.0.0/8, 2001:db8::/32"
        {...field('networks')}
      />
      <TextField
        label="Only probes"
        hint={knownText('Its probes', choice?.probes ?? [])}
        {...field('probes')}
      />
      <TextField
        label="Only counter groups"
        hint={
          choice || texts.context.trim() === ''
            ? knownText(
                'Its groups',
                groups.map(({ name }) => name),
              )
            : 'By their GUIDs, because you do not have access to the context.'
        }
        {...field('groups')}
      />
      <p class="hint">Separate several by commas. An empty field does not limit the grant.</p>
      <EditActions isSaving={isSaving} fault={refused ? null : fault} onCancel={onClose} />
    </form>
  );
}

const knownText = (what: string, names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `${what}: ${names.join(', ')}`;
