import type { ReadSession, TimeBound } from '../../session/read-session.ts';

/** A user, and a context that they follow. */
export type Right = { readonly username: string; readonly context: string };

/**
 * digest: the user's current token as it is stored, under scrypt if it has a salt; null: there is
 * no such user, or the user has no token.
 */
export type RightRow = {
  readonly digest: Buffer | null;
  readonly salt: Buffer | null;
  readonly scryptCost: number | null;
  readonly isGranted: boolean;
};

/**
 * Selects the current state of each right, in the given order. One statement for all, no
 * transaction.
 */
export const selectRights = (
  session: Pick<ReadSession, 'readAlone'>,
  rights: readonly Right[],
  bound: TimeBound,
): Promise<RightRow[]> =>
  session.readAlone<RightRow>(
    {
      query: 'select-rights',
      name: 'rights',
      text: `
select t.digest, t.salt, t.scrypt_cost as "scryptCost", exists (
  select from grants g join contexts c using (context_id)
  where g.user_id = u.user_id and c.name = asked.context) as "isGranted"
from unnest($1::text[], $2::text[]) with ordinality as asked (username, context, place)
left join users u on u.username = asked.username
left join tokens t on t.user_id = u.user_id
order by asked.place`,
      values: [rights.map(({ username }) => username), rights.map(({ context }) => context)],
    },
    () => NOTHING_FOLLOWS,
    bound,
  );

/** The check for a session that runs no other statement. */
export const NOTHING_FOLLOWS = { text: 'select 1', isSame: () => true, seen: new Map() };
