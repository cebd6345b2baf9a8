import type { Connection } from '../../connection/connection.ts';
import { lockTexts } from './lock-texts.ts';

/** SQL: the label came from a DNS answer or a MaxMind file. */
const LOOKED_UP = `label_source in ('dns', 'mmdb')`;

/** SQL: and nothing else was said about the key, so it does not exist by its texts. */
const NOTHING_ELSE = 'description is null and attributes is null';

/** Which keys with looked-up labels are wanted, in the order of their raw form. */
export type LabelPage = {
  readonly groupId: number;
  /** Only keys after this one; empty: from the first. */
  readonly after: string;
  readonly limit: number;
};

/** Keys whose labels are not noted yet as those of an archived slice that ended at `until`. */
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
 * Which labels may go. oldestEnd: the earliest end of a slice that stays archived; null: of none.
 * What was noted with that end or a later one stays, as such a slice may have the key.
 */
export type LooseLabels = {
  /** current: never noted, or no longer true; expired: noted, and no longer true. */
  readonly which: 'current' | 'expired';
  readonly oldestEnd: number | null;
};

/** Keys that nothing but a looked-up label is known of, which no archived slice needs. */
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

/** Removes such labels of keys. */
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

/** Forgets that an archived slice had these keys: an available one has them. */
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

/** The earliest end of a slice that is archived, `but` one; null: none is. Epoch seconds. */
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
