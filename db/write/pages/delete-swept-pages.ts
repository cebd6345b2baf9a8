import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import type { Connection } from '../../connection/connection.ts';

/** A segment that is no longer in the manifest. */
export type SweptSegment = { readonly segmentId: number; readonly sliceId: number };

/**
 * Removes the pages of sealed segments that are no longer in the manifest. A slice that has no
 * sealed segment at all keeps them: its partition will be dropped as a whole.
 */
export async function deleteSweptPages(
  connection: Connection,
  segments: readonly SweptSegment[],
): Promise<void> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select distinct slice_id as "sliceId" from segments
     where slice_id = any($1::int[]) and level = ${SEALED_LEVEL}`,
    [segments.map(({ sliceId }) => sliceId)],
  );
  const kept = new Set(rows.map(({ sliceId }) => sliceId));
  const swept = segments.filter(({ sliceId }) => kept.has(sliceId));
  if (swept.length === 0) return;
  await connection.query(
    `delete from sealed_segment_pages
     where slice_id = any($1::int[]) and segment_id = any($2::bigint[])`,
    [[...new Set(swept.map(({ sliceId }) => sliceId))], swept.map(({ segmentId }) => segmentId)],
  );
}
