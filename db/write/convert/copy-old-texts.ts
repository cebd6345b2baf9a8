import type { Connection } from '../connection.ts';

/**
 * Copies what was said about keys of these groups to key_texts, which gets no rows for the others.
 * What is there already stays. Gives how many keys there are.
 */
export async function copyOldTexts(
  connection: Connection,
  groupIds: readonly number[],
): Promise<number> {
  const { rowCount } = await connection.query(
    `insert into key_texts (group_id, key, label, label_source, description, attributes)
     select group_id, key, label, ${LABEL_SOURCE}, description, attributes
     from keys
     where group_id = any($1::int[]) and num_nonnulls(label, description, attributes) > 0
     on conflict (group_id, key) do nothing`,
    [groupIds],
  );
  return rowCount ?? 0;
}

/** A label without a source is one that somebody wrote by hand. */
const LABEL_SOURCE = `case when label is not null then coalesce(label_source, 'user') end`;
