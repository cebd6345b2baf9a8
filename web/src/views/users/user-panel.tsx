import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { RemoveUser, SetAdmin, UserDetails } from '../../../generated/operations.ts';
import type { Account } from '../../address/address.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { isSame } from '../../data/users/accounts.ts';
import { isolated } from '../../format/isolated.ts';
import { useEscape } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { FaultNotice, Notice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import { SIGNED_OUT } from '../view-props.ts';
import { GrantSection } from './grant-section.tsx';
import { SessionSection } from './session-section.tsx';
import { TokenSection } from './token-section.tsx';
import type { AccountProps, UsersViewProps } from './users-props.ts';

type UserPanelProps = UsersViewProps & {
  readonly opened: Account;
  /** Rises when users were changed, or are asked for again. */
  readonly changes: number;
  readonly onChanged: () => void;
};

/** Everything about one user or group, next to the list. */
export function UserPanel(props: UserPanelProps) {
  const { opened, session, navigate, changes, onSignOut } = props;
  const { name, isGroup } = opened;
  const { data, problems, fault, isLoading, reload, refresh } = useAnswer(
    UserDetails,
    { names: [name] },
    session,
  );
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (changes > 0) refresh();
  }, [changes]);
  const close = () => {
    navigate.go({ account: null });
    const row = `[data-account="${CSS.escape(`${isGroup ? 'group' : 'user'} ${name}`)}"]`;
    document.querySelector<HTMLElement>(row)?.focus();
  };
  useEscape(close, name);
  const [problem] = problems;
  const broken = fault ?? (problem ? faultOfProblem(problem) : null);
  useEffect(() => {
    if (fault?.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [fault]);
  const account = data?.users?.find((each) => isSame(each, opened)) ?? null;
  return (
    <aside class="panel" aria-labelledby="panel-title" aria-busy={isLoading}>
      <div class="panel-head">
        <div>
          <p class="panel-kind">{isGroup ? 'Group of the identity provider' : 'User'}</p>
          <h2 id="panel-title" ref={heading} tabIndex={-1}>
            {name}
          </h2>
          <p class="readable">{account?.shownName ?? '\u00a0'}</p>
        </div>
        <IconButton icon="close" name={`Close ${isolated(name)}`} onClick={close} />
      </div>
      <div class={`panel-body ${isLoading && account ? 'is-stale' : ''}`}>
        {broken ? (
          <FaultNotice fault={broken} onRetry={reload} />
        ) : account ? (
          <Sections {...props} account={account} />
        ) : isLoading ? (
          <div class="skeleton" aria-hidden="true">
            <span class="bone is-list" />
          </div>
        ) : (
          <Notice title={`There is no ${isGroup ? 'group' : 'user'} “${isolated(name)}”`}>
            <p>The name may be misspelled in the link, or somebody has removed it.</p>
          </Notice>
        )}
      </div>
    </aside>
  );
}

type SectionsProps = UserPanelProps & Pick<AccountProps, 'account'>;

function Sections(props: SectionsProps) {
  const { account, navigate, session, onChanged } = props;
  const { name, isGroup } = account;
  const shown = isolated(name);
  const actions = { actor: name, since: null };
  return (
    <>
      <AdminSection {...props} />
      <GrantSection {...props} />
      {!isGroup && <TokenSection {...props} />}
      {!isGroup && <SessionSection {...props} />}
      <div class="user-end">
        {!isGroup && (
          <a
            href={navigate.link(actions)}
            onClick={onPlainClick(() => navigate.go({ ...actions, account: null }))}
          >
            What {shown} has done
          </a>
        )}
        <ConfirmButton
          session={session}
          label={`Remove ${shown}`}
          title={`Remove the ${isGroup ? 'group' : 'user'} ${shown}?`}
          operation={RemoveUser}
          variables={{ name, isGroup }}
          isMade={({ removeUser }) => removeUser !== null}
          onDone={() => {
            navigate.go({ account: null });
            onChanged();
          }}
        >
          {isGroup
            ? 'Its grants end for everybody in the group.'
            : `Tokens, sessions and grants of ${shown} are removed, too. This cannot be undone.`}
        </ConfirmButton>
      </div>
    </>
  );
}

function AdminSection({ account, session, onChanged }: SectionsProps) {
  const { name, isGroup, isAdmin } = account;
  const whom = isGroup ? `everybody in ${isolated(name)}` : isolated(name);
  const title = isAdmin ? `Remove ${whom} as an administrator?` : `Make ${whom} an administrator?`;
  return (
    <section aria-label="Administration">
      <div class="user-head">
        <h3>
          Administrator <span>· {isAdmin ? 'yes' : 'no'}</span>
        </h3>
        <ConfirmButton
          session={session}
          label={isAdmin ? 'Remove as administrator' : 'Make administrator'}
          title={title}
          operation={SetAdmin}
          variables={{ name, isGroup, isAdmin: !isAdmin }}
          isMade={({ setAdmin }) => setAdmin !== null}
          onDone={onChanged}
        >
          Administrators see and change all users, their grants and tokens, and read the audit.
        </ConfirmButton>
      </div>
    </section>
  );
}
