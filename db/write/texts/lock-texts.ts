import type { Connection } from '../../connection/connection.ts';

/**
 * To be taken first by whoever changes texts of these groups' keys, and held until the end of the
 * transaction. Each change raises the version of its context's texts in any case. So imports, which
 * change many keys in no order, and editors pass one after the other: they cannot deadlock.
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
