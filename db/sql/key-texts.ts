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
 * SQL: writes the updates in `source`, whose alias is `u`. A row with no text is deleted, because
 * the table has only keys with texts.
 */
const upsertFrom = (source: string): string => `
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
