import type { Connection } from '../../connection/connection.ts';
import { lockTexts } from './lock-texts.ts';
import { GIVEN_TEXTS, type KeyTextsUpsert, upsertFrom, valuesOf } from './upsert-key-texts.ts';

/**
 * Puts texts of keys, each key once, into a temporary table that others do not see, until the end
 * of the transaction. Each text replaces one of the same key and kind that is already waiting.
 */
export async function upsertWaitingTexts(
  connection: Connection,
  updates: readonly KeyTextsUpsert[],
): Promise<void> {
  await connection.query(CREATE);
  await connection.query(
    `insert into waiting_texts as w select * from ${GIVEN_TEXTS}
     on conflict (group_id, key) do update set
       has_label = w.has_label or excluded.has_label,
       label = case when excluded.has_label then excluded.label else w.label end,
       has_description = w.has_description or excluded.has_description,
       description =
         case when excluded.has_description then excluded.description else w.description end,
       has_attributes = w.has_attributes or excluded.has_attributes,
       attributes =
         case when excluded.has_attributes then excluded.attributes else w.attributes end`,
    valuesOf(updates),
  );
}

const CREATE = `
create temporary table if not exists waiting_texts (
  group_id integer, key text collate "C", has_label boolean, label text, has_description boolean,
  description text, has_attributes boolean, attributes text, primary key (group_id, key)
) on commit drop`;

/** Writes all waiting texts, as `upsertKeyTexts` does. */
export async function writeWaitingTexts(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ groupId: number }>(
    'select distinct group_id as "groupId" from waiting_texts',
  );
  await lockTexts(
    connection,
    rows.map(({ groupId }) => groupId),
  );
  await connection.query(upsertFrom('waiting_texts u'));
}
