import type { Connection } from '../db/connection/connection.ts';
import { type Account, lockAccount } from '../db/sql/accounts.ts';
import { insertAudit } from '../db/sql/audit.ts';
import { selectContext, selectContextNames } from '../db/sql/contexts.ts';
import { deleteGroup, insertProviderGroup } from '../db/sql/groups.ts';
import { deleteSessionsOf } from '../db/sql/sessions.ts';
import { type StoredToken, selectTokens, upsertToken } from '../db/sql/tokens.ts';
import {
  deleteGrant,
  deleteUser,
  type Grant,
  insertUser,
  selectGrants,
  selectUserId,
  selectUsers,
  upsertGrant,
} from '../db/sql/users.ts';
import type { AuditActor, AuditEntry } from '../domain/audit/audit-entry.ts';
import type { Role } from '../domain/callers/role.ts';
import { AccessError, unknownAccount, unknownUser } from './access-error.ts';
import { storableLimit, type WrittenLimit } from './grant-limits.ts';
import { isToken, keptAsDigest, keptUnderScrypt, randomToken } from './stored-token.ts';
import { FIRST_TOKEN, sessionsEnded } from './tokens.ts';

export type { Grant } from '../db/sql/users.ts';

// Each function that changes something runs in a transaction that its caller has opened.

type UserToAdd = {
  readonly name: string;
  /** A group of an identity provider, which has no tokens. */
  readonly isGroup?: true | undefined;
  /**
   * If neither is given, a new user gets a random token, and an existing user keeps theirs. `token`
   * is as hard to guess as a random one, or guards nothing, and is kept as its SHA-256.
   */
  readonly token?: string | undefined;
  /** A token that a person has chosen, which is kept under scrypt. */
  readonly chosenToken?: string | undefined;
  /** Names of contexts to grant. */
  readonly contexts: readonly string[];
  /**
   * The role in these contexts. If omitted, an existing grant keeps its role, and a new one is a
   * reader's.
   */
  readonly role?: Role | undefined;
  /** What of these contexts to grant; all if omitted. */
  readonly limit?: WrittenLimit | undefined;
  /** Who makes the change; left out: the user who runs this command. */
  readonly by?: AuditActor | undefined;
};

export type AddedUser = {
  readonly name: string;
  readonly isGroup?: true;
  readonly created: boolean;
  /** The token that was created. Only its digest is stored, so this is the only time to see it. */
  readonly newToken: string | null;
  /** The contexts that were granted just now, in the order given. */
  readonly granted: readonly string[];
  /** The contexts that the user could read before, in order of their names. */
  readonly grantedBefore: readonly string[];
  /** Those of `grantedBefore` in which the user now has another role. */
  readonly roleChanged: readonly string[];
  /** Those of `grantedBefore` whose grant is now limited to something else, or not any more. */
  readonly limitChanged: readonly string[];
  /** All current grants, in order of the contexts' names. */
  readonly grants: readonly Grant[];
};

/**
 * Adds a user, or grants more contexts to an existing one. Throws if a context does not exist, or
 * if the user already has another token: replacing it would lock out whoever uses it.
 */
export async function addUser(connection: Connection, user: UserToAdd): Promise<AddedUser> {
  const { name, token, chosenToken, ...rest } = user;
  if (user.isGroup) return setUser(connection, user);
  const userId = await selectUserId(connection, name);
  const tokens = userId === null ? [] : await selectTokens(connection, userId);
  if (tokens.length === 0) return setUser(connection, user);
  const given = token ?? chosenToken;
  if (given !== undefined && !(await isOneOf(tokens, given))) throw hasToken(name);
  return setUser(connection, { name, ...rest });
}

/** Does the same, but a given token replaces the first one of an existing user. */
export async function setUser(
  connection: Connection,
  { name, isGroup, token, chosenToken, contexts, role, limit = NO_LIMIT, by }: UserToAdd,
): Promise<AddedUser> {
  const contextIds = new Map<string, number>();
  for (const context of contexts) contextIds.set(context, await contextIdOf(connection, context));
  const { userId, created } = await (isGroup ? insertProviderGroup : insertUser)(connection, name);
  const isGiven = token !== undefined || chosenToken !== undefined;
  const newToken = created && !isGiven && !isGroup ? randomToken() : null;
  const random = token ?? newToken;
  const first = (stored: StoredToken) =>
    upsertToken(connection, { userId, name: FIRST_TOKEN, token: stored, expires: null });
  if (random !== null) await first(keptAsDigest(random));
  else if (chosenToken) await first(await keptUnderScrypt(chosenToken));
  const before = await selectGrants(connection, userId);
  for (const [context, contextId] of contextIds) {
    const stored = await storableLimit(connection, { contextId, context, limit });
    await upsertGrant(connection, { userId, contextId, role, limit: stored });
  }
  const grants = await selectGrants(connection, userId);
  const added: AddedUser = {
    name,
    ...(isGroup && { isGroup }),
    created,
    newToken,
    granted: [...contextIds.keys()].filter((context) => !grantOf(before, context)),
    grantedBefore: before.map(({ context }) => context),
    roleChanged: changed(before, grants, ({ role: own }) => own),
    limitChanged: changed(before, grants, limitText),
    grants,
  };
  const isSet = isGiven && !created;
  const isTokenSet = isSet ? [{ action: 'token set', object: name } as const] : [];
  await insertAudit(connection, [...isTokenSet, ...entriesOf(added)], by);
  return added;
}

