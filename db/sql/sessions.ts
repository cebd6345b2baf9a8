import type { Connection } from '../connection/connection.ts';
import { TOKEN_LIVES } from './tokens.ts';

export type SessionToInsert = {
  /** SHA-256 of what the cookie holds. */
  readonly digest: Buffer;
  readonly username: string;
  /** The token that begins the session, as it is stored. */
  readonly tokenDigest: Buffer;
  readonly seconds: number;
};

/**
 * Begins a session, which ends with its token at the latest. Returns when it ends, in epoch
 * seconds; null: the user no longer has the token.
 */
export async function insertSession(
  connection: Connection,
  { digest, username, tokenDigest, seconds }: SessionToInsert,
): Promise<number | null> {
  const { rows } = await connection.query<{ endsAt: number }>(
    `insert into sessions (digest, user_id, token_digest, ends_at)
     select $1, u.user_id, t.digest, least(now() + make_interval(secs => $4), t.expires_at)
     from users u join tokens t using (user_id)
     where u.username = $2 and not u.is_group and t.digest = $3 and ${TOKEN_LIVES}
     returning floor(extract(epoch from ends_at))::float8 as "endsAt"`,
    [digest, username, tokenDigest, seconds],
  );
  return rows[0]?.endsAt ?? null;
}

/** Ends a session. Returns the name of its user; null: there is no such session. */
export async function deleteSession(
  connection: Connection,
  digest: Buffer,
): Promise<string | null> {
  const { rows } = await connection.query<{ username: string }>(
    `delete from sessions s using users u where s.digest = $1 and u.user_id = s.user_id
     returning u.username`,
    [digest],
  );
  return rows[0]?.username ?? null;
}

/**
 * Deletes sessions whose time is over, and of a user those whose token is gone and those beyond the
 * newest `most`. Returns the name of the user of each. It reads these rows only, by their indexes.
 */
export async function deleteEndedSessions(
  connection: Connection,
  username: string,
  most: number,
): Promise<string[]> {
  const { rows } = await connection.query<{ username: string }>(
    `with own as (
       select s.digest, s.user_id, s.token_digest,
         row_number() over (order by began_at desc, digest) as place
       from sessions s join users u using (user_id) where u.username = $1 and not u.is_group
     ), ended as (
       select digest from sessions where ends_at <= now()
       union
       select digest from own
       where place > $2 or not exists (
         select from tokens t
         where t.user_id = own.user_id and t.digest = own.token_digest and ${TOKEN_LIVES})
     )
     delete from sessions s using users u
     where u.user_id = s.user_id and s.digest = any (array(select digest from ended))
     returning u.username`,
    [username, most],
  );
  return rows.map((row) => row.username);
}

/** Deletes the sessions of one token of a user; null: of all tokens. Returns their number. */
export async function deleteSessionsOf(
  connection: Connection,
  userId: number,
  tokenDigest: Buffer | null,
): Promise<number> {
  const { rowCount } = await connection.query(
    'delete from sessions where user_id = $1 and ($2::bytea is null or token_digest = $2)',
    [userId, tokenDigest],
  );
  return rowCount ?? 0;
}
