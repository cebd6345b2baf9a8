import type { Connection } from '../connection/connection.ts';
import { lockTexts } from './key-texts.ts';

/** SQL: the label came from a DNS answer or a MaxMind file. */
const LOOKED_UP = `label_source in ('dns', 'mmdb')`;

/** SQL: and the key has no other text, so it does not exist by its texts. */
const NOTHING_ELSE = 'description is null and attributes is null';

/** Which keys with looked-up labels to select, in the order of their raw form. */
export type LabelPage = {
  readonly groupId: number;
  /** Only keys after this one; empty: from the first. */
  readonly after: string;
  readonly limit: number;
};

/**
 * Selects keys whose labels are not yet noted as those of an archived slice that ended at `until`.
 */
export const selectLabelsToNote = (
  connection: Connection,
  page: LabelPage,
  until: number,
): Promise<string[]> =>
  selectKeys(connection, page, {
    condition: `${LOOKED_UP} and (archived_until is null or archived_until < $4)`,
    value: until,
  });

/** Notes that an archived slice, which ended at `until`, has these keys. */
export const noteArchivedLabels = async (
  connection: Connection,
  { groupId, keys, until }: LabelledKeys & { readonly until: number },
): Promise<void> => {
  await lockTexts(connection, [groupId]);
  await connection.query(
    `update key_texts set archived_until = greatest(archived_until, $3)
     where group_id = $1 and key = any($2::text[])`,
    [groupId, keys, until],
  );
};

type LabelledKeys = { readonly groupId: number; readonly keys: readonly string[] };

/**
 * Which labels may be removed. oldestEnd: the earliest end of a slice that stays archived; null:
 * there is none. A label that is noted with that end or a later one stays, because such a slice may
 * have the key.
 */
export type LooseLabels = {
  /**
   * current: never noted, or the note no longer holds; expired: noted, and the note no longer
   * holds.
   */
  readonly which: 'current' | 'expired';
  readonly oldestEnd: number | null;
};

/** Selects keys that have nothing but a looked-up label, which no archived slice needs. */
export const selectLooseLabels = (
  connection: Connection,
  page: LabelPage,
  { which, oldestEnd }: LooseLabels,
): Promise<string[]> => {
  const noted = which === 'expired' ? 'archived_until is not null and ' : '';
  return selectKeys(connection, page, {
    condition: `${LOOKED_UP} and ${NOTHING_ELSE} and ${noted}
      (archived_until is null or $4::bigint is null or archived_until < $4)`,
    value: oldestEnd,
  });
};

/** Deletes such labels of keys. */
export const deleteLooseLabels = async (
  connection: Connection,
  { groupId, keys }: LabelledKeys,
): Promise<void> => {
  await lockTexts(connection, [groupId]);
  await connection.query(
    `delete from key_texts where group_id = $1 and key = any($2::text[])
       and ${LOOKED_UP} and ${NOTHING_ELSE}`,
    [groupId, keys],
  );
};

/** Removes the note that an archived slice has these keys, because an available one has them. */
export const forgetArchivedLabels = async (
  connection: Connection,
  { groupId, keys }: LabelledKeys,
): Promise<void> => {
  await lockTexts(connection, [groupId]);
  await connection.query(
    `update key_texts set archived_until = null where group_id = $1 and key = any($2::text[])`,
    [groupId, keys],
  );
};

/**
 * Selects the earliest end of an archived slice other than `but`; null: there is none. Epoch
 * seconds.
 */
export async function selectOldestArchiveEnd(
  connection: Connection,
  { contextId, but }: { readonly contextId: number; readonly but: number },
): Promise<number | null> {
  const { rows } = await connection.query<{ end: number | null }>(
    `select min(ends_at)::float8 as "end" from slices
     where context_id = $1 and archived and slice_id <> $2`,
    [contextId, but],
  );
  return rows[0]?.end ?? null;
}

type KeyCondition = { readonly condition: string; readonly value: number | null };

async function selectKeys(
  connection: Connection,
  { groupId, after, limit }: LabelPage,
  { condition, value }: KeyCondition,
): Promise<string[]> {
  const { rows } = await connection.query<{ key: string }>(
    `select key from key_texts where group_id = $1 and key > $2 and ${condition}
     order by key limit $3`,
    [groupId, after, limit, value],
  );
  return rows.map(({ key }) => key);
}

