import { useEffect, useState } from 'preact/hooks';
import { Users } from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Command } from '../../parts/command.tsx';
import { IconButton } from '../../parts/icon.tsx';
import { FaultNotice, Notice } from '../../parts/notice.tsx';
import { useRefreshedBy } from '../alerts/use-alerts.ts';
import { SIGNED_OUT } from '../view-props.ts';
import { AddAccount } from './add-account.tsx';
import { AuditTable } from './audit-table.tsx';
import { UserPanel } from './user-panel.tsx';
import { UserTable } from './user-table.tsx';
import type { UsersViewProps } from './users-props.ts';

/** Who may sign in and what they may see, and what was changed; for administrators. */
export function UsersView(props: UsersViewProps) {
  const { address, session, moments, onSignOut } = props;
  const asked = useAnswer(Users, {}, session);
  const { data, problems, fault, refreshFault, isLoading, reload, refresh } = asked;
  const [changes, setChanges] = useState(0);
  useRefreshedBy(isLoading, props.alerts);
  useEffect(() => {
    // A change may end the session of whoever makes it.
    if ((fault ?? refreshFault)?.kind === 'unauthenticated') onSignOut(SIGNED_OUT);
  }, [fault, refreshFault]);
  const onChanged = () => {
    refresh();
    setChanges((count) => count + 1);
  };
  if (data && !data.viewer.isAdmin) return <NoAdministrator username={data.viewer.username} />;
  const [problem] = problems;
  const broken = fault ?? (problem ? faultOfProblem(problem) : null);
  if (broken) return <FaultNotice isView fault={broken} onRetry={reload} />;
  const accounts = data?.users ?? null;
  const { account } = address;
  return (
    <div class={account ? 'with-panel' : ''}>
      <div class={`view ${isLoading && data ? 'is-stale' : ''}`} aria-busy={isLoading}>
        <div class="storage-head users-head">
          <div>
            <h1>Users</h1>
            <p class="hint">
              {refreshFault
                ? `This may be outdated: ${refreshFault.message}.`
                : `Who may sign in, and what they may see · times in ${moments.zone.replaceAll('_', ' ')}`}
            </p>
          </div>
          <div class="users-buttons">
            <AddAccount {...props} isGroup={false} onChanged={onChanged} />
            <AddAccount {...props} isGroup onChanged={onChanged} />
            <IconButton
              icon="reload"
              name="Reload"
              disabled={isLoading}
              onClick={() => {
                reload();
                setChanges((count) => count + 1);
              }}
            />
          </div>
        </div>
        <p class="sr-only" role="status">
          {isLoading ? 'Loading …' : ''}
        </p>
        <UserTable {...props} accounts={accounts} />
        {accounts && <AuditTable {...props} accounts={accounts} changes={changes} />}
      </div>
      {account && (
        <UserPanel
          key={`${account.isGroup} ${account.name}`}
          {...props}
          opened={account}
          changes={changes}
          onChanged={onChanged}
        />
      )}
    </div>
  );
}

function NoAdministrator({ username }: { readonly username: string }) {
  return (
    <Notice isView title="Only administrators can see the users">
      <p>
        <strong>{username}</strong> is not an administrator. Ask the server's operator to change
        that with <Command>user add {username} --admin</Command>, then reload the page.
      </p>
    </Notice>
  );
}
