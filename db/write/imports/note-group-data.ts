import type { Connection } from '../../connection/connection.ts';

/** Records that groups have readings, if that is not recorded yet. */
export const noteGroupData = async (
  connection: Connection,
  groupIds: readonly number[],
): Promise<void> => {
  await connection.query(
    'update counter_groups set has_data = true where group_id = any($1::int[]) and not has_data',
    [groupIds],
  );
};
