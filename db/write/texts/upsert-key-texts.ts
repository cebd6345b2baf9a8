import type { Connection } from '../../connection/connection.ts';
import { lockTexts } from './lock-texts.ts';

/**
 * The texts that a user gives to a key, which is in raw form. undefined keeps a text, null clears
 * it; attributes as JSON.
 */
export type KeyTextsUpsert = {
  readonly groupId: number;
  readonly key: string;
  readonly label: string | null | undefined;
  readonly description: string | null | undefined;
  readonly attributes: string | null | undefined;
};

/**
 * Sets labels, descriptions and attributes that users gave; such labels take precedence over those
 * of other sources. Each key occurs once. A key whose texts are all cleared has no row. Returns how
 * many keys changed.
 */
export async function upsertKeyTexts(
  connection: Connection,
  updates: readonly KeyTextsUpsert[],
): Promise<number> {
  await lockTexts(
    connection,
    updates.map(({ groupId }) => groupId),
  );
  const { rows } = await connection.query<{ changed: number }>(
    upsertFrom(GIVEN_TEXTS),
    valuesOf(updates),
  );
  return rows[0]?.changed ?? 0;
}

/** SQL: the updates of `valuesOf` as rows. */
export const GIVEN_TEXTS = `unnest($1::int[], $2::text[], $3::bool[], $4::text[], $5::bool[],
    $6::text[], $7::bool[], $8::text[]) as u(group_id, key, has_label, label, has_description,
    description, has_attributes, attributes)`;

export const valuesOf = (updates: readonly KeyTextsUpsert[]): unknown[] => [
  updates.map(({ groupId }) => groupId),
  updates.map(({ key }) => key),
  updates.map(({ label }) => label !== undefined),
  updates.map(({ label }) => label ?? null),
  updates.map(({ description }) => description !== undefined),
  updates.map(({ description }) => description ?? null),
  updates.map(({ attributes }) => attributes !== undefined),
  updates.map(({ attributes }) => attributes ?? null),
];

/**
 * SQL: writes the updates in `source`, whose alias is `u`. A row with no text is deleted, because
 * the table has only keys with texts.
 */
export const upsertFrom = (source: string): string => `
with given as (
  select u.group_id, u.key, t.group_id is not null as known,
    case when u.has_label then u.label else t.label end as label,
    case when not u.has_label then t.label_source when u.label is not null then 'user' end
      as label_source,
    case when u.has_description then u.description else t.description end as description,
    case when u.has_attributes then u.attributes::jsonb else t.attributes end as attributes,
    row(t.label, t.label_source, t.description, t.attributes) as before
  from ${source}
  left join key_texts t on t.group_id = u.group_id and t.key = u.key
), changed as (
  select * from given
  where row(label, label_source, description, attributes) is distinct from before
), cleared as (
  delete from key_texts t using changed c
  where t.group_id = c.group_id and t.key = c.key
    and num_nonnulls(c.label, c.description, c.attributes) = 0
), written as (
  insert into key_texts as t (group_id, key, label, label_source, description, attributes)
  select group_id, key, label, label_source, description, attributes from changed
  where num_nonnulls(label, description, attributes) > 0
  on conflict (group_id, key) do update set label = excluded.label,
    label_source = excluded.label_source, description = excluded.description,
    attributes = excluded.attributes
)
select count(*)::int as changed from changed`;
