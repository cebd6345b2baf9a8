import type { Connection } from '../../connection/connection.ts';

/** Deletes a slice with its coverage. Its partition is removed later. */
export const deleteSlice = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('delete from slices where slice_id = $1', [sliceId]);
};

/** Deletes the coverage of a slice, but not the slice itself. */
export const deleteCoverage = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('delete from coverage where slice_id = $1', [sliceId]);
};
