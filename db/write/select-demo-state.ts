import type { Connection } from '../connection/connection.ts';

export type DemoState = {
  /** There is a context by its name. */
  readonly isThere: boolean;
  /** The user has that token, and a grant for the context of the same name. */
  readonly isSignedIn: boolean;
};

/** Whether there is a demo by that name. digest: SHA-256 of its token. */
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
