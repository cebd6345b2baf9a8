import type { Connection } from '../../connection/connection.ts';
import { lockTexts } from './lock-texts.ts';

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

export type LabelledKeys = { readonly groupId: number; readonly keys: readonly string[] };

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
