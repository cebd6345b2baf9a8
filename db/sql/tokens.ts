import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';

/** SQL: whether token `t` has not expired. */
export const TOKEN_LIVES = '(t.expires_at is null or t.expires_at > now())';

/**
 * A token as it is stored: its SHA-256, or, with `salt` and `scryptCost`, the scrypt of its SHA-256.
 */
export type StoredToken = {
  readonly digest: Buffer;
  readonly salt: Buffer | null;
  readonly scryptCost: number | null;
};

/** expires, lastUsed: null for never. */
export type TokenRow = {
  readonly name: string;
  readonly created: Date;
  readonly expires: Date | null;
  readonly lastUsed: Date | null;
  readonly isExpired: boolean;
};

/** Selects the tokens of a user, oldest first. */
export async function selectTokens(
  connection: Connection,
  userId: number,
): Promise<(TokenRow & StoredToken)[]> {
  const { rows } = await connection.query<TokenRow & StoredToken>(
    `select t.name, t.created_at as created, t.expires_at as expires,
       t.last_used_at as "lastUsed", not ${TOKEN_LIVES} as "isExpired",
       t.digest, t.salt, t.scrypt_cost as "scryptCost"
     from tokens t where t.user_id = $1 order by t.created_at, t.name`,
    [userId],
  );
  return rows;
}

type TokenToUpsert = {
  readonly userId: number;
  readonly name: string;
  readonly token: StoredToken;
  /** null: never. */
  readonly expires: Date | null;
};

/** Gives a user a token, which replaces one of the same name. */
export async function upsertToken(
  connection: Connection,
  { userId, name, token, expires }: TokenToUpsert,
): Promise<void> {
  await connection.query(
    `insert into tokens (user_id, name, digest, salt, scrypt_cost, expires_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, name) do update set digest = excluded.digest, salt = excluded.salt,
       scrypt_cost = excluded.scrypt_cost, created_at = now(), expires_at = excluded.expires_at,
       last_used_at = null`,
    [userId, name, token.digest, token.salt, token.scryptCost, expires],
  );
}

type TokenToRename = {
  readonly userId: number;
  readonly name: string;
  readonly newName: string;
  readonly expires: Date;
};

/** Gives a token another name and end. */
export async function updateToken(
  connection: Connection,
  { userId, name, newName, expires }: TokenToRename,
): Promise<void> {
  await connection.query(
    'update tokens set name = $3, expires_at = $4 where user_id = $1 and name = $2',
    [userId, name, newName, expires],
  );
}

export async function deleteToken(
  connection: Connection,
  userId: number,
  name: string,
): Promise<void> {
  await connection.query('delete from tokens where user_id = $1 and name = $2', [userId, name]);
}

/** Deletes the tokens of a user that expired more than `days` ago. Returns their names and ends. */
export async function deleteExpiredTokens(
  connection: Connection,
  userId: number,
  days: number,
): Promise<{ name: string; expires: Date }[]> {
  const { rows } = await connection.query<{ name: string; expires: Date }>(
    `delete from tokens where user_id = $1 and expires_at < now() - make_interval(days => $2)
     returning name, expires_at as expires`,
    [userId, days],
  );
  return rows;
}

/** A token that was used, in hex as it is stored, and how many seconds ago. */
export type TokenUse = {
  readonly username: string;
  readonly digest: string;
  readonly ageSeconds: number;
};

/**
 * Notes when tokens were last used, unless a later use is noted already. Several servers do so at
 * the same time: the rows are locked in one order, so that none waits for another in a circle.
 */
export async function updateLastUses(
  connection: Connection,
  uses: readonly TokenUse[],
): Promise<void> {
  await connection.query(
    `with used as (
       select t.user_id, t.name, now() - make_interval(secs => asked.age) as at
       from unnest($1::text[], $2::text[], $3::float8[]) as asked (username, digest, age)
         join users u on u.username = asked.username and not u.is_group
         join tokens t on t.user_id = u.user_id and t.digest = decode(asked.digest, 'hex')
       order by t.user_id, t.name
       for no key update of t
     )
     update tokens t set last_used_at = greatest(t.last_used_at, used.at)
     from used where t.user_id = used.user_id and t.name = used.name`,
    [
      uses.map(({ username }) => username),
      uses.map(({ digest }) => digest),
      uses.map(({ ageSeconds }) => ageSeconds),
    ],
  );
}

/** Times are in epoch seconds; null for never. */
export type TokenOfRow = {
  readonly userId: number;
  readonly name: string;
  readonly created: number;
  readonly expires: number | null;
  readonly lastUsed: number | null;
};

/** Selects the tokens of several users, oldest first. */
export const selectTokensOf = (
  session: Pick<ReadSession, 'read'>,
  userIds: readonly number[],
): Promise<TokenOfRow[]> =>
  session.read<TokenOfRow>({
    query: 'select-tokens-of',
    text: `
select user_id as "userId", name, floor(extract(epoch from created_at))::float8 as created,
  floor(extract(epoch from expires_at))::float8 as expires,
  floor(extract(epoch from last_used_at))::float8 as "lastUsed"
from tokens where user_id = any ($1::int[]) order by created_at, name`,
    values: [userIds],
  });
