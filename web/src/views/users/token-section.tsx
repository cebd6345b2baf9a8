import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MakeToken, RevokeToken } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import type { AccountDetails } from '../../data/users/accounts.ts';
import { copyText } from '../../export/copy-text.ts';
import { isolated } from '../../format/isolated.ts';
import { type Moments, parseField } from '../../format/moment.ts';
import { useFocusAfter } from '../../parts/focus.ts';
import { TextField } from '../../parts/text-field.tsx';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import { EditActions, escapeTo } from '../controls/edit-actions.tsx';
import type { AccountProps } from './users-props.ts';

type MadeToken = { readonly name: string; readonly token: string };

/** The tokens of a user; a new one is shown once. */
export function TokenSection(props: AccountProps) {
  const { account } = props;
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const add = useFocusAfter(isAdding || made !== null);
  return (
    <section aria-label="Tokens">
      <div class="user-head">
        <h3>
          Tokens <span>· {account.tokens.length}</span>
        </h3>
        {!isAdding && !made && (
          <button ref={add} type="button" class="button" onClick={() => setAdding(true)}>
            Make a token
          </button>
        )}
      </div>
      {isAdding && (
        <TokenForm
          {...props}
          onMade={(token) => {
            setMade(token);
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {made && <NewToken made={made} onClose={() => setMade(null)} />}
      {account.tokens.length === 0 && !isAdding && (
        <p class="hint">Without a token, only an identity provider can sign this user in.</p>
      )}
      <ul class="user-items">
        {account.tokens.map((token) => (
          <TokenItem key={token.name} {...props} token={token} />
        ))}
      </ul>
    </section>
  );
}

type Token = AccountDetails['tokens'][number];

function TokenItem(props: AccountProps & { readonly token: Token }) {
  const { token, account, session, moments, onChanged } = props;
  const { name, created, lastUsed } = token;
  return (
    <li class="user-item">
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="hint">Made {moments.full(created)}</span>
        <span class="hint">{endText(token, moments)}</span>
        <span class="hint">
          {lastUsed === null ? 'Never used' : `Last used ${moments.full(lastUsed)}`}
        </span>
      </p>
      <ConfirmButton
        session={session}
        icon="close"
        label={`Revoke token ${isolated(name)}`}
        title={`Revoke the token ${isolated(name)} of ${isolated(account.name)}?`}
        operation={RevokeToken}
        variables={{ user: account.name, name }}
        isMade={({ revokeToken }) => revokeToken !== null}
        onDone={onChanged}
      >
        Programs that use it are refused from now on, and sessions that it began end.
      </ConfirmButton>
    </li>
  );
}

const endText = ({ expires }: Token, { full }: Moments): string =>
  expires === null
    ? 'Never expires'
    : `${expires * 1000 < Date.now() ? 'Expired' : 'Expires'} ${full(expires)}`;

type TokenFormProps = AccountProps & {
  readonly onMade: (made: MadeToken) => void;
  readonly onClose: () => void;
};

function TokenForm({ account, session, moments, onChanged, onMade, onClose }: TokenFormProps) {
  const [name, setName] = useState('');
  const [end, setEnd] = useState('');
  const first = useRef<HTMLInputElement>(null);
  // Before the next key press, so that none is lost.
  useLayoutEffect(() => first.current?.focus(), []);
  const { isSaving, fault, save } = useSaving(MakeToken, session, {
    isMade: ({ makeToken }) => makeToken !== null,
    onSaved: (isOpen, { makeToken }) => {
      onChanged();
      if (isOpen && makeToken) onMade(makeToken);
    },
  });
  const refused = fault?.kind === 'input' ? (isAboutEnd(fault.message) ? 'end' : 'name') : null;
  const faultOf = (field: 'name' | 'end') =>
    fault && refused === field ? `${fault.message}.` : null;
  return (
    <form
      class="edit"
      aria-label="New token"
      onKeyDown={escapeTo(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        const expires = end === '' ? null : parseField(end, moments.zone);
        save({ user: account.name, name: name.trim(), expires });
      }}
    >
      <TextField
        field={first}
        label="Name"
        hint="What it is for, such as grafana"
        required
        value={name}
        onInput={setName}
        fault={faultOf('name')}
      />
      <TextField
        type="date"
        label="Expires"
        hint="At the beginning of that day. Without a date it never expires."
        value={end}
        onInput={setEnd}
        fault={faultOf('end')}
      />
      <EditActions
        act="Make"
        isSaving={isSaving}
        fault={refused ? null : fault}
        onCancel={onClose}
      />
    </form>
  );
}

const isAboutEnd = (message: string): boolean => /expire in the future|^expires/.test(message);

type NewTokenProps = { readonly made: MadeToken; readonly onClose: () => void };

/** The only time that a token is shown. */
function NewToken({ made, onClose }: NewTokenProps) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState('Copy it now.');
  useLayoutEffect(() => field.current?.select(), []);
  const copy = async () => {
    field.current?.select();
    setCopied(
      (await copyText(made.token)) ? 'Copied.' : 'It is selected: copy it with the keyboard.',
    );
  };
  return (
    <fieldset class="edit" aria-label={`Token ${isolated(made.name)}`}>
      <label class="field">
        <span class="field-label">
          Token <bdi>{made.name}</bdi>
        </span>
        <input ref={field} type="text" class="is-token" readOnly value={made.token} />
      </label>
      <p role="status">It is not shown again. {copied}</p>
      <div class="edit-actions">
        <button type="button" class="button is-primary" onClick={copy}>
          Copy
        </button>
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </fieldset>
  );
}
