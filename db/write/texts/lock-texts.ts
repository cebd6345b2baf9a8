import type { Connection } from '../../connection/connection.ts';

/**
 * Takes the lock for changing texts of these groups' keys, until the end of the transaction.
 * Whatever changes texts calls this first. Each change raises the version of its context's texts
 * anyway. With the lock taken first, imports, which change many keys in no order, and editors take
 * turns: they cannot deadlock.
 */
export const lockTexts = async (
  connection: Connection,
  groupIds: readonly number[],
): Promise<void> => {
  await connection.query(
    `select from text_versions where context_id in (
       select context_id from counter_groups where group_id = any($1::int[]))
     order by context_id for no key update`,
    [[...new Set(groupIds)]],
  );
};
