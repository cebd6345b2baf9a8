import type { Connection } from '../../connection/connection.ts';

/**
 * Copies what was said about keys of these groups to key_texts, which gets no rows for the others.
 * What is there already stays. Gives how many keys there are.
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
 * Which keys an archived slice has, only its file knows: so any may have them all, and looked-up
 * labels stay while there is one. Where none is archived, the first slice that is dropped takes
 * those of keys that no slice has any more (store/keeping/looked-up-labels.ts).
 */
const ARCHIVED_UNTIL = `
  select g.group_id, coalesce(max(s.ends_at), 0) as until
  from counter_groups g left join slices s on s.context_id = g.context_id and s.archived
  group by g.group_id`;

/** A label without a source is one that somebody wrote by hand. */
const LABEL_SOURCE = `case when label is not null then coalesce(label_source, 'user') end`;
