import { AccessError } from '../../access/access-error.ts';
import { addAccount, endSessions, saveGrant, setAdmin } from '../../access/accounts.ts';
import type { WrittenLimit } from '../../access/grant-limits.ts';
import { type MadeToken, makeToken, revokeToken } from '../../access/tokens.ts';
import { removeGroup, removeUser, revokeGrant } from '../../access/users.ts';
import type { Connection } from '../../db/connection/connection.ts';
import {
  type Account,
  type CallerProof,
  lockAccounts,
  selectIsAdmin,
} from '../../db/sql/accounts.ts';
import type { AuditActor } from '../../domain/audit/audit-entry.ts';
import type { Role } from '../../domain/callers/role.ts';
import { serviceError } from '../../domain/errors.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { RequestReads } from './request-reads.ts';

export type { MadeToken } from '../../access/tokens.ts';
export type { Account } from '../../db/sql/accounts.ts';

type Administrator = { readonly caller: CallerProof; readonly by: AuditActor };

export type GrantToSave = Account & {
  readonly context: string;
  readonly role: Role;
  readonly limit: WrittenLimit;
};

type NamedToken = { readonly user: string; readonly name: string };

/**
 * Returns the changes that an administrator can make to users, tokens and grants, each in one
 * transaction. Error: `refusedChange`, also if the administrator would no longer be one.
 */
export function accessChanges(reads: Pick<RequestReads, 'change'>, { caller, by }: Administrator) {
  const change = <T>(name: string, work: (connection: Connection) => Promise<T>): Promise<T> =>
    reads.change(name, (connection) => refusing(() => work(connection)));

  const checked = <T>(name: string, work: (connection: Connection) => Promise<T>): Promise<T> =>
    change(name, async (connection) => {
      await lockAccounts(connection);
      // Another administrator may have been first.
      if (!(await selectIsAdmin(connection, caller))) {
        throw serviceError('notAdmin', { username: caller.username });
      }
      const done = await work(connection);
      if (!(await selectIsAdmin(connection, caller))) throw refused(LOCKOUT);
      return done;
    });

  return {
    addUser: (account: Account & { readonly isAdmin: boolean }) =>
      checked('add-account', (to) => addAccount(to, { ...account, by })),
    removeUser: ({ name, isGroup }: Account) =>
      checked('remove-account', (to) => (isGroup ? removeGroup : removeUser)(to, name, by)),
    setAdmin: (account: Account & { readonly isAdmin: boolean }) =>
      checked('set-admin', (to) => setAdmin(to, { ...account, by })),
    saveGrant: (grant: GrantToSave) =>
      checked('save-grant', (to) => saveGrant(to, { ...grant, by })),
    revokeGrant: (grant: Account & { readonly context: string }) =>
      checked('revoke-grant', (to) => revokeGrant(to, { ...grant, by })),
    makeToken: ({
      user: username,
      name,
      expires,
    }: NamedToken & { readonly expires: EpochSeconds | null }): Promise<MadeToken> => {
      const end = expires === null ? null : { at: expires };
      return checked('make-token', (to) => makeToken(to, { username, name, end, by }));
    },
    revokeToken: ({ user: username, name }: NamedToken) =>
      checked('revoke-token', (to) => revokeToken(to, { username, name, by })),
    // Administrators may end their own sessions: they can sign in again.
    endSessions: (account: Account) =>
      change('end-sessions', (to) => endSessions(to, { ...account, by })),
  };
}

export type AccessChanges = ReturnType<typeof accessChanges>;

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    throw refused(error.reason);
  }
}

const refused = (reason: string) => serviceError('refusedChange', { 'what is wrong': reason });

const LOCKOUT = 'it would lock you out, let another administrator make it';
