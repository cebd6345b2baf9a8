import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';
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

export type PersonSession = {
  readonly digest: Buffer;
  readonly issuer: string;
  readonly subject: string;
  /** The names of the person's groups. */
  readonly groups: readonly string[];
  readonly seconds: number;
};

/** Begins a session of a person of an identity provider, who is a user. */
export async function insertPersonSession(
  connection: Connection,
  { digest, issuer, subject, groups, seconds }: PersonSession,
): Promise<void> {
  await connection.query(
    `insert into sessions (digest, user_id, issuer, subject, groups, ends_at)
     select $1, user_id, issuer, subject, $4, now() + make_interval(secs => $5)
     from users where issuer = $2 and subject = $3`,
    [digest, issuer, subject, groups, seconds],
  );
}

/** issuer: the identity provider at which the session began; null: with a token. */
export type DeletedSession = { readonly username: string; readonly issuer: string | null };

/** Ends a session; null: there is no such session. */
export async function deleteSession(
  connection: Connection,
  digest: Buffer,
): Promise<DeletedSession | null> {
  const { rows } = await connection.query<DeletedSession>(
    `delete from sessions s using users u where s.digest = $1 and u.user_id = s.user_id
     returning u.username, s.issuer`,
    [digest],
  );
  return rows[0] ?? null;
}

/**
 * Deletes sessions whose time is over, and of a user those whose token is gone, those of another
 * person than the user now is, and those beyond the newest `most`. Returns the name of the user of each. It reads these rows only, by their indexes.
 */
export async function deleteEndedSessions(
  connection: Connection,
  username: string,
  most: number,
): Promise<string[]> {
  const { rows } = await connection.query<{ username: string }>(
    `with own as (
       select s.digest, s.user_id, s.token_digest,
         (u.issuer, u.subject) is not distinct from (s.issuer, s.subject) as is_same_person,
         row_number() over (order by began_at desc, digest) as place
       from sessions s join users u using (user_id) where u.username = $1 and not u.is_group
     ), ended as (
       select digest from sessions where ends_at <= now()
       union
       select digest from own
       where place > $2 or case when token_digest is null then not is_same_person else not exists (
         select from tokens t
         where t.user_id = own.user_id and t.digest = own.token_digest and ${TOKEN_LIVES}) end
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

/** Times are in epoch seconds. token, issuer: by what the session began, the other one is null. */
export type SessionOfRow = {
  readonly userId: number;
  readonly began: number;
  readonly ends: number;
  readonly token: string | null;
  readonly issuer: string | null;
};

/** Selects the sessions of several users that go on, newest first. */
export const selectSessionsOf = (
  session: Pick<ReadSession, 'read'>,
  userIds: readonly number[],
): Promise<SessionOfRow[]> =>
  session.read<SessionOfRow>({
    query: 'select-sessions-of',
    text: `
select s.user_id as "userId", floor(extract(epoch from s.began_at))::float8 as began,
  floor(extract(epoch from s.ends_at))::float8 as ends, t.name as token, s.issuer
from sessions s
left join tokens t on t.user_id = s.user_id and t.digest = s.token_digest and ${TOKEN_LIVES}
where s.user_id = any ($1::int[]) and s.ends_at > now()
  and (s.issuer is not null or t.user_id is not null)
order by s.began_at desc, s.digest`,
    values: [userIds],
  });
