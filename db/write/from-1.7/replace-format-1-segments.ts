import type { Connection } from '../../connection/connection.ts';
import type { Format1Row } from './select-format-1-segments.ts';

/**
 * Removes segments of format 1 from the manifest, right after the segments that replace them were
 * published. Whoever knows an older layout then reads the whole manifest. Errors: another process
 * has removed one of them.
 */
export async function replaceFormat1Segments(
  connection: Connection,
  contextId: number,
  rows: readonly Pick<Format1Row, 'segmentId'>[],
): Promise<void> {
  const { rowCount } = await connection.query(
    'delete from segments where context_id = $1 and segment_id = any($2::bigint[]) and died is null',
    [contextId, rows.map(({ segmentId }) => segmentId)],
  );
  if (rowCount !== rows.length) {
    throw new Error('Segments were removed while they were converted: run it again');
  }
  await connection.query('update context_versions set swept_to = layout where context_id = $1', [
    contextId,
  ]);
}
