import { useState } from 'preact/hooks';
import { RevokeGrant } from '../../../generated/operations.ts';
import { type Grant, limitText, ROLES } from '../../data/users/accounts.ts';
import { isolated } from '../../format/isolated.ts';
import { useFocusAfter } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import { GrantForm } from './grant-form.tsx';
import type { AccountProps } from './users-props.ts';

/** The contexts that a user or group may read, and which parts of them. */
export function GrantSection(props: AccountProps) {
  const { account } = props;
  const [isAdding, setAdding] = useState(false);
  const add = useFocusAfter(isAdding);
  return (
    <section aria-label="Grants">
      <div class="user-head">
        <h3>
          Grants <span>· {account.grants.length}</span>
        </h3>
        {!isAdding && (
          <button ref={add} type="button" class="button" onClick={() => setAdding(true)}>
            Grant a context
          </button>
        )}
      </div>
      {isAdding && <GrantForm {...props} grant={null} onClose={() => setAdding(false)} />}
      {account.grants.length === 0 && !isAdding && (
        <p class="hint">
          {account.isGroup
            ? 'No context is granted to this group.'
            : 'No context is granted to this user, except by groups of the identity provider.'}
        </p>
      )}
      <ul class="user-items">
        {account.grants.map((grant) => (
          <GrantItem key={grant.context} {...props} grant={grant} />
        ))}
      </ul>
    </section>
  );
}

function GrantItem(props: AccountProps & { readonly grant: Grant }) {
  const { grant, account, session, contexts, onChanged } = props;
  const { context, role } = grant;
  const [isEditing, setEditing] = useState(false);
  const edit = useFocusAfter(isEditing);
  if (isEditing) {
    return (
      <li>
        <GrantForm {...props} grant={grant} onClose={() => setEditing(false)} />
      </li>
    );
  }
  return (
    <li class="user-item">
      <p>
        <strong>{context}</strong> {ROLES[role]}
        <span class="hint">{limitText(grant, contexts) ?? 'the whole context'}</span>
      </p>
      <IconButton
        ref={edit}
        icon="edit"
        name={`Change the grant of ${context}`}
        onClick={() => setEditing(true)}
      />
      <ConfirmButton
        session={session}
        icon="close"
        label={`Revoke ${context}`}
        title={`Revoke the grant of ${context}?`}
        operation={RevokeGrant}
        variables={{ user: account.name, isGroup: account.isGroup, context }}
        isMade={({ revokeGrant }) => revokeGrant !== null}
        onDone={onChanged}
      >
        {account.isGroup ? `Everybody in ${isolated(account.name)}` : isolated(account.name)} loses
        what this grant allows. Open live views end within seconds.
      </ConfirmButton>
    </li>
  );
}