const NO_LIMIT: WrittenLimit = { networks: [], probes: [], groups: [] };

const grantOf = (grants: readonly Grant[], context: string): Grant | undefined =>
  grants.find((grant) => grant.context === context);

/** Returns the contexts whose grants differ. */
const changed = (
  before: readonly Grant[],
  now: readonly Grant[],
  textOf: (grant: Grant) => string,
): string[] =>
  before
    .filter((grant) => textOf(grant) !== textOf(grantOf(now, grant.context) ?? grant))
    .map(({ context }) => context);

const limitText = ({ context: _, role: __, ...limit }: Grant): string => JSON.stringify(limit);

function entriesOf({ name, isGroup, created, newToken, granted, grants, ...is }: AddedUser) {
  const token = newToken === null ? 'given' : 'generated';
  const kind = isGroup ? { isGroup } : {};
  const user: AuditEntry[] = created
    ? [{ action: 'user added', object: name, detail: isGroup ? kind : { token } }]
    : [];
  const changes = grants.flatMap(({ context, role, ...limit }): AuditEntry[] => {
    const detail = { context, role, ...limit, ...kind };
    if (granted.includes(context)) return [{ action: 'access granted', object: name, detail }];
    const entries: AuditEntry[] = [];
    if (is.roleChanged.includes(context))
      entries.push({ action: 'role changed', object: name, detail: { context, role, ...kind } });
    if (is.limitChanged.includes(context))
      entries.push({
        action: 'limit changed',
        object: name,
        detail: { context, ...limit, ...kind },
      });
    return entries;
  });
  return [...user, ...changes];
}

type GrantOfAccount = Pick<Account, 'name'> & {
  /** Left out: it is a user's. */
  readonly isGroup?: boolean;
  readonly context: string;
  /** Who revokes it; left out: the user who runs this command. */
  readonly by?: AuditActor | undefined;
};

export async function revokeGrant(
  connection: Connection,
  { name, isGroup = false, context, by }: GrantOfAccount,
): Promise<void> {
  const userId = await lockAccount(connection, { name, isGroup });
  if (userId === null) throw unknownAccount({ name, isGroup });
  const contextId = await contextIdOf(connection, context);
  if (!(await deleteGrant(connection, userId, contextId))) {
    throw new AccessError(
      `${isGroup ? 'Group' : 'User'} ${name} has no grant for context ${context}`,
      'there is none to revoke',
    );
  }
  const detail = { context, ...(isGroup && { isGroup }) };
  await insertAudit(connection, [{ action: 'access revoked', object: name, detail }], by);
}

/** Removes a user with their tokens, sessions and grants. by: see `GrantOfAccount`. */
export async function removeUser(
  connection: Connection,
  name: string,
  by?: AuditActor,
): Promise<void> {
  const ended = await deleteSessionsOf(connection, await userIdOf(connection, name), null);
  if (!(await deleteUser(connection, name))) throw unknownUser(name);
  const entry: AuditEntry = { action: 'user removed', object: name };
  await insertAudit(connection, [entry, ...sessionsEnded(name, ended)], by);
}

/** Removes a group of an identity provider, and what is granted to it. */
export async function removeGroup(
  connection: Connection,
  name: string,
  by?: AuditActor,
): Promise<void> {
  const group = { name, isGroup: true };
  if (!(await deleteGroup(connection, name))) throw unknownAccount(group);
  const entry = { action: 'user removed', object: name, detail: { isGroup: true } } as const;
  await insertAudit(connection, [entry], by);
}

export type ListedUser = {
  readonly name: string;
  /** Only for groups of an identity provider. */
  readonly isGroup?: true;
  /** Only for administrators. */
  readonly isAdmin?: true;
  /** The person of an identity provider that the user is, if the user is one. */
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  readonly shownName?: string | undefined;
  /** Names of the contexts granted to the user, in order. */
  readonly contexts: readonly string[];
  /** The same, with the user's role in each. */
  readonly grants: readonly Grant[];
};

/** Returns all users in order of their names, and then all groups. */
export async function listUsers(connection: Connection): Promise<ListedUser[]> {
  const users = await selectUsers(connection);
  return users.map(({ username, isGroup, isAdmin, issuer, subject, shownName, grants }) => ({
    name: username,
    ...(isGroup && { isGroup }),
    ...(isAdmin && { isAdmin }),
    ...(issuer !== null && subject !== null && { issuer, subject }),
    ...(shownName !== null && { shownName }),
    contexts: grants.map(({ context }) => context),
    grants,
  }));
}

async function isOneOf(tokens: Awaited<ReturnType<typeof selectTokens>>, given: string) {
  for (const token of tokens) if (!token.isExpired && (await isToken(token, given))) return true;
  return false;
}

async function userIdOf(connection: Connection, name: string): Promise<number> {
  const userId = await selectUserId(connection, name);
  if (userId === null) throw unknownUser(name);
  return userId;
}

const hasToken = (name: string): AccessError =>
  new AccessError(
    `The token must be the one that ${name} has, or be left out, because the user already exists: ` +
      `without it contexts are granted; \`countergraph user rotate ${name}\` makes a new token`,
  );

async function contextIdOf(connection: Connection, name: string): Promise<number> {
  const context = await selectContext(connection, name);
  if (context) return context.contextId;
  const names = await selectContextNames(connection);
  const known = names.length > 0 ? `the contexts are ${names.join(', ')}` : 'there is none yet';
  throw new AccessError(
    `There is no context ${name} (${known})`,
    'create it with `countergraph apply` or an import',
  );
}
