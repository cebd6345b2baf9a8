import type { Connection } from '../db/connection/connection.ts';
import { type Account, insertAccount, lockAccount, updateIsAdmin } from '../db/sql/accounts.ts';
import { insertAudit } from '../db/sql/audit.ts';
import { deleteSessionsOf } from '../db/sql/sessions.ts';
import type { AuditActor, AuditEntry } from '../domain/audit/audit-entry.ts';
import type { Role } from '../domain/callers/role.ts';
import { AccessError, unknownAccount } from './access-error.ts';
import type { WrittenLimit } from './grant-limits.ts';
import { sessionsEnded } from './tokens.ts';
import { setUser } from './users.ts';

// Each function runs in a transaction that its caller has opened.

/** by: who makes the change; left out: the user who runs this command. */
type ChangeOfAccount = Account & { readonly by?: AuditActor | undefined };

/** Adds a user without a token, or a group. */
export async function addAccount(
  connection: Connection,
  { isAdmin, by, ...account }: ChangeOfAccount & { readonly isAdmin: boolean },
): Promise<void> {
  const { name } = account;
  if (!(await insertAccount(connection, { ...account, isAdmin }))) {
    throw new AccessError(`There is a ${account.isGroup ? 'group' : 'user'} ${name} already`);
  }
  const detail = detailOf(account);
  const added: AuditEntry = { action: 'user added', object: name, detail };
  const admin: AuditEntry = { action: 'administrator added', object: name, detail };
  await insertAudit(connection, isAdmin ? [added, admin] : [added], by);
}

type GrantToSave = ChangeOfAccount & {
  readonly context: string;
  readonly role: Role;
  readonly limit: WrittenLimit;
};

/** Grants a context to a user or a group, in place of an earlier grant of it. */
export async function saveGrant(
  connection: Connection,
  { name, isGroup, context, ...grant }: GrantToSave,
): Promise<void> {
  await accountIdOf(connection, { name, isGroup });
  await setUser(connection, {
    name,
    ...(isGroup && { isGroup }),
    contexts: [context],
    ...grant,
  });
}

/** Ends all sessions of a user. Returns their number. */
export async function endSessions(
  connection: Connection,
  { by, ...account }: ChangeOfAccount,
): Promise<number> {
  const userId = await accountIdOf(connection, account);
  const ended = await deleteSessionsOf(connection, userId, null);
  await insertAudit(connection, sessionsEnded(account.name, ended), by);
  return ended;
}

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
