import { randomBytes } from 'node:crypto';
import { type Connection, inTransaction } from '../db/connection/connection.ts';
import { insertAudit } from '../db/sql/audit.ts';
import { selectContext, selectContextNames } from '../db/sql/contexts.ts';
import {
  deleteGrant,
  deleteUser,
  type Grant,
  insertGrants,
  insertUser,
  type StoredToken,
  selectGrants,
  selectToken,
  selectUserId,
  selectUsers,
  upsertToken,
} from '../db/sql/users.ts';
import { SALT_BYTES, SCRYPT_COST, scryptDigest, tokenDigest } from '../db/token-digest.ts';
import type { AuditEntry } from '../domain/audit/audit-entry.ts';
import type { Role } from '../domain/callers/role.ts';
import { IngestError } from './ingest-error.ts';

export type { Grant } from '../db/sql/users.ts';

type UserToAdd = {
  readonly name: string;
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
};

export type AddedUser = {
  readonly name: string;
  readonly created: boolean;
  /** The token that was created. Only its digest is stored, so this is the only time to see it. */
  readonly newToken: string | null;
  /** The contexts that were granted just now, in the order given. */
  readonly granted: readonly string[];
  /** The contexts that the user could read before, in order of their names. */
  readonly grantedBefore: readonly string[];
  /** Those of `grantedBefore` in which the user now has another role. */
  readonly roleChanged: readonly string[];
  /** All current grants, in order of the contexts' names. */
  readonly grants: readonly Grant[];
};

/**
 * Adds a user, or grants more contexts to an existing one. Throws if a context does not exist, or
 * if the user already has another token: replacing it would lock out whoever uses it.
 */
export const addUser = (connection: Connection, user: UserToAdd): Promise<AddedUser> =>
  inTransaction(connection, async () => {
    const { name, token, chosenToken, ...rest } = user;
    const stored = await selectToken(connection, name);
    if (!stored) return addUserWithin(connection, user);
    const given = token ?? chosenToken;
    if (given !== undefined && !(await isToken(stored, given))) throw hasToken(name);
    return addUserWithin(connection, { name, ...rest });
  });

/**
 * Does the same within a transaction that the caller has opened. A given token replaces any other.
 */
export async function addUserWithin(
  connection: Connection,
  { name, token, chosenToken, contexts, role }: UserToAdd,
): Promise<AddedUser> {
  const contextIds = new Map<string, number>();
  for (const context of contexts) contextIds.set(context, await contextIdOf(connection, context));
  const { userId, created } = await insertUser(connection, name);
  const isGiven = token !== undefined || chosenToken !== undefined;
  const newToken = created && !isGiven ? makeToken() : null;
  const random = token ?? newToken;
  if (random !== null) await upsertToken(connection, userId, keptAsDigest(random));
  else if (chosenToken) await upsertToken(connection, userId, await keptUnderScrypt(chosenToken));
  const before = await selectGrants(connection, userId);
  const toInsert = { userId, contextIds: [...contextIds.values()], role };
  const inserted = await insertGrants(connection, toInsert);
  const those = (isNew: boolean) =>
    [...contextIds]
      .filter(([, id]) => inserted.some((each) => each.contextId === id && each.isNew === isNew))
      .map(([context]) => context);
  const added: AddedUser = {
    name,
    created,
    newToken,
    granted: those(true),
    grantedBefore: before.map(({ context }) => context),
    roleChanged: those(false),
    grants: await selectGrants(connection, userId),
  };
  const isSet = isGiven && !created;
  const isTokenSet = isSet ? [{ action: 'token set', object: name } as const] : [];
  await insertAudit(connection, [...isTokenSet, ...entriesOf(added)]);
  return added;
}

