import type { Connection } from './connection.ts';

/** From the commit on the slice is answered from its blocks. */
export const updateSlicePacked = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('update slices set packed = true where slice_id = $1', [sliceId]);
};
