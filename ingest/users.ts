import { createHash, randomBytes } from 'node:crypto';
import { type Connection, inTransaction } from '../db/connection/connection.ts';
import { selectContext } from '../db/write/select-context.ts';
import { selectContextNames } from '../db/write/select-context-names.ts';
import { deleteGrant } from '../db/write/users/delete-grant.ts';
import { deleteUser } from '../db/write/users/delete-user.ts';
import { insertGrants } from '../db/write/users/insert-grants.ts';
import { insertUser } from '../db/write/users/insert-user.ts';
import { type Grant, selectGrants } from '../db/write/users/select-grants.ts';
import { selectTokenDigest } from '../db/write/users/select-token-digest.ts';
import { selectUserId } from '../db/write/users/select-user-id.ts';
import { selectUsers } from '../db/write/users/select-users.ts';
import { upsertToken } from '../db/write/users/upsert-token.ts';
import type { Role } from '../domain/callers/role.ts';
import { IngestError } from './ingest-error.ts';

export type { Grant } from '../db/write/users/select-grants.ts';

type UserToAdd = {
  readonly name: string;
  /** If omitted, a new user gets a random token, and an existing user keeps theirs. */
  readonly token?: string | undefined;
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
    const { name, token } = user;
    const digest = await selectTokenDigest(connection, name);
    if (digest !== null && token !== undefined && !digest.equals(digestOf(token))) {
      throw hasToken(name);
    }
    return addUserWithin(connection, user);
  });

/**
 * Does the same within a transaction that the caller has opened. A given token replaces any other.
 */
export async function addUserWithin(
  connection: Connection,
  { name, token, contexts, role }: UserToAdd,
): Promise<AddedUser> {
  const contextIds = new Map<string, number>();
  for (const context of contexts) contextIds.set(context, await contextIdOf(connection, context));
  const { userId, created } = await insertUser(connection, name);
  const newToken = created && token === undefined ? makeToken() : null;
  const setToken = token ?? newToken;
  if (setToken !== null) await upsertToken(connection, userId, digestOf(setToken));
  const before = await selectGrants(connection, userId);
  const toInsert = { userId, contextIds: [...contextIds.values()], role };
  const inserted = await insertGrants(connection, toInsert);
  const those = (isNew: boolean) =>
    [...contextIds]
      .filter(([, id]) => inserted.some((each) => each.contextId === id && each.isNew === isNew))
      .map(([context]) => context);
  return {
    name,
    created,
    newToken,
    granted: those(true),
    grantedBefore: before.map(({ context }) => context),
    roleChanged: those(false),
    grants: await selectGrants(connection, userId),
  };
}

/** Gives a user a new token; the previous one becomes invalid immediately. */
export async function rotateToken(connection: Connection, name: string): Promise<string> {
  const token = makeToken();
  await upsertToken(connection, await userIdOf(connection, name), digestOf(token));
  return token;
}

export async function revokeGrant(
  connection: Connection,
  name: string,
  context: string,
): Promise<void> {
  const userId = await userIdOf(connection, name);
  const contextId = await contextIdOf(connection, context);
  if (await deleteGrant(connection, userId, contextId)) return;
  throw new IngestError(
    `User ${name} has no grant for context ${context}: there is none to revoke`,
  );
}

export async function removeUser(connection: Connection, name: string): Promise<void> {
  if (!(await deleteUser(connection, name))) throw unknownUser(name);
}

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
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

async function userIdOf(connection: Connection, name: string): Promise<number> {
  const userId = await selectUserId(connection, name);
  if (userId === null) throw unknownUser(name);
  return userId;
}

const unknownUser = (name: string): IngestError =>
  new IngestError(`There is no user ${name}: \`countergraph user list\` shows all`);

const hasToken = (name: string): IngestError =>
  new IngestError(
    `--token must be the one that ${name} has, or be left out, because the user already exists: ` +
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
