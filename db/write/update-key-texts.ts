import type { Connection } from './connection.ts';

/**
 * What a user says about a key. undefined leaves what there is, null clears it; attributes as JSON.
 */
export type KeyTextsUpdate = {
  groupId: number;
  shard: number;
  keyId: number;
  label: string | null | undefined;
  description: string | null | undefined;
  attributes: string | null | undefined;
};

/**
 * Sets labels, descriptions and attributes that users gave; such labels win over DNS names. Each
 * key comes once. Returns how many keys were different before.
 */
export async function updateKeyTexts(
  connection: Connection,
  updates: readonly KeyTextsUpdate[],
): Promise<number> {
  const { rowCount } = await connection.query({
    text: `
update keys k set
  label = case when u.has_label then u.label else k.label end,
  label_source = case when not u.has_label then k.label_source
    when u.label is null then null else 'user' end,
  description = case when u.has_description then u.description else k.description end,
  attributes = case when u.has_attributes then u.attributes::jsonb else k.attributes end
from unnest($1::int[], $2::smallint[], $3::int[], $4::bool[], $5::text[], $6::bool[], $7::text[],
  $8::bool[], $9::text[]) as u(group_id, shard, key_id, has_label, label, has_description,
  description, has_attributes, attributes)
where k.group_id = u.group_id and k.shard = u.shard and k.key_id = u.key_id and (
  u.has_label and (k.label is distinct from u.label
    or k.label_source is distinct from case when u.label is not null then 'user' end)
  or u.has_description and k.description is distinct from u.description
  or u.has_attributes and k.attributes is distinct from u.attributes::jsonb
)`,
    values: [
      updates.map(({ groupId }) => groupId),
      updates.map(({ shard }) => shard),
      updates.map(({ keyId }) => keyId),
      updates.map(({ label }) => label !== undefined),
      updates.map(({ label }) => label ?? null),
      updates.map(({ description }) => description !== undefined),
      updates.map(({ description }) => description ?? null),
      updates.map(({ attributes }) => attributes !== undefined),
      updates.map(({ attributes }) => attributes ?? null),
    ],
  });
  return rowCount ?? 0;
}
