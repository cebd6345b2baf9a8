import { PAGE_TABLES } from '../../page-tables.ts';
import type { Connection } from '../connection.ts';

/** Which of these slices have a partition for pages, be it attached or not. */
export async function selectPartitioned(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<number[]> {
  const isThere = PAGE_TABLES.map((table) => `to_regclass('${table}_' || slice_id) is not null`);
  const { rows } = await connection.query<{ sliceId: number }>(
    `select slice_id as "sliceId" from unnest($1::int[]) as slice_id
     where ${isThere.join(' or ')}`,
    [sliceIds],
  );
  return rows.map(({ sliceId }) => sliceId);
}
