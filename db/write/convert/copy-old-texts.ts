import type { Connection } from '../../connection/connection.ts';

/**
 * Copies the texts of the keys of these groups to key_texts, which gets no rows for keys without
 * texts. Existing rows stay. Returns how many keys were copied.
 */
export async function copyOldTexts(
  connection: Connection,
  groupIds: readonly number[],
): Promise<number> {
  const { rowCount } = await connection.query(
    `insert into key_texts (group_id, key, label, label_source, description, attributes,
       archived_until)
     select group_id, key, label, ${LABEL_SOURCE}, description, attributes,
       case when label is not null and label_source in ('dns', 'mmdb') then archived.until end
     from keys join (${ARCHIVED_UNTIL}) archived using (group_id)
     where group_id = any($1::int[]) and num_nonnulls(label, description, attributes) > 0
     on conflict (group_id, key) do nothing`,
    [groupIds],
  );
  return rowCount ?? 0;
}

/**
 * Only the file of an archived slice knows which keys it has. So it is assumed to have all keys,
 * and looked-up labels stay while there is an archived slice. If none is archived, the labels of
 * keys that no slice has any more are removed when the first slice is dropped
 * (store/keeping/looked-up-labels.ts).
 */
const ARCHIVED_UNTIL = `
  select g.group_id, coalesce(max(s.ends_at), 0) as until
  from counter_groups g left join slices s on s.context_id = g.context_id and s.archived
  group by g.group_id`;

/** A label without a source was written by hand. */
const LABEL_SOURCE = `case when label is not null then coalesce(label_source, 'user') end`;
