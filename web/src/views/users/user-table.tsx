import { useState } from 'preact/hooks';
import {
  ACCOUNT_FILTERS,
  type AccountFilter,
  isSame,
  kindOf,
  type ListedAccount,
  limitText,
  matching,
  ROLES,
} from '../../data/users/accounts.ts';
import { Choice } from '../../parts/choice.tsx';
import { KeyName } from '../../parts/key-name.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { UsersViewProps } from './users-props.ts';

const COLUMNS = ['Name', 'Kind', 'Contexts'];

/** The most rows that are listed: more would make typing in the search slow. */
const MOST = 200;

/** accounts null: still loading. */
type UserTableProps = UsersViewProps & { readonly accounts: readonly ListedAccount[] | null };

/** All users and groups, which can be searched. */
export function UserTable(props: UserTableProps) {
  const { accounts } = props;
  const [text, setText] = useState('');
  const [show, setShow] = useState<AccountFilter>('all');
  if (accounts === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  const shown = matching(accounts, { text, show });
  return (
    <TableCard
      name="Users and groups"
      note={shown.length < accounts.length ? `${shown.length} of ${accounts.length}` : shown.length}
      head={
        <>
          <label class="field is-inline">
            <span class="field-label">Search</span>
            <input
              type="search"
              placeholder="name or context"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          <Choice
            label="Show"
            class="is-inline"
            value={show}
            options={Object.entries(ACCOUNT_FILTERS).map(([value, label]) => ({ value, label }))}
            onChoose={(value) => setShow(value as AccountFilter)}
          />
        </>
      }
      columns={COLUMNS}
      empty="No user or group matches."
      foot={
        shown.length > MOST && (
          <div class="card-foot">
            <p class="hint">The first {MOST} are listed. Search to find the others.</p>
          </div>
        )
      }
    >
      {shown.slice(0, MOST).map((account) => (
        <UserRow key={`${account.isGroup} ${account.name}`} {...props} account={account} />
      ))}
    </TableCard>
  );
}

function UserRow(props: UsersViewProps & { readonly account: ListedAccount }) {
  const { account, address, navigate, contexts } = props;
  const { name, isGroup, shownName, grants } = account;
  const isOpen = isSame(account, address.account);
  const target = { account: { name, isGroup } };
  return (
    <tr class={isOpen ? 'is-open' : undefined}>
      <th scope="row">
        <KeyName readable={shownName}>
          <a
            class="key-link"
            data-account={`${isGroup ? 'group' : 'user'} ${name}`}
            href={navigate.link(target)}
            onClick={onPlainClick(() => navigate.go(target))}
          >
            {name}
          </a>
        </KeyName>
      </th>
      <td data-name="Kind">{kindOf(account)}</td>
      <td class="is-wrapped" data-name="Contexts">
        {grants.length === 0 ? (
          <span class="is-none">none</span>
        ) : (
          <ul>
            {grants.map((grant) => (
              <li key={grant.context}>
                {grant.context} <span class="hint">{grantWords(grant, contexts)}</span>
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}

const grantWords = (
  grant: ListedAccount['grants'][number],
  contexts: UsersViewProps['contexts'],
): string => [ROLES[grant.role], limitText(grant, contexts)].filter(Boolean).join(', ');
