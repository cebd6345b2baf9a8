import type { Connection } from '../connection/connection.ts';

export type DemoState = {
  /** Whether there is a context of that name. */
  readonly isThere: boolean;
  /** Whether the user of that name has that token, and a grant for the context. */
  readonly isSignedIn: boolean;
};

/** Selects the state of the demo of that name. digest: SHA-256 of its token. */
export async function selectDemoState(
  connection: Connection,
  name: string,
  digest: Buffer,
): Promise<DemoState> {
  const { rows } = await connection.query<DemoState>(
    `select exists (select from contexts where name = $1) as "isThere",
       exists (
         select from users u join tokens t using (user_id) join grants g using (user_id)
           join contexts c using (context_id)
         where u.username = $1 and c.name = $1 and t.digest = $2
       ) as "isSignedIn"`,
    [name, digest],
  );
  return rows[0] ?? { isThere: false, isSignedIn: false };
}
