import type { Connection } from '../connection/connection.ts';

/** A person of an identity provider. The name is only shown. */
export type Person = {
  readonly issuer: string;
  readonly subject: string;
  readonly shownName: string;
};

/** How many people may want the same username. */
const NAMESAKES = 1_000;

/** How often to try again if others sign in at the same moment. */
const ATTEMPTS = 5;

/**
 * Returns the username of a person, and creates a user without grants if nobody is that person. The
 * new user's name is `wanted` or, if that is taken, a variant such as `mika (2)`: whoever has the
 * name already is somebody else.
 */
export async function upsertPerson(
  connection: Connection,
  { issuer, subject, shownName }: Person,
  wanted: string,
): Promise<{ username: string; created: boolean }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { rows: known } = await connection.query<{ username: string }>(
      `update users set shown_name = $3 where issuer = $1 and subject = $2 returning username`,
      [issuer, subject, shownName],
    );
    if (known[0]) return { ...known[0], created: false };
    const { rows: added } = await connection.query<{ username: string }>(
      `insert into users (username, issuer, subject, shown_name)
       select name, $1, $2, $3
       from generate_series(1, $5::int) n, lateral (
         select case n when 1 then $4::text else format('%s (%s)', $4::text, n) end as name) v
       where not exists (select from users u where u.username = v.name and not u.is_group)
       order by n limit 1
       on conflict do nothing
       returning username`,
      [issuer, subject, shownName, wanted, NAMESAKES],
    );
    if (added[0]) return { ...added[0], created: true };
    // Somebody signed in meanwhile: as this person, or with the same name.
  }
  throw new Error(`no free username like ${wanted} was found`);
}

/** Returns the username of the person; null: nobody is that person. */
export async function selectPerson(
  connection: Connection,
  { issuer, subject }: Pick<Person, 'issuer' | 'subject'>,
): Promise<string | null> {
  const { rows } = await connection.query<{ username: string }>(
    'select username from users where issuer = $1 and subject = $2',
    [issuer, subject],
  );
  return rows[0]?.username ?? null;
}

/**
 * Makes a user the person of a provider; null: of none. Returns false if the user is that already.
 */
export async function updatePerson(
  connection: Connection,
  userId: number,
  person: Pick<Person, 'issuer' | 'subject'> | null,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update users set issuer = $2, subject = $3, shown_name = null
     where user_id = $1 and (issuer, subject) is distinct from ($2, $3)`,
    [userId, person?.issuer ?? null, person?.subject ?? null],
  );
  return rowCount === 1;
}