/** Labels that a DNS answer or a MaxMind file gives to keys of a group, each key once. */
type LookedUpLabels = {
  readonly groupId: number;
  readonly source: 'dns' | 'mmdb';
  readonly names: readonly LookedUpName[];
};

/** answeredUs: when DNS said so, in microseconds since the epoch. */
type LookedUpName = {
  readonly key: string;
  readonly name: string;
  readonly answeredUs?: number;
};

/**
 * Number of keys that got a new label, that already had it or have a newer answer, and that keep a
 * label that a user gave.
 */
export type LookedUpCounts = {
  readonly labelled: number;
  readonly unchanged: number;
  readonly keptByUser: number;
};

/**
 * Sets labels that were looked up, never over a label that a user gave, nor over that of a newer
 * answer. Of two names that were answered at the same time, the last in alphabetical order stays,
 * so that the order in which answers come does not matter.
 */
export async function upsertLookedUpLabels(
  connection: Connection,
  { groupId, source, names }: LookedUpLabels,
): Promise<LookedUpCounts> {
  await lockTexts(connection, [groupId]);
  const { rows } = await connection.query<LookedUpCounts>(
    `with given as (
       select n.key, n.name, n.answered_us, t.label, t.label_source,
         t.label_source is distinct from 'user' and (t.label_source is distinct from 'dns'
           or n.answered_us is null or t.answered_us is null
           or (n.answered_us, n.name collate "C") > (t.answered_us, t.label collate "C")) as wins
       from unnest($2::text[], $3::text[], $5::bigint[]) as n(key, name, answered_us)
       left join key_texts t on t.group_id = $1 and t.key = n.key
     ), labelled as (
       insert into key_texts as t (group_id, key, label, label_source, answered_us)
       select $1, key, name, $4, answered_us from given
       where wins and (label is distinct from name or answered_us is not null)
       on conflict (group_id, key) do update set label = excluded.label,
         label_source = excluded.label_source, answered_us = excluded.answered_us
     )
     select count(*) filter (where wins and label is distinct from name)::int as labelled,
       count(*) filter (where label_source <> 'user' and (label = name or not wins))::int
         as unchanged,
       count(*) filter (where label_source = 'user')::int as "keptByUser"
     from given`,
    [
      groupId,
      names.map(({ key }) => key),
      names.map(({ name }) => name),
      source,
      names.map(({ answeredUs }) => answeredUs ?? null),
    ],
  );
  const [counts] = rows;
  if (!counts) throw new Error('an aggregate returned no row');
  return counts;
}

/** Creates a table that holds the newest name of each address, until the end of the transaction. */
export const createDnsNames = async (connection: Connection): Promise<void> => {
  await connection.query(
    `create temporary table dns_names (
       key text collate "C" primary key, name text not null, answered_us bigint not null
     ) on commit drop`,
  );
};

/** Selects rows of the table of `createDnsNames` after a key, in the order of keys. */
export async function selectDnsNames(
  connection: Connection,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<DnsName[]> {
  const { rows } = await connection.query<DnsName>(
    `select key, name, answered_us::float8 as "answeredUs" from dns_names
     where key > $1 order by key limit $2`,
    [after, limit],
  );
  return rows;
}

/** key: an address's raw key; answeredUs: microseconds since the epoch. */
export type DnsName = { key: string; name: string; answeredUs: number };

/**
 * Stores the names that are newer than the stored ones, each key at most once. Of the same time,
 * the last in alphabetical order counts as newer.
 */
export const upsertDnsNames = async (
  connection: Connection,
  names: readonly DnsName[],
): Promise<void> => {
  await connection.query(
    `insert into dns_names as d (key, name, answered_us)
     select * from unnest($1::text[], $2::text[], $3::bigint[])
     on conflict (key) do update set name = excluded.name, answered_us = excluded.answered_us
     where (excluded.answered_us, excluded.name collate "C") > (d.answered_us, d.name collate "C")`,
    [
      names.map(({ key }) => key),
      names.map(({ name }) => name),
      names.map(({ answeredUs }) => answeredUs),
    ],
  );
};
