import type { Connection } from '../../connection/connection.ts';

/** Takes a slice from the list, with its coverage. Its partition is removed later. */
export const deleteSlice = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('delete from slices where slice_id = $1', [sliceId]);
};

/** Takes out what a slice covers, and leaves it in the list. */
export const deleteCoverage = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('delete from coverage where slice_id = $1', [sliceId]);
};
