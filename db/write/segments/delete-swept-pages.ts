import { SEALED_LEVEL } from '../../../domain/segment-level.ts';
import type { Connection } from '../connection.ts';

/**
 * Removes the pages of sealed segments that are no longer in the manifest. A slice that has no
 * sealed segment at all keeps them: its partition will be dropped as a whole. A segment that is
 * being written is not touched: its pages can be seen when its row can be.
 */
export const deleteSweptPages = (connection: Connection, sliceIds: readonly number[]) =>
  connection.query(
    `delete from sealed_segment_pages p
     where p.slice_id = any(array(
         select slice_id from segments where slice_id = any($1::int[]) and level = ${SEALED_LEVEL}))
       and not exists (select from segments s where s.segment_id = p.segment_id)`,
    [sliceIds],
  );
