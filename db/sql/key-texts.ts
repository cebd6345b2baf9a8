import type { Connection } from '../connection/connection.ts';
import type { Deadline, ReadSession } from '../session/read-session.ts';

/** A key of a group, in raw form. */
export type KeyName = { readonly groupId: number; readonly key: string };

/** The texts of a key. A key without texts has no row. */
export type TextsRow = KeyName & {
  readonly label: string | null;
  readonly description: string | null;
  readonly attributes: Record<string, unknown> | null;
};

/** Selects the texts of all these keys in one statement. */
export const selectTexts = (
  session: Pick<ReadSession, 'read'>,
  keys: readonly KeyName[],
  deadline: Deadline | null,
): Promise<TextsRow[]> =>
  session.read(
    {
      query: 'select-texts',
      name: 'texts',
      text: `
select t.group_id as "groupId", t.key, t.label, t.description, t.attributes
from unnest($1::int[], $2::text[]) as w(group_id, key)
join key_texts t using (group_id, key)`,
      values: [keys.map(({ groupId }) => groupId), keys.map(({ key }) => key)],
    },
    deadline,
  );

/** isByUser: a user gave some of the texts, so the key exists even without readings. */
export type LabelledKeyRow = TextsRow & { readonly isByUser: boolean };

/** Selects all keys of these groups that have texts, in one statement. */
export const selectLabelledKeys = (
  session: Pick<ReadSession, 'read'>,
  groupIds: readonly number[],
  deadline: Deadline | null,
): Promise<LabelledKeyRow[]> =>
  session.read(
    {
      query: 'select-labelled-keys',
      name: 'labelled_keys',
      text: `
select group_id as "groupId", key, label, description, attributes,
  label_source is not distinct from 'user' or num_nonnulls(description, attributes) > 0
    as "isByUser"
from key_texts where group_id = any($1::int[])
order by group_id, key`,
      values: [groupIds],
    },
    deadline,
  );

/** A key in raw form. */
type KeyOfGroup = { readonly groupId: number; readonly key: string };

/** SQL: a user gave the text, not a DNS answer or a MaxMind file. */
const BY_USER = `label_source = 'user' or description is not null or attributes is not null`;

/** Selects those of the keys to which a user gave a text. */
export const selectUserKeys = (
  session: Pick<ReadSession, 'read'>,
  keys: readonly KeyOfGroup[],
  deadline?: Deadline | null,
): Promise<KeyOfGroup[]> =>
  session.read(
    {
      query: 'select-user-keys',
      name: 'user_keys',
      text: `
select t.group_id as "groupId", t.key
from unnest($1::int[], $2::text[]) as w(group_id, key)
join key_texts t on t.group_id = w.group_id and t.key = w.key
where ${BY_USER}`,
      values: [keys.map(({ groupId }) => groupId), keys.map(({ key }) => key)],
    },
    deadline,
  );

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
const GIVEN_TEXTS = `unnest($1::int[], $2::text[], $3::bool[], $4::text[], $5::bool[],
    $6::text[], $7::bool[], $8::text[]) as u(group_id, key, has_label, label, has_description,
    description, has_attributes, attributes)`;

