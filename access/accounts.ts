import type { Connection } from '../db/connection/connection.ts';
import { type Account, lockAccount, updateIsAdmin } from '../db/sql/accounts.ts';
import { insertAudit } from '../db/sql/audit.ts';
import type { AuditActor } from '../domain/audit/audit-entry.ts';
import { unknownAccount } from './access-error.ts';

// Each function runs in a transaction that its caller has opened.

/** by: who makes the change; left out: the user who runs this command. */
type ChangeOfAccount = Account & { readonly by?: AuditActor | undefined };

/** Makes a user, or the users of a group, administrators, or no longer. Returns whether it did. */
export async function setAdmin(
  connection: Connection,
  { isAdmin, by, ...account }: ChangeOfAccount & { readonly isAdmin: boolean },
): Promise<boolean> {
  const userId = await accountIdOf(connection, account);
  const isChanged = await updateIsAdmin(connection, userId, isAdmin);
  const action = isAdmin ? 'administrator added' : 'administrator removed';
  const entry = { action, object: account.name, detail: detailOf(account) } as const;
  if (isChanged) await insertAudit(connection, [entry], by);
  return isChanged;
}

async function accountIdOf(connection: Connection, account: Account): Promise<number> {
  const userId = await lockAccount(connection, account);
  if (userId === null) throw unknownAccount(account);
  return userId;
}

/** Tells groups of a provider from users of the same name. */
const detailOf = ({ isGroup }: Account) => (isGroup ? { isGroup } : {});