function entriesOf({ name, created, newToken, granted, roleChanged, grants }: AddedUser) {
  const token = newToken === null ? 'given' : 'generated';
  const user: AuditEntry[] = created
    ? [{ action: 'user added', object: name, detail: { token } }]
    : [];
  const changes = grants.flatMap(({ context, role }): AuditEntry[] => {
    const detail = { context, role };
    if (granted.includes(context)) return [{ action: 'access granted', object: name, detail }];
    if (roleChanged.includes(context)) return [{ action: 'role changed', object: name, detail }];
    return [];
  });
  return [...user, ...changes];
}

/** Gives a user a new token; the previous one becomes invalid immediately. */
export const rotateToken = (connection: Connection, name: string): Promise<string> =>
  inTransaction(connection, async () => {
    const token = makeToken();
    await upsertToken(connection, await userIdOf(connection, name), keptAsDigest(token));
    await insertAudit(connection, [{ action: 'token replaced', object: name }]);
    return token;
  });

export const revokeGrant = (connection: Connection, name: string, context: string): Promise<void> =>
  inTransaction(connection, async () => {
    const userId = await userIdOf(connection, name);
    const contextId = await contextIdOf(connection, context);
    if (!(await deleteGrant(connection, userId, contextId))) {
      throw new IngestError(
        `User ${name} has no grant for context ${context}: there is none to revoke`,
      );
    }
    const detail = { context };
    await insertAudit(connection, [{ action: 'access revoked', object: name, detail }]);
  });

export const removeUser = (connection: Connection, name: string): Promise<void> =>
  inTransaction(connection, async () => {
    if (!(await deleteUser(connection, name))) throw unknownUser(name);
    await insertAudit(connection, [{ action: 'user removed', object: name }]);
  });

type ListedUser = {
  readonly name: string;
  /** Names of the contexts granted to the user, in order. */
  readonly contexts: readonly string[];
  /** The same, with the user's role in each. */
  readonly grants: readonly Grant[];
};

/** Returns all users, in order of their names. */
export async function listUsers(connection: Connection): Promise<ListedUser[]> {
  const users = await selectUsers(connection);
  return users.map(({ username, grants }) => ({
    name: username,
    contexts: grants.map(({ context }) => context),
    grants,
  }));
}

/** Returns 256 random bits, in characters that need no escaping in a URL or a header. */
const makeToken = (): string => randomBytes(32).toString('base64url');

/** Decision 10: a token is stored as its digest only. */
const keptAsDigest = (token: string): StoredToken => ({
  digest: tokenDigest(token),
  salt: null,
  scryptCost: null,
});

async function keptUnderScrypt(token: string): Promise<StoredToken> {
  const scrypt = { salt: randomBytes(SALT_BYTES), scryptCost: SCRYPT_COST };
  return { digest: await scryptDigest(tokenDigest(token), scrypt), ...scrypt };
}

async function isToken({ digest, salt, scryptCost }: StoredToken, given: string): Promise<boolean> {
  const plain = tokenDigest(given);
  if (salt === null || scryptCost === null) return digest.equals(plain);
  return digest.equals(await scryptDigest(plain, { salt, scryptCost }));
}

async function userIdOf(connection: Connection, name: string): Promise<number> {
  const userId = await selectUserId(connection, name);
  if (userId === null) throw unknownUser(name);
  return userId;
}

const unknownUser = (name: string): IngestError =>
  new IngestError(`There is no user ${name}: \`countergraph user list\` shows all`);

const hasToken = (name: string): IngestError =>
  new IngestError(
    `The token must be the one that ${name} has, or be left out, because the user already exists: ` +
      `without it contexts are granted; \`countergraph user rotate ${name}\` makes a new token`,
  );

async function contextIdOf(connection: Connection, name: string): Promise<number> {
  const context = await selectContext(connection, name);
  if (context) return context.contextId;
  const names = await selectContextNames(connection);
  const known = names.length > 0 ? `the contexts are ${names.join(', ')}` : 'there is none yet';
  throw new IngestError(
    `There is no context ${name} (${known}): create it with \`countergraph apply\` or an import`,
  );
}