const valuesOf = (updates: readonly KeyTextsUpsert[]): unknown[] => [
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
 * SQL: writes the updates in `source`, whose alias is `u`, to the groups that the keys are keys of.
 * A row with no text is deleted, because the table has only keys with texts.
 */
const upsertFrom = (source: string): string => `
with given as (
  select o.group_id, u.key, t.group_id is not null as known,
    case when u.has_label then u.label else t.label end as label,
    case when not u.has_label then t.label_source when u.label is not null then 'user' end
      as label_source,
    case when u.has_description then u.description else t.description end as description,
    case when u.has_attributes then u.attributes::jsonb else t.attributes end as attributes,
    row(t.label, t.label_source, t.description, t.attributes) as before
  from ${source}
  join counter_groups g on g.group_id = u.group_id
  join counter_groups o on o.group_id = coalesce(g.keys_of, g.group_id)
  left join key_texts t on t.group_id = o.group_id and t.key = u.key
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

/**
 * Moves the texts of a group's keys to the group that they become keys of (null: they stay).
 * Whatever remembers texts forgets them, even if there are none: they are read elsewhere then.
 */
export async function moveTexts(
  connection: Connection,
  groupId: number,
  keysOf: string | null,
): Promise<void> {
  await lockTexts(connection, [groupId]);
  await connection.query(MOVE_TEXTS, [groupId, keysOf]);
  await connection.query(
    `update text_versions set version = version + 1
     where context_id = (select context_id from counter_groups where group_id = $1)`,
    [groupId],
  );
}

/**
 * What a user gave comes before what was looked up, and a newer answer before an older one. Of two
 * texts that users gave, the one that is there stays: nothing says which is newer. The other one
 * becomes an attribute, `label (Internal Hosts)`, so that it is not lost.
 */
const MOVE_TEXTS = `
with target as (
  select o.group_id, g.name from counter_groups g
  join counter_groups o on o.context_id = g.context_id and o.guid = $2
  where g.group_id = $1
), taken as (
  delete from key_texts where group_id = $1 and exists (select from target) returning *
), met as (
  select n.group_id as target_id, ' (' || n.name || ')' as origin, m.*, t.label as own_label,
    t.label_source as own_source, t.description as own_description,
    t.attributes as own_attributes, t.archived_until as own_archived,
    t.answered_us as own_answered, m.label is not null and (t.label is null
      or t.label_source <> 'user' and (m.label_source = 'user'
        or coalesce(m.answered_us, 0) > coalesce(t.answered_us, 0))) as wins
  from taken m cross join target n
  left join key_texts t on t.group_id = n.group_id and t.key = m.key
), others as (
  select m.key, jsonb_object_agg(text.name || m.origin, text.value) as attributes
  from met m cross join lateral (
    select 'label', to_jsonb(m.label) where m.label_source = 'user' and m.label <> m.own_label
      and m.own_source = 'user'
    union all
    select 'description', to_jsonb(m.description) where m.description <> m.own_description
    union all
    select a.name, a.value from jsonb_each(m.attributes) a(name, value)
    where m.own_attributes -> a.name <> a.value
  ) text(name, value)
  group by m.key
)
insert into key_texts as t (group_id, key, label, label_source, description, attributes,
  archived_until, answered_us)
select m.target_id, m.key, case when wins then m.label else own_label end,
  case when wins then m.label_source else own_source end,
  coalesce(own_description, m.description),
  case when num_nonnulls(o.attributes, m.attributes, own_attributes) > 0 then
    coalesce(o.attributes, '{}') || coalesce(m.attributes, '{}') || coalesce(own_attributes, '{}')
  end,
  greatest(own_archived, m.archived_until),
  case when wins then m.answered_us else own_answered end
from met m left join others o using (key)
on conflict (group_id, key) do update set label = excluded.label,
  label_source = excluded.label_source, description = excluded.description,
  attributes = excluded.attributes, archived_until = excluded.archived_until,
  answered_us = excluded.answered_us`;

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

/** A key that has texts. */
type TextKey = {
  key: string;
  /** Whether a user gave the key a text, so that it exists without readings. */
  isUsers: boolean;
};

/** Which keys with texts to select, in the order of their raw form. */
type TextKeyPage = {
  readonly groupId: number;
  /** Only keys after this one; empty: from the first. */
  readonly after: string;
  readonly limit: number;
};

export async function selectTextKeys(
  connection: Connection,
  { groupId, after, limit }: TextKeyPage,
): Promise<TextKey[]> {
  const { rows } = await connection.query<TextKey>(
    `select key, coalesce(label_source = 'user', false)
         or description is not null or attributes is not null as "isUsers"
     from key_texts where group_id = $1 and key > $2 order by key limit $3`,
    [groupId, after, limit],
  );
  return rows;
}

/** All texts of a key. */
export type ExportedTexts = {
  key: string;
  label: string | null;
  /** The source of the label; null: there is no label. */
  labelSource: 'user' | 'dns' | 'mmdb' | null;
  description: string | null;
  attributes: Record<string, string> | null;
};

/** Selects the texts of those of these keys that have any, in no order. */
export async function selectExportedTexts(
  connection: Connection,
  groupId: number,
  keys: readonly string[],
): Promise<ExportedTexts[]> {
  const { rows } = await connection.query<ExportedTexts>(
    `select key, label, label_source as "labelSource", description, attributes
     from key_texts where group_id = $1 and key = any($2::text[])`,
    [groupId, keys],
  );
  return rows;
}
